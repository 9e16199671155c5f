package node

import (
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/podclock/podclock/harness/kubelets"
	"github.com/podclock/podclock/harness/measure/mark"
)

func TestEveryRuntimeOfASubjectIsBuilt(t *testing.T) {
	g := NewWithT(t)
	var names []string
	for _, r := range otherRuntimes {
		names = append(names, r.name())
		version, err := r.version("../..")
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(version).To(HavePrefix("v1."), r.name())
		shell := filepath.Join(r.Folder, "files", runtimeLibrary, "runtime.sh")
		g.Expect(exec.Command("sh", "-n", shell).Run()).To(Succeed(), shell)
	}
	g.Expect(names).To(ConsistOf(kubelets.RuntimeNames()))
}

func TestKeyOfARuntime(t *testing.T) {
	g := NewWithT(t)
	keys := map[string]bool{}
	for _, r := range otherRuntimes {
		for _, toolchain := range []string{"go1.26.8", "go1.27.0"} {
			key, err := r.key(source{Root: "../..", Go: toolchain, KindVersion: "v0.33.0"})
			g.Expect(err).NotTo(HaveOccurred())
			keys[key] = true
		}
	}
	g.Expect(keys).To(HaveLen(2*len(otherRuntimes)), "runtime and toolchain are inputs")
}

// The recorder asks every runtime at one address.
func TestCRIOAnswersTheRecorder(t *testing.T) {
	g := NewWithT(t)
	config, err := os.ReadFile("runtimes/cri-o-1.34/files/etc/crio/crio.conf")
	g.Expect(err).NotTo(HaveOccurred())
	host, port, err := net.SplitHostPort(mark.RuntimeAddress)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(string(config)).To(And(
		ContainSubstring("metrics_host = %q", host), ContainSubstring("metrics_port = %s", port)))
}
