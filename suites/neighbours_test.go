package suites

import (
	"testing"

	. "github.com/onsi/gomega"

	"github.com/podclock/podclock/harness/measure/delay"
	"github.com/podclock/podclock/harness/measure/judge"
	"github.com/podclock/podclock/harness/measure/timeline"
	"github.com/podclock/podclock/harness/measure/trial"
	"github.com/podclock/podclock/harness/rules/formula"
)

// What the newest release did is judged as another release's: the diagnosis names the change between them.
func TestNeighboursExplainOtherReleases(t *testing.T) {
	all := readEvidence(t)
	for _, c := range []struct {
		trial, version string
		change         formula.Change
	}{
		{"probes/startup-after-liveness-kill", "v1.34.12", formula.StartedInherited},
		{"termination/force-hook-hangs", "v1.30.14", formula.ZeroGraceIsOne},
	} {
		r := all[c.trial]
		result := func(version string) trial.Result {
			r.Kubelet.Version = version
			return judge.Judge(byID[c.trial], timeline.Build(r.Evidence, delay.Record{}), delay.Record{}, r.Kubelet)
		}
		g := NewWithT(t)
		g.Expect(result(r.Kubelet.Version).Verdict).NotTo(Equal(trial.Deviates), c.trial)
		other := result(c.version)
		g.Expect(other.Verdict).To(Equal(trial.Deviates), c.trial)
		for _, f := range other.Findings {
			if f.Verdict == trial.Deviates {
				g.Expect(f.Diagnosis).To(HaveValue(And(HaveField("Reference", c.change.Reference),
					HaveField("Name", HaveSuffix(": "+c.change.Name)))), "%s: %s", c.trial, f.Claim)
			}
		}
	}
}
