package trial

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/onsi/gomega"

	"github.com/podclock/podclock/harness/rules/formula"
	"github.com/podclock/podclock/harness/rules/lifecycle"
)

// ending are measures by the container that they end in, "" for the pod and its node.
var ending = map[string][]Measure{
	Main: {
		Between(Injected, Gone), Between(Gone, Started.Life(2)), Between(Gone.Of("first"), SIGTERM),
		Between(Started, FirstProbe("liveness")), Between(Gone.Life(2), Waiting("CrashLoopBackOff").Life(2)),
		Between(PullAttempt(1), PullAttempt(2)), Between(Filled, PostStartEnded), Apart(Gone.Of("init"), Gone),
		Between(FaultDone, ProbeAfterRestart("liveness").Number(2)), Between(Created(""), Started),
		Between(SIGTERM, LastProbe("startup")), Between(Started, NthProbe("readiness", 3).Life(2)),
		Between(Started, Answered("liveness", letter('F')).Number(2)),
	},
	"neighbour": {
		Between(SIGTERM, SIGTERM.Of("neighbour")), Apart(Gone, HookBegan.Of("neighbour")),
		Between(Created("neighbour"), Started.Of("neighbour")),
		Between(Started, Answered("liveness", letter('F')).Of("neighbour")),
	},
	"layer-neighbour": {
		Between(SIGTERM.Of("layer-neighbour"), Gone.Of("layer-neighbour")),
		Between(SIGTERM.Of("neighbour"), Gone.Of("layer-neighbour").Life(3)),
		Between(Gone.Of("layer-neighbour"), Waiting("CrashLoopBackOff").Of("layer-neighbour")),
		Between(Created("layer-neighbour"), PullAttempt(1).Of("layer-neighbour")),
	},
	"first": {
		Between(Injected, Gone.Of("first")), Between(Started, FirstProbe("liveness").Of("first")),
		Between(Started, Event("Killing").Of("first")),
	},
	"init": {Between(Gone.Of("init"), Started.Of("init").Life(2))},
	"": {
		Between(Gone, ObjectDeleted), Between(Gone, Phase("Failed")), Between(Injected, DeletionBegan),
		Between(Started, Condition("Ready")), Between(SIGTERM, NoCondition("Ready").Number(2)),
		Between(PostStartEnded, Event("FailedPostStartHook")),
		Between(Started.Life(3), Event("ResizeCompleted").Life(3)),
		Between(Filled, NodeCondition("DiskPressure")),
		Between(Injected, NoNodeCondition("DiskPressure")), Between(Gone, Injected.Number(2)), Between(Gone, FaultDone),
		Between(Injected, PodStartTime), Apart(Gone, ObjectDeleted), Between(Created(""), Event("Failed").Of(Main)),
	},
}

func TestPointsOfAnEarlierRun(t *testing.T) {
	for want, measures := range ending {
		for _, m := range measures {
			t.Run(m.String(), func(t *testing.T) {
				g := gomega.NewWithT(t)
				saved, err := json.Marshal(Result{Findings: []Finding{
					{Claim: m.String(), Implemented: formula.Window{Unit: formula.Nanoseconds}},
				}})
				g.Expect(err).NotTo(gomega.HaveOccurred())
				g.Expect(string(saved)).NotTo(gomega.ContainSubstring(`"to"`))
				var r Result
				g.Expect(json.Unmarshal(saved, &r)).To(gomega.Succeed())
				from, to := r.Findings[0].From, r.Findings[0].To
				g.Expect(to.Owner()).To(gomega.Equal(want))
				g.Expect(Measure{From: from, To: to, apart: m.apart}.String()).To(gomega.Equal(m.String()))
				g.Expect(from).To(gomega.Equal(lower(m.From)))
				g.Expect(to).To(gomega.Equal(lower(m.To)))
			})
		}
	}
}

// lower returns a point without what its name omits: upper case, the main container of an event, and first numbers.
func lower(p Point) Point {
	p.Kind, p.Answer = strings.ToLower(p.Kind), strings.ToLower(p.Answer)
	if p.Event == lifecycle.Pulled {
		p.LifeNumber = 1
	}
	if p.Event == lifecycle.Shown {
		p.Container = p.Owner()
	}
	if p.Nth == 1 {
		p.Nth = 0
	}
	return p
}

func TestPointsOfUnknownNames(t *testing.T) {
	g := gomega.NewWithT(t)
	for _, claim := range []string{"death-to-lunch", "lunch", ""} {
		g.Expect(named(claim).To.Owner()).To(gomega.Equal(Main), "of %q", claim)
	}
}

func TestSavedPoints(t *testing.T) {
	for _, measures := range ending {
		for _, m := range measures {
			g := gomega.NewWithT(t)
			saved := Result{Verdict: Conforms, Findings: []Finding{{Claim: m.String(), From: m.From, To: m.To}}}
			text, err := json.Marshal(saved)
			g.Expect(err).NotTo(gomega.HaveOccurred())
			var r Result
			g.Expect(json.Unmarshal(text, &r)).To(gomega.Succeed())
			g.Expect(r).To(gomega.Equal(saved))
		}
	}
	g := gomega.NewWithT(t)
	count := Result{Findings: []Finding{{Claim: "hook-runs", Implemented: formula.Window{Unit: formula.Count}}}}
	text, err := json.Marshal(count)
	g.Expect(err).NotTo(gomega.HaveOccurred())
	var r Result
	g.Expect(json.Unmarshal(text, &r)).To(gomega.Succeed())
	g.Expect(r).To(gomega.Equal(count), "a count has no points")
}
