package formula

import (
	"testing"
	"time"

	"github.com/onsi/gomega"
)

// lostNodeFormulas belong to the file that this file tests.
// The controller counts node-monitor-grace-period from the look, every five seconds, at which it saw the last renewal
// of the lease, every ten seconds. It finds the end at a later look.
func TestLostNode(t *testing.T) {
	g := gomega.NewWithT(t)
	for version, grace := range map[string]time.Duration{
		"v1.23.1": 40 * time.Second, "v1.31.14": 40 * time.Second, "v1.32.0": 50 * time.Second,
		NewestKnown: 50 * time.Second,
	} {
		in := Input{Kubelet: Kubelet{Version: version}}
		w, d := NodeLost.Implemented(in), NodeLost.Documented(in)
		g.Expect(w.Earliest).To(gomega.Equal(int64(grace-leaseRenewal)), version)
		near(g, version, w, grace, leaseRenewal, 2*nodeMonitorPeriod+statusWrite)
		near(g, version+", documented", *d, grace, leaseRenewal, 0)
	}
	near(g, "the taint", NodeTainted.Implemented(Input{Kubelet: newest}), 0, statusWrite, nodeMonitorPeriod+apiRequest)
}
