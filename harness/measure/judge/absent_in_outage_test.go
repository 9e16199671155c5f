package judge

import (
	"testing"
	"time"

	"github.com/onsi/gomega"

	"github.com/podclock/podclock/harness/measure/delay"
	"github.com/podclock/podclock/harness/measure/mark"
	"github.com/podclock/podclock/harness/measure/trial"
)

// An outage may have lost the mark.
func TestAbsentInOutage(t *testing.T) {
	for name, c := range map[string]struct {
		delays delay.Record
		want   trial.Verdict
	}{
		"no outage":             {delay.Record{}, trial.Deviates},
		"while it was due":      {outageOf(mark.Kubelet, 12*time.Second, 15*time.Second), trial.Inconclusive},
		"soon after it was due": {outageOf(mark.Kubelet, 20*time.Second, 23*time.Second), trial.Inconclusive},
		"long after it was due": {outageOf(mark.Kubelet, 40*time.Second, 43*time.Second), trial.Deviates},
		"too short for an outage": {
			outageOf(mark.Kubelet, 12*time.Second, 12*time.Second+delay.MinOutage-1), trial.Deviates,
		},
	} {
		t.Run(name, func(t *testing.T) {
			tl := lifeOf(0)
			tl.Life(trial.Main, 1).Gone = nil
			tl.Known = zero + int64(time.Minute)
			f := judgeOne(dying(narrowPromise), tl, c.delays)
			gomega.NewWithT(t).Expect(f.Verdict).To(gomega.Equal(c.want), f.Why)
		})
	}
}
