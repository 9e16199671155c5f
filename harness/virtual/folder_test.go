package virtual

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"

	. "github.com/onsi/gomega"
)

func TestSweepRemovesFoldersOfEndedLabs(t *testing.T) {
	g := NewWithT(t)
	t.Setenv("TMPDIR", t.TempDir())
	ended := exec.Command(os.Args[0], "-test.run=^$")
	g.Expect(ended.Run()).To(Succeed())
	dead := folderOf(ended.Process.Pid)
	parents := []string{os.TempDir()}
	if _, err := os.Stat(memory); err == nil {
		parents = append(parents, memory)
	}
	left := func(parent, name string) string {
		folder := filepath.Join(parent, name)
		g.Expect(os.MkdirAll(filepath.Join(folder, "pods"), 0o700)).To(Succeed())
		t.Cleanup(func() { _ = os.RemoveAll(folder) })
		return folder
	}
	for _, parent := range parents {
		gone := left(parent, dead+"123")
		kept := []string{
			left(parent, folderOf(os.Getpid())+"123"),
			left(parent, folderOf(os.Getppid())+"123"),
			left(parent, dead+"of-somebody-else"),
			left(parent, "my-"+dead+"123"),
			left(parent, "podclock-virtual-1-99999999-123"),
		}
		l, err := Open(t.Context(), Options{})
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(l.Close(t.Context())).To(Succeed())
		g.Expect(gone).NotTo(BeADirectory())
		for _, folder := range kept {
			g.Expect(folder).To(BeADirectory())
		}
	}
	made, err := makeFolder()
	g.Expect(err).NotTo(HaveOccurred())
	t.Cleanup(func() { _ = os.RemoveAll(made) })
	g.Expect(filepath.Base(made)).To(MatchRegexp(folderName.String()), "another lab recognizes the folder of a lab")
}

// A container may use fewer processors than the machine has.
func TestNodesAtOnce(t *testing.T) {
	g := NewWithT(t)
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(3))
	l, err := Open(t.Context(), Options{})
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(l.options.AtOnce).To(Equal(3))
}
