package judge

import (
	"testing"
	"time"

	"github.com/onsi/gomega"

	"github.com/podclock/podclock/harness/measure/delay"
	"github.com/podclock/podclock/harness/measure/trial"
	"github.com/podclock/podclock/harness/rules/formula"
)

// A trial that needs a feature is unsupported on a kubelet without it.
func TestMissingFeature(t *testing.T) {
	g := gomega.NewWithT(t)
	needy := dying(narrowPromise)
	needy.Needs = []formula.Change{formula.SleepAction}
	r := Judge(needy, lifeOf(5*time.Second), delay.Record{}, formula.Kubelet{Version: "v1.23.1"})
	g.Expect(r.Verdict).To(gomega.Equal(trial.Unsupported))
	g.Expect(r.Doubts).To(gomega.ConsistOf(gomega.ContainSubstring("KEP-3960")))
	g.Expect(Judge(needy, lifeOf(5*time.Second), delay.Record{}, newest).Verdict).NotTo(gomega.Equal(trial.Unsupported))
}
