package reports

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"time"

	. "github.com/onsi/gomega"

	"github.com/podclock/podclock/harness/delay"
	"github.com/podclock/podclock/harness/timeline"
	"github.com/podclock/podclock/harness/trial"
)

// withContext is the fixture's mutant with all that a lab adds to a deviating attempt.
func withContext(r Run) (Run, Outcome) {
	at := func(d time.Duration, late int64) timeline.Instant { return timeline.Instant{At: seenAt(d), Late: late} }
	for i := range r.Outcomes {
		o := &r.Outcomes[i]
		if o.Verdict != trial.Deviates {
			continue
		}
		a := &o.Attempts[0]
		grace := int64(2)
		a.Evidence.API = []timeline.Change{
			{
				At:         at(-2*time.Second, 0),
				Phase:      "Pending",
				Conditions: []string{"PodScheduled"},
				Containers: []timeline.ContainerStatus{
					{Name: trial.Main, State: "waiting", Reason: "ContainerCreating"}},
			},
			{
				At:    at(8*time.Second, 0),
				Phase: "Running",
				Containers: []timeline.ContainerStatus{
					{Name: trial.Main, State: "running", RestartCount: 1, Ready: true,
						Ended: &timeline.End{Life: 1, ExitCode: 137, FinishedAt: began.Add(7 * time.Second).Unix()}},
				},
			},
			{
				At:                         at(30*time.Second, 0),
				Deleted:                    true,
				DeletionTimestamp:          began.Add(32 * time.Second).Unix(),
				DeletionGracePeriodSeconds: &grace,
			},
		}
		a.Evidence.Events = []timeline.Event{
			{
				At:        at(5600*time.Millisecond, 0),
				Container: trial.Main,
				Reason:    "Unhealthy",
				Message:   "Liveness probe failed:\n exit 1",
				Count:     3,
			},
		}
		done := at(29*time.Second, 0)
		a.Evidence.Cues = []timeline.Cue{
			{What: "restart-kubelet", At: at(28*time.Second, 3_000_000), Done: &done},
			{What: "evict", At: at(29*time.Second, 0), Status: 429},
		}
		a.Evidence.Counters = &timeline.Counters{
			Answered: at(20*time.Second, 0),
			Failed:   map[string]map[string]int{trial.Main: {"liveness": 5, "readiness": 1}},
		}
		a.Evidence.Losses = []delay.Loss{
			{From: seenAt(21 * time.Second), To: seenAt(22 * time.Second), Why: "the recorder was restarted"},
		}
		a.Evidence.Cut = "the node went away"
		a.Deviation = &trial.Deviation{
			Pods: []json.RawMessage{
				json.RawMessage(`{"metadata":{"name":"failing","namespace":"podclock","managedFields":[{}]},` +
					`"spec":{"containers":[{"name":"victim","securityContext":{"runAsUser":10000001}}],"terminationGracePeriodSeconds":2},"status":{"phase":"Pending"}}`),
			},
			NodeLog: []string{
				`2026-03-02T10:00:05.560000+00:00 podclock-worker2 kubelet[123]: I0302 prober.go:120] "Probe failed"`,
			},
		}
		return r, *o
	}
	return r, Outcome{}
}

func TestDeviationGolden(t *testing.T) {
	g := NewWithT(t)
	r, o := withContext(fixture())
	r.Nodes[1].Delays = delay.Record{LateTicks: []delay.Span{
		{
			From: seenAt(6 * time.Second),
			To:   seenAt(6040 * time.Millisecond),
		},
		{From: seenAt(time.Hour), To: seenAt(2 * time.Hour)},
	}}
	var b bytes.Buffer
	g.Expect(RenderDeviation(&b, r, o)).To(Succeed())
	golden(t, "deviation", b.Bytes())

	b.Reset()
	plain := fixture()
	for _, o := range plain.Outcomes {
		if o.Verdict == trial.Deviates {
			o.Attempts[0].Deviation = &trial.Deviation{Missing: "the node did not answer"}
			g.Expect(RenderDeviation(&b, plain, o)).To(Succeed())
		}
	}
	golden(t, "deviation-bare", b.Bytes())
}

// A run's other reports are written after its deviations, so that one of these must not fail over a pod.
func TestAPodThatCannotBeReadIsTold(t *testing.T) {
	g := NewWithT(t)
	r, o := withContext(fixture())
	o.Last().Deviation.Pods = []json.RawMessage{
		json.RawMessage(`{`),
		json.RawMessage(`null`),
		o.Last().Deviation.Pods[0],
	}
	var b bytes.Buffer
	g.Expect(RenderDeviation(&b, r, o)).To(Succeed())
	g.Expect(b.String()).
		To(And(ContainSubstring("Pod 1 can't be read: unexpected EOF.\nPod 2 can't be read: it is null.\n"), ContainSubstring("terminationGracePeriodSeconds: 2")))
}

func TestDeviationOfWhatNeverRanIsAnError(t *testing.T) {
	g := NewWithT(t)
	g.Expect(RenderDeviation(&bytes.Buffer{}, fixture(), Outcome{Trial: "a/b", Subject: clean})).
		To(MatchError(ContainSubstring("a/b on " + clean)))
}

func TestEveryDeviationHasAFile(t *testing.T) {
	g := NewWithT(t)
	dir := t.TempDir()
	r, o := withContext(fixture())
	g.Expect(Write(dir, r)).To(Succeed())
	files, err := os.ReadDir(filepath.Join(dir, DeviationsFolder))
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(files).To(HaveLen(r.Count(trial.Deviates)))
	g.Expect(files[0].Name()).To(Equal(DeviationFile(o)))
	for _, name := range []string{RunFile, JUnitFile, MarkdownFile} {
		g.Expect(filepath.Join(dir, name)).To(BeARegularFile())
	}

	g.Expect(Write(t.TempDir(), conforming())).To(Succeed())
	none := t.TempDir()
	g.Expect(WriteDeviations(none, conforming())).To(Succeed())
	g.Expect(filepath.Join(none, DeviationsFolder)).NotTo(BeADirectory())
}

func TestDeviationFilesDoNotCollide(t *testing.T) {
	g := NewWithT(t)
	name := func(subject string) string { return DeviationFile(Outcome{Trial: "a/b", Subject: subject}) }
	g.Expect(name(mutant)).To(Equal("a-b-v1.36.3+resultrun-one.md"))
	g.Expect(name("v1.36.3@./a/kubelet")).To(MatchRegexp(`^a-b-v1\.36\.3-\.-a-kubelet-[0-9a-f]{8}\.md$`))
	g.Expect(name("v1.36.3@./a/kubelet")).NotTo(Equal(name("v1.36.3@./a@kubelet")))
}
