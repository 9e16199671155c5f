package run

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/onsi/gomega"

	"github.com/podclock/podclock/harness/measure/delay"
	"github.com/podclock/podclock/harness/measure/mark"
	"github.com/podclock/podclock/harness/measure/timeline"
	"github.com/podclock/podclock/harness/measure/trial"
	"github.com/podclock/podclock/harness/rules/formula"
)

const second = int64(time.Second)

// watched returns a run of one subject on one node with this evidence.
func watched(n Node) Run {
	n.Name, n.Subject, n.Watched = "worker", "v1.36.3", true
	return Run{
		Subjects: []Subject{{Name: "v1.36.3", Node: "worker"}},
		Nodes:    []Node{n},
		Outcomes: []Outcome{{Trial: "a/b", Subject: "v1.36.3", Verdict: trial.Conforms, Attempts: []Attempt{{}}}},
	}
}

// silent returns a node whose kubelet did not answer for three seconds, while the node was busy for so long.
func silent(busy time.Duration, others ...delay.Outage) Node {
	return Node{Delays: delay.Record{
		PSI:        []delay.Sample{{At: 9 * second}, {At: 14 * second, CPUNS: int64(busy)}},
		Unanswered: append(others, delay.Outage{Component: mark.Kubelet, From: 10 * second, To: 13 * second}),
	}}
}

func TestConduct(t *testing.T) {
	for name, c := range map[string]struct {
		node        Node
		disturbance string
		want        trial.Verdict
	}{
		"a kubelet that runs":              {Node{}, "", trial.Conforms},
		"an exit":                          {Node{Exits: []string{"panic: boom"}}, "", trial.Deviates},
		"an evicted recorder":              {Node{Evicted: "recorder-worker: low on memory"}, "", trial.Deviates},
		"an exit during a disturbance":     {Node{Exits: []string{"panic: boom"}}, "kubelet", trial.Deviates},
		"a hang":                           {silent(0), "", trial.Deviates},
		"a hang on a slightly busy node":   {silent(time.Second), "", trial.Deviates},
		"a hang on a busy node":            {silent(2 * time.Second), "", trial.Conforms},
		"a hang that podclock caused":      {silent(0), "kubelet", trial.Conforms},
		"a hang without container runtime": {silent(0, outage(mark.ContainerRuntime)), "", trial.Conforms},
	} {
		t.Run(name, func(t *testing.T) {
			r := watched(c.node)
			r.Disturbance = c.disturbance
			for range 2 { // a second check replaces the first one
				r.Check()
			}
			g := gomega.NewWithT(t)
			g.Expect(r.Outcomes).To(gomega.HaveLen(2))
			g.Expect(r.Outcomes[1].Verdict).To(gomega.Equal(c.want))
			g.Expect(r.ExitCode() == ExitDeviates).To(gomega.Equal(c.want == trial.Deviates))
			again, changes := Rejudge(r, func(string) (trial.Trial, bool) { return trial.Trial{}, false })
			i := slices.IndexFunc(again.Outcomes, IsCheck)
			g.Expect(again.Outcomes[i].Verdict).To(gomega.Equal(c.want))
			g.Expect(slices.ContainsFunc(changes, func(c Change) bool { return c.Trial == r.Outcomes[1].Trial })).
				To(gomega.BeFalse())
		})
	}
}

// A node of a pool has no subject of its own. The subject that it was when its recorder ended has ended it.
func TestConductOnAPool(t *testing.T) {
	g := gomega.NewWithT(t)
	r := watched(Node{})
	r.Nodes = append(r.Nodes, Node{Name: "pooled", Evicted: "recorder: low on memory", EvictedBy: "one"})
	for _, name := range []string{"one", "two"} {
		r.Subjects = append(r.Subjects, Subject{Name: name, Lane: NodeLane})
		r.Outcomes = append(r.Outcomes, Outcome{Trial: "a/b", Subject: name, Attempts: []Attempt{{}}})
	}
	r.Check()
	verdicts := map[string]trial.Verdict{}
	for _, o := range r.Outcomes {
		if IsCheck(o) {
			verdicts[o.Subject] = o.Verdict
		}
	}
	g.Expect(verdicts).To(gomega.Equal(map[string]trial.Verdict{"v1.36.3": trial.Conforms, "one": trial.Deviates}))
}

// One counted failure that no container saw may be lost on a busy node. One in each of twelve trials is not.
func TestUnseenFailures(t *testing.T) {
	for unseen, want := range map[int]trial.Verdict{0: trial.Conforms, 1: trial.Conforms, 12: trial.Deviates} {
		r := watched(Node{})
		r.Outcomes = nil
		for i := range 12 {
			counted := 0
			if i < unseen {
				counted = 1
			}
			evidence := timeline.Evidence{
				Marks: []mark.Record{{
					Seq: 1, At: second, Conn: 1, Identity: mark.Identity{Container: "victim", Role: mark.Run}, Life: 1,
					Kind: mark.Connected,
				}},
				Counters: &timeline.Counters{Failed: map[string]map[string]int{"victim": {"liveness": counted}}},
			}
			r.Outcomes = append(r.Outcomes, Outcome{
				Trial: fmt.Sprint("probes/", i), Subject: "v1.36.3", Verdict: trial.Conforms,
				Attempts: []Attempt{{Evidence: evidence}},
			})
		}
		r.Check()
		i := slices.IndexFunc(r.Outcomes, func(o Outcome) bool { return o.Trial == "kubelet/conduct" })
		gomega.NewWithT(t).Expect(r.Outcomes[i].Verdict).To(gomega.Equal(want), "%d unseen", unseen)
	}
}

func outage(of string) delay.Outage {
	return delay.Outage{Component: of, From: 10 * second, To: 13 * second}
}

// A run of an earlier podclock did not search for exits, and a subject that never ran has no conduct.
func TestNoConductWithoutEvidence(t *testing.T) {
	g := gomega.NewWithT(t)
	r := watched(Node{})
	r.Nodes[0].Watched = false
	r.Check()
	g.Expect(r.Outcomes).To(gomega.HaveLen(1))
	r = watched(Node{})
	r.Outcomes[0].Attempts = nil
	r.Check()
	g.Expect(r.Outcomes).To(gomega.HaveLen(1))
}

// kills returns a run of 30 kills, and the outcome that judges their values together.
func kills(value int64, change func(*trial.Finding)) (Run, func() []Outcome) {
	r := watched(Node{})
	r.Outcomes = nil
	for i := range int64(30) {
		from := i * 60 * second
		f := trial.Finding{
			Formula: formula.KillStart.ID, Verdict: trial.Conforms,
			Implemented: formula.KillStart.Implemented(formula.Input{}),
			Measured:    &trial.Measured{Unit: formula.Nanoseconds, Value: value, From: from, To: from + value},
		}
		change(&f)
		r.Outcomes = append(r.Outcomes, Outcome{
			Trial: "termination/grace-" + fmt.Sprint(i), Subject: "v1.36.3", Verdict: f.Verdict,
			Attempts: []Attempt{{Result: trial.Result{Findings: []trial.Finding{f}}}},
		})
	}
	return r, func() []Outcome {
		r.Check()
		return slices.DeleteFunc(slices.Clone(r.Outcomes), func(o Outcome) bool { return o.Trial != "kubelet/values" })
	}
}

// Kills that all begin 900 ms after their delete are inside their windows, but no sample of a kubelet that is on time.
func TestValues(t *testing.T) {
	g := gomega.NewWithT(t)
	_, checked := kills(second*9/10, func(*trial.Finding) {})
	late := checked()
	g.Expect(late).To(gomega.HaveLen(1))
	g.Expect(late[0].Verdict).To(gomega.Equal(trial.Deviates))
	g.Expect(late[0].Reason()).To(gomega.ContainSubstring("of 30 values are in the late part"))
}

// Kills that delay excuses, and that all begin where a mistake would put them, deviate together.
func TestExcusedValues(t *testing.T) {
	g := gomega.NewWithT(t)
	_, checked := kills(20*second, func(f *trial.Finding) {
		f.Verdict = trial.Inconclusive
		f.Mistakes = []trial.Mistake{{Diagnosis: trial.Diagnosis{Name: "the mistake", Would: formula.Window{
			Unit: formula.Nanoseconds, Earliest: 19 * second, Latest: 21 * second,
		}}, Beyond: true}}
	})
	excused := checked()
	g.Expect(excused).To(gomega.HaveLen(1))
	g.Expect(excused[0].Verdict).To(gomega.Equal(trial.Deviates))
	g.Expect(excused[0].Reason()).To(gomega.ContainSubstring("30 of 30 misses"))
}

// A disturbance makes all values unusual.
func TestNoValuesOfDisturbedRuns(t *testing.T) {
	r, _ := kills(second*9/10, func(*trial.Finding) {})
	r.Disturbance = "disk"
	r.Check()
	gomega.NewWithT(t).Expect(slices.ContainsFunc(r.Outcomes, func(o Outcome) bool {
		return o.Trial == "kubelet/values"
	})).To(gomega.BeFalse())
}
