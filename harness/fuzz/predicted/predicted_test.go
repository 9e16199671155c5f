package predicted

import (
	"context"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/onsi/gomega"

	"github.com/podclock/podclock/harness/fuzz"
	"github.com/podclock/podclock/harness/fuzz/internal/scenario"
	"github.com/podclock/podclock/harness/kubelets"
	"github.com/podclock/podclock/harness/kubelets/builder"
	"github.com/podclock/podclock/harness/measure/trial"
	"github.com/podclock/podclock/harness/predict"
	"github.com/podclock/podclock/harness/rules/formula"
	"github.com/podclock/podclock/harness/rules/lifecycle"
)

// newest returns the virtual node of the newest kubelet, and builds it if necessary.
func newest(t *testing.T) fuzz.Node {
	t.Helper()
	s, err := kubelets.ParseSubject("virtual:" + kubelets.VirtualVersions()[0])
	if err != nil {
		t.Fatal(err)
	}
	binary, err := builder.Build(t.Context(), s, builder.Options{Log: os.Stderr})
	if err != nil {
		t.Fatalf("%s: %v", s, err)
	}
	return fuzz.Node{Name: s.String(), Binary: binary.Path, Env: binary.Env}
}

// Predictions of some random manifests contain what the kubelet's code does with them.
func TestPredictions(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds a virtual node")
	}
	g := gomega.NewWithT(t)
	p := New(newest(t))
	report := fuzz.Campaign{
		Runner: p, Seed: 1, Scenarios: Few, AtOnce: runtime.NumCPU(), Shrinking: time.Minute,
	}.Run(t.Context())
	g.Expect(report.Kinds()).To(gomega.BeEmpty())
	g.Expect(report.Lacks(Few, 0)).To(gomega.BeEmpty())
	g.Expect(Lacks(p.Summary(), Few)).To(gomega.BeEmpty())
}

// A prediction with a mistake is found, of every family and kind of answer.
func TestWrongPredictionsAreFound(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds a virtual node")
	}
	n := newest(t)
	for name, c := range map[string]struct {
		family string
		wrong  func(*predict.Container)
		kind   string
	}{
		"a death that is late":    {"delete", late(lifecycle.Gone), "prediction of death by termination/"},
		"a late answer":           {"delete", lateAnswer, "prediction of death by the answer "},
		"a phase that never came": {"delete", named(lifecycle.ObjectDeleted, lifecycle.Failed), "prediction of phase-failed by "},
		"another exit code":       {"delete", another("exit-code"), "prediction of exit-code by "},
		"a hook that runs twice":  {"delete", another("hook-runs"), "prediction of hook-runs by "},
		"a start that is late":    {"restart-rule", late("start-2"), "prediction of start-2 by "},
		"no start":                {"restart-rule", unrestarted, "prediction of no restart after crash"},
		"a late kill for all":     {"restart-rule", late("first-start"), "prediction of first-start by "},
		"a late startup probe":    {"startup", late("liveness-first-probe"), "prediction of liveness-first-probe by "},
		"a pod that is ready late": {"startup", late(lifecycle.Ready),
			"prediction of condition-ready by probes/"},
		"a kill by a startup probe": {"probe-kill", late(lifecycle.LastProbe), "prediction of last-probe by "},
		"a late deadline":           {"deadline", late(lifecycle.SIGTERM), "prediction of sigterm by "},
		"a late eviction":           {"evicted", late(lifecycle.Gone), "prediction of death by "},
		"a late preemption":         {"preempted", late(lifecycle.Gone), "prediction of death by "},
		"a late shutdown":           {"shut-down", late(lifecycle.Gone), "prediction of death by "},
		"a late taint":              {"tainted", late(lifecycle.Gone), "prediction of death by "},
		"a late sidecar":            {"sidecars", late(lifecycle.SIGTERM), "prediction of sigterm by "},
		"all killed at once":        {"together", atOnce, "prediction of "},
	} {
		t.Run(name, func(t *testing.T) {
			p, wrong := New(n), c.wrong
			p.predict = func(w []predict.Workload, k formula.Kubelet, o predict.Options) []predict.Prediction {
				all := predict.All(w, k, o)
				for i := range all[0].Containers {
					wrong(&all[0].Containers[i])
				}
				return all
			}
			r := fuzz.Campaign{Runner: of(c.family, p), Seed: 1, Scenarios: fuzz.Many, AtOnce: 2, Kinds: 1,
				Shrinking: time.Millisecond}.Run(t.Context())
			gomega.NewWithT(t).Expect(r.Kinds()).To(gomega.ContainElement(gomega.HavePrefix(c.kind)))
		})
	}
}

// of plays the scenarios of one family only.
func of(family string, r fuzz.Runner) fuzz.Runner { return only{r, family} }

type only struct {
	fuzz.Runner
	family string
}

func (o only) Run(ctx context.Context, tr trial.Trial) (trial.Outcome, error) {
	if scenario.Family(tr) != o.family {
		return trial.Outcome{Verdict: trial.Conforms}, nil
	}
	return o.Runner.Run(ctx, tr)
}

// every changes the steps of every timeline.
func every(change func(*predict.Timeline, *predict.Step)) func(*predict.Container) {
	return func(c *predict.Container) {
		for i := range c.Timelines {
			for j := range c.Timelines[i].Steps {
				change(&c.Timelines[i], &c.Timelines[i].Steps[j])
			}
		}
	}
}

// late delays a step by more than any budget.
func late(id string) func(*predict.Container) {
	return every(func(_ *predict.Timeline, s *predict.Step) {
		if s.ID == id {
			s.At = plus(s.At, predict.Span{Earliest: 20 * time.Second, Latest: 20 * time.Second})
		}
	})
}

// lateAnswer delays the death of sentences only.
func lateAnswer(c *predict.Container) {
	for i := range c.Answers.Kills {
		c.Answers.Kills[i].Dead.Earliest = c.Answers.Kills[i].Dead.Latest
	}
}

// named gives a step the name of another one.
func named(id, other string) func(*predict.Container) {
	return every(func(_ *predict.Timeline, s *predict.Step) {
		if s.ID == id {
			s.ID = other
		}
	})
}

// another changes a value.
func another(id string) func(*predict.Container) {
	return func(c *predict.Container) {
		for _, l := range c.Timelines {
			for i := range l.Values {
				if w := &l.Values[i].Implemented; l.Values[i].ID == id {
					w.Earliest, w.Latest = w.Earliest+1, w.Latest+1
				}
			}
		}
	}
}

// unrestarted leaves out everything from the first restart on.
func unrestarted(c *predict.Container) {
	for i := range c.Timelines {
		l := &c.Timelines[i]
		if n := slices.IndexFunc(l.Steps, func(s predict.Step) bool { return s.Life > 1 }); n >= 0 {
			l.Steps = l.Steps[:n]
		}
	}
}

// atOnce kills containers that fail together at once, not one after another.
var atOnce = every(func(l *predict.Timeline, s *predict.Step) {
	if strings.HasPrefix(l.Variant, "together with ") && (s.ID == lifecycle.HookBegan || s.ID == lifecycle.SIGTERM) {
		for _, probe := range l.Steps {
			if probe.ID == lifecycle.FirstProbe || probe.ID == lifecycle.LastProbe {
				s.At = plus(probe.At, predict.Span{Latest: 2 * time.Second})
			}
		}
	}
})

// Windows are too wide if their events come in less than half of them.
func TestWideWindowsAreFound(t *testing.T) {
	g := gomega.NewWithT(t)
	var narrow, wide fuzz.Part
	w := formula.Window{Unit: formula.Nanoseconds}.With(formula.Term{Name: "back-off", Latest: 100}).
		With(formula.Term{Name: budgets[0], Latest: 1000})
	for i := range int64(enough) {
		add(&narrow, bare(w), 20+i*60/(enough-1))
		add(&wide, bare(w), 20+i*40/(enough-1))
	}
	g.Expect(isWide(&narrow)).To(gomega.BeFalse())
	g.Expect(isWide(&wide)).To(gomega.BeTrue())
}

// Parts are judged of many scenarios only. What is too wide must be listed, and what is listed must be too wide.
func TestImprecise(t *testing.T) {
	g := gomega.NewWithT(t)
	narrow, wide := &fuzz.Part{Waits: enough, Last: 1}, &fuzz.Part{Waits: enough}
	s := fuzz.Predicted{
		Formulas: map[string]*fuzz.Part{
			"a/b": wide,
			"a/c": narrow,
		}, Answers: map[string]*fuzz.Part{"taint death": narrow},
	}
	version := kubelets.VirtualVersions()[0]
	tooMany, needless := Imprecise(s, precise-1, version)
	g.Expect(tooMany).To(gomega.BeEmpty())
	g.Expect(needless).To(gomega.BeEmpty())
	tooMany, needless = Imprecise(s, precise, version)
	g.Expect(tooMany).To(gomega.Equal([]string{"a/b"}))
	g.Expect(needless).To(gomega.ConsistOf(gomega.HavePrefix("as the ones above")))
}

func TestSummaryLacks(t *testing.T) {
	g := gomega.NewWithT(t)
	g.Expect(Lacks(fuzz.Predicted{Steps: Few + 1}, Few)).To(gomega.BeEmpty())
	g.Expect(Lacks(fuzz.Predicted{Steps: 1}, 1)).To(gomega.BeEmpty())
	g.Expect(Lacks(fuzz.Predicted{Steps: 3}, Few)).
		To(gomega.Equal([]string{"only 3 steps of 25 scenarios were compared"}))
}
