package node

import (
	"strings"
	"testing"

	. "github.com/onsi/gomega"
)

func TestCountPackages(t *testing.T) {
	g := NewWithT(t)
	var counts []int
	complaints := countPackages(strings.NewReader(`go: downloading k8s.io/api v0.36.3
internal/goarch
k8s.io/kubernetes/pkg/kubelet
# k8s.io/kubernetes/pkg/kubelet
pkg/kubelet/kubelet.go:12:3: undefined: x
k8s.io/kubernetes/cmd/kubelet
`), func(n int) { counts = append(counts, n) })
	g.Expect(counts).To(Equal([]int{1, 2, 3}))
	g.Expect(complaints).To(Equal("# k8s.io/kubernetes/pkg/kubelet\npkg/kubelet/kubelet.go:12:3: undefined: x\n"))
}

func TestCountPackagesReadsOnAfterAnEndlessLine(t *testing.T) {
	stderr := strings.NewReader(strings.Repeat("x", 1<<20) + "\nmore\n")
	NewWithT(t).Expect(countPackages(stderr, func(int) {})).To(ContainSubstring("too long"))
	NewWithT(t).Expect(stderr.Len()).To(BeZero(), "a program blocks on a pipe that is not read")
}
