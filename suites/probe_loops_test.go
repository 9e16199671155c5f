package suites

import (
	"slices"
	"testing"
	"time"

	. "github.com/onsi/gomega"

	"github.com/podclock/podclock/harness/measure/delay"
	"github.com/podclock/podclock/harness/measure/judge"
	"github.com/podclock/podclock/harness/measure/timeline"
	"github.com/podclock/podclock/harness/measure/trial"
	"github.com/podclock/podclock/harness/predict"
	"github.com/podclock/podclock/harness/rules/formula"
)

// The trials of probe loops, whose process exits on SIGTERM at once: for every restart, the window that is predicted
// from the manifest contains the claim's window, which follows from the measured lives.
func TestPredictedProbeLoopsContainTheWindowsOfVerdicts(t *testing.T) {
	evidence, compared := readEvidence(t), 0
	for _, tr := range Catalogue() {
		atOnce := time.Duration(0)
		for _, version := range readings {
			if r, known := evidence[tr.ID]; known && claimsProbeLoop(tr) {
				k := r.Kubelet
				k.Version = version
				k, _ = k.AsReleased()
				if slices.ContainsFunc(tr.Needs, func(c formula.Change) bool { return !k.Has(c) }) {
					continue
				}
				tl := timeline.Build(r.Evidence, delay.Record{})
				p := predict.All(asManifest(t, tr), k, predict.Options{ExitsAfter: &atOnce})[0]
				compared += compareProbeLoop(t, tr, judge.Judge(tr, tl, delay.Record{}, k).Findings, p, version)
			}
		}
	}
	NewWithT(t).Expect(compared).To(BeNumerically(">=", len(readings)*(4+4+3+9)), "the restarts of four trials")
}

func claimsProbeLoop(tr trial.Trial) bool {
	return slices.ContainsFunc(tr.Claims, func(c trial.Claim) bool {
		return c.Formula.ID == formula.RestartDelayAfterProbe.ID
	})
}

// compareProbeLoop returns how many restarts it compared.
func compareProbeLoop(
	t *testing.T, tr trial.Trial, found []trial.Finding, p predict.Prediction, version string,
) (compared int) {
	g := NewWithT(t)
	g.Expect(p.Containers[0].Answers.ProbeLoops).To(HaveLen(1), tr.ID)
	restarts := p.Containers[0].Answers.ProbeLoops[0].Restarts
	for _, c := range tr.Claims {
		if c.Formula.ID != formula.RestartDelayAfterProbe.ID {
			continue
		}
		f := found[slices.IndexFunc(found, func(f trial.Finding) bool { return f.Claim == c.ID() })]
		own, wait := unobserved(f.Implemented), restarts[compared].Wait
		g.Expect(int64(wait.Earliest)).To(BeNumerically("<=", own.Earliest), "%s by %s: %s", tr.ID, version, f.Claim)
		g.Expect(int64(wait.Latest)).To(BeNumerically(">=", own.Latest), "%s by %s: %s", tr.ID, version, f.Claim)
		compared++
	}
	return compared
}
