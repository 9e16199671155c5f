package cli

import (
	"os"
	"path/filepath"
	"testing"

	. "github.com/onsi/gomega"
)

// Bad input is one line with the remedy, before anything boots or is written.
func TestBadBenchmarks(t *testing.T) {
	small := filepath.Join(t.TempDir(), "kind.yaml")
	NewWithT(t).Expect(os.WriteFile(small, []byte("kind: Cluster\napiVersion: kind.x-k8s.io/v1alpha4\n"+
		"kubeadmConfigPatches:\n- |\n  kind: KubeletConfiguration\n  maxPods: 20\n"), 0o644)).To(Succeed())
	for want, args := range map[string][]string{
		"--pods=300: a worker has room for 250 pods, of which 3 may be of the system: write at most 247, or": {"restarts", "--pods=300"},
		"--pods=10,30: a worker has room for 20 pods, of which 3 may be of the system: write at most 17, or": {
			"probes", "--pods=30,10", "--kind-config=" + small},
		"--pods=0: a benchmark needs pods":                                        {"probes", "--pods=0"},
		"--for=0s: each row needs":                                                {"restarts", "--for=0s"},
		`--subjects=v1.99.0: subject "v1.99.0": there is no kubelet "v1.99.0"`:    {"restarts", "--subjects=v1.99.0"},
		"--subjects=virtual:v1.37.2: a virtual node uses no CPU time of its own":  {"probes", "--subjects=virtual:v1.37.2"},
		"--handler=udp: it must be http, exec, tcp or grpc":                       {"probes", "--handler=udp"},
		"unknown flag: --handler; podclock bench restarts --help lists the flags": {"restarts", "--handler=tcp"},
	} {
		g, out := NewWithT(t), t.TempDir()
		got := call(t.Context(), append([]string{"bench", args[0], "--out=" + out}, args[1:]...)...)
		g.Expect(got.code).To(Equal(2), "%v", args)
		g.Expect(got.log).To(HavePrefix("podclock: " + want))
		g.Expect(os.ReadDir(out)).To(BeEmpty())
	}
}
