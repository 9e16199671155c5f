package nodes

import (
	"testing"
	"time"

	. "github.com/onsi/gomega"
)

// A process may have any name, spaces and parentheses included.
func TestParseUsage(t *testing.T) {
	g := NewWithT(t)
	u, err := parseUsage(`at/1790000000123456789
host/cpu  100 2 30 5000 7 4 5 6 0 0
stat/kubelet/120 (kube (let) 1) S 1 120 120 0 -1 4194560 9 8 7 6 150 50 3 2 20 0 14 0
memory/kubelet/2048
stat/runtime/77 (containerd) S 1 77 77 0 -1 4194560 9 8 7 6 10 5 0 0 20 0 14 0
memory/runtime/1024
unit/1234567890
`)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(u.At).To(Equal(time.Unix(0, 1790000000123456789)))
	g.Expect(u.Host).To(Equal(1470 * time.Millisecond))
	g.Expect(u.CPU).To(Equal(map[string]time.Duration{
		OfKubelet: 2050 * time.Millisecond, OfRuntime: 150 * time.Millisecond, OfRuntimeUnit: 1234567890,
	}))
	g.Expect(u.Memory).To(Equal(map[string]int64{OfKubelet: 2 << 20, OfRuntime: 1 << 20}))
	for _, bad := range []string{"", "at/now", "at/1\nunit/", "at/1\nstat/kubelet/1 (x) S"} {
		_, err := parseUsage(bad)
		g.Expect(err).To(HaveOccurred(), bad)
	}
}
