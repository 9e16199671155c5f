package nodes

import (
	"os/exec"
	"testing"

	. "github.com/onsi/gomega"
)

// A node without another runtime has what the node image has.
func TestShellOfTheImagesOwnRuntime(t *testing.T) {
	g := NewWithT(t)
	out, err := exec.Command("sh", "-euc", runtimeShell+`echo $unit $socket $http "$removed"`).Output()
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(string(out)).To(Equal(
		"containerd /run/containerd/containerd.sock --http2-prior-knowledge RemoveContainer for\n"))
	for _, text := range []string{putRuntimeScript, healthScript, nodeLogScript, removalsScript} {
		g.Expect(exec.Command("sh", "-nc", text).Run()).To(Succeed(), text)
	}
}
