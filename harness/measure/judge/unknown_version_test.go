package judge

import (
	"testing"
	"time"

	"github.com/onsi/gomega"

	"github.com/podclock/podclock/harness/measure/delay"
	"github.com/podclock/podclock/harness/measure/trial"
	"github.com/podclock/podclock/harness/rules/formula"
)

func TestUnknownVersion(t *testing.T) {
	g := gomega.NewWithT(t)
	tl := lifeOf(5 * time.Second)
	for _, version := range []string{"nightly", "", "1.36.3"} {
		r := Judge(dying(narrowPromise), tl, delay.Record{}, formula.Kubelet{Version: version})
		g.Expect(r.Verdict).To(gomega.Equal(trial.Unsupported))
		g.Expect(r.Findings).To(gomega.BeEmpty())
		g.Expect(r.Doubts).To(gomega.ConsistOf(gomega.ContainSubstring("no such version")))
	}
	r := Judge(dying(narrowPromise), tl, delay.Record{}, newest)
	g.Expect(r.Verdict).To(gomega.Equal(trial.Conforms))
}
