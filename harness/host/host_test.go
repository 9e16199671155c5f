package host

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	. "github.com/onsi/gomega"
)

func TestLock(t *testing.T) {
	g := NewWithT(t)
	name := filepath.Join(t.TempDir(), "lock")
	first, err := os.Create(name)
	g.Expect(err).NotTo(HaveOccurred())
	second, err := os.OpenFile(name, os.O_RDWR, 0)
	g.Expect(err).NotTo(HaveOccurred())
	defer func() { _ = second.Close() }()
	g.Expect(Lock(first)).To(Succeed())
	g.Expect(Lock(second)).To(MatchError(ErrLocked))
	g.Expect(first.Close()).To(Succeed())
	g.Expect(Lock(second)).To(Succeed())
}

func TestFactsOfTheHost(t *testing.T) {
	g := NewWithT(t)
	g.Expect(Free(t.TempDir())).To(BeNumerically(">", 0))
	_, err := Free(filepath.Join(t.TempDir(), "nowhere"))
	g.Expect(err).To(MatchError(ContainSubstring("nowhere")))
	g.Expect(Kernel()).To(MatchRegexp(`^\d+\.\d+`))
	g.Expect(Gone(os.Getpid())).To(BeFalse())
	ended := exec.Command(os.Args[0], "-test.run=^$")
	g.Expect(ended.Run()).To(Succeed())
	g.Expect(Gone(ended.Process.Pid)).To(BeTrue())
}
