package judge

import (
	"testing"
	"time"

	"github.com/onsi/gomega"

	"github.com/podclock/podclock/harness/measure/delay"
	"github.com/podclock/podclock/harness/measure/trial"
)

// A value inside both windows conforms and needs no reason, with or without delay.
func TestInside(t *testing.T) {
	for _, delays := range []delay.Record{{}, busyFor(time.Second)} {
		f := judgeOne(dying(narrowPromise), lifeOf(5*time.Second), delays)
		gomega.NewWithT(t).Expect(f.Verdict).To(gomega.Equal(trial.Conforms))
		gomega.NewWithT(t).Expect(f.Why).To(gomega.BeEmpty())
	}
}
