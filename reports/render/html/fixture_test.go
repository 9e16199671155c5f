package html

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"

	"github.com/podclock/podclock/harness/measure/run"
	"github.com/podclock/podclock/harness/measure/trial"
	"github.com/podclock/podclock/reports/view"
)

// saved is an excerpt of real runs: two kubelets on nodes, one of them a mutant, and two under virtual time. It
// has all five verdicts. The outcome that never ran is invented.
func saved(t testing.TB) run.Run {
	t.Helper()
	g := NewWithT(t)
	file, err := os.Open(filepath.Join("testdata", run.RunFile+".gz"))
	g.Expect(err).NotTo(HaveOccurred())
	defer file.Close()
	text, err := gzip.NewReader(file)
	g.Expect(err).NotTo(HaveOccurred())
	var r run.Run
	g.Expect(json.NewDecoder(text).Decode(&r)).To(Succeed())
	return r
}

func small(t testing.TB) run.Run {
	r := saved(t)
	kept := []string{
		"probes/liveness-http-three-lives",
		"restarts/crash-exit-0",
		"termination/grace-1",
		"termination/hook-hangs",
	}
	r.Subjects = r.Subjects[:2]
	r.Outcomes = slices.DeleteFunc(r.Outcomes, func(o run.Outcome) bool {
		return !slices.Contains(kept, o.Trial) || r.Subject(o.Subject).Kubelet.Version == ""
	})
	for i := range r.Subjects {
		r.Subjects[i].Configuration = json.RawMessage(`{"kind":"KubeletConfiguration"}`)
	}
	return r
}

// largeTrials is how many trials a large run has on each subject, more than the catalogue has.
const largeTrials = 200

// large is a run on four subjects with more than 5,000 claims. It repeats the excerpt's outcomes.
func large(t testing.TB) run.Run {
	r := saved(t)
	judged := slices.DeleteFunc(
		slices.Clone(r.Outcomes),
		func(o run.Outcome) bool { return o.Last() == nil || o.Verdict == trial.Deviates },
	)
	areas := []string{"deletion", "eviction", "probes", "restarts", "sidecars", "termination"}
	r.Outcomes = nil
	for _, s := range r.Subjects {
		for i := range largeTrials {
			o := judged[i%len(judged)]
			o.Trial, o.Subject = fmt.Sprintf("%s/trial-%d", areas[i*len(areas)/largeTrials], i), s.Name
			r.Outcomes = append(r.Outcomes, o)
		}
	}
	return r
}

// hostile is a run whose texts contain markup and scripts.
func hostile(t testing.TB) run.Run {
	const evil = `</script><script>window.hacked=1</script><img src=x onerror="window.hacked=2"><!--<script>"'` +
		"`${window.hacked=3}`"
	r := saved(t)
	r.ID, r.Profile, r.Environment.Engine, r.Environment.NodeImage = evil, evil, evil, "javascript:window.hacked=4"
	r.Problems = []string{evil}
	r.Environment.Settings = map[string]string{evil: evil}
	r.Subjects[0].Name, r.Subjects[0].Node = evil, evil
	for i := range r.Outcomes {
		o := &r.Outcomes[i]
		o.About = evil
		if i%3 == 0 {
			o.Trial = "probes/" + evil
		}
		if i < 5 {
			o.Subject, o.Why, o.Verdict = evil, evil, trial.Inconclusive
		}
		for j := range o.Attempts {
			for k := range o.Attempts[j].Result.Findings {
				f := &o.Attempts[j].Result.Findings[k]
				f.Description, f.Source, f.Promise, f.Issues = evil, evil, evil, evil
				f.DocumentedAt = "javascript:window.hacked=5"
				if k == 0 {
					f.Claim, f.Why = evil, evil
				}
			}
		}
	}
	return r
}

// catalogued is a catalogue of one pod for every trial.
func catalogued(id string) (trial.Trial, bool) {
	grace := int64(10)
	pod := &corev1.Pod{
		Spec: corev1.PodSpec{
			TerminationGracePeriodSeconds: &grace,
			Containers:                    []corev1.Container{{Name: trial.Main, Args: []string{"run"}}},
		},
	}
	return trial.Trial{ID: id, Pod: pod, Faults: []trial.Fault{trial.DeleteWithin(3)}, Lasts: 8 * time.Second,
		Nightly: true}, true
}

func overview(r run.Run, catalogue func(string) (trial.Trial, bool)) view.Overview {
	return view.OverviewOf(r, catalogue)
}

func rendered(t testing.TB, r run.Run, catalogue func(string) (trial.Trial, bool)) []byte {
	t.Helper()
	var b bytes.Buffer
	NewWithT(t).Expect(Report(&b, overview(r, catalogue), catalogue)).To(Succeed())
	return b.Bytes()
}
