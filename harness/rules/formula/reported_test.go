package formula

import (
	"testing"
	"time"

	. "github.com/onsi/gomega"
)

// A known back-off gives the window that the restart has after the lives that lead to it.
func TestRestartOfAKnownBackOff(t *testing.T) {
	for _, version := range []string{"v1.34.4", NewestKnown} {
		g := NewWithT(t)
		k := Kubelet{Version: version}
		var values []float64
		for ends := 1; ends <= 8; ends++ {
			values = append(values, k.BackOff(ends).Seconds())
			in := Input{Kubelet: k, Life: ends + 1, Lives: make([]Life, ends)}
			g.Expect(in.RestartOf(ends, k.BackOff(ends))).To(Equal(RestartDelay.Implemented(in)), "%s, "+
				"%d", version, ends)
		}
		g.Expect(values).To(Equal([]float64{0, 10, 20, 40, 80, 160, 300, 300}))
	}
	k := Kubelet{Version: NewestKnown, MaxContainerRestartPeriod: 5 * time.Second}
	NewWithT(t).Expect(k.BackOff(2)).To(Equal(5 * time.Second))
}
