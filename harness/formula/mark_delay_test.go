package formula

import (
	"testing"
	"time"

	"github.com/onsi/gomega"
)

// Node delay may have moved a tick, so the window allows one tick earlier. Nothing else changes.
func TestMarkDelay(t *testing.T) {
	probe := Probe{
		Kind:                "liveness",
		Handler:             "tcp",
		PeriodSeconds:       2,
		FailureThreshold:    3,
		TimeoutSeconds:      1,
		InitialDelaySeconds: 7,
	}
	restarted := Input{Kubelet: Kubelet{Version: NewestKnown}, Probe: probe, Life: 2, Restart: 2350 * time.Millisecond}
	watched := Input{Kubelet: Kubelet{Version: NewestKnown}, Probe: probe, Life: 1, Watched: 20 * time.Second}
	for name, c := range map[string]struct {
		formula Formula
		in      Input
		earlier int64
	}{
		"ticks between two kills": {KillTicks, restarted, int64(2 * time.Second)},
		"probes of a life":        {Cadence, watched, 1},
	} {
		t.Run(name, func(t *testing.T) {
			g := gomega.NewWithT(t)
			quiet := c.formula.Implemented(c.in)
			c.in.MarkDelay = 1500 * time.Millisecond
			busy := c.formula.Implemented(c.in)
			g.Expect(quiet.Earliest - busy.Earliest).To(gomega.Equal(c.earlier))
		})
	}
}
