package cluster

import (
	"os"
	"path/filepath"
	"testing"

	. "github.com/onsi/gomega"
)

func TestTooLowInotifyLimitsAreRaised(t *testing.T) {
	g := NewWithT(t)
	dir := t.TempDir()
	instances, watches := filepath.Join(dir, "max_user_instances"), filepath.Join(dir, "max_user_watches")
	g.Expect(raiseInotify(dir, 13)).To(BeEmpty(), "this system has no inotify")

	g.Expect(os.WriteFile(instances, []byte("128\n"), 0o644)).To(Succeed())
	g.Expect(os.WriteFile(watches, []byte("1000000\n"), 0o644)).To(Succeed())
	done, err := raiseInotify(dir, 13)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(done).To(ConsistOf("raised fs.inotify.max_user_instances of this host from 128 to 388"))
	g.Expect(os.ReadFile(instances)).To(BeEquivalentTo("388"))
	g.Expect(os.ReadFile(watches)).To(BeEquivalentTo("1000000\n"))
	g.Expect(raiseInotify(dir, 13)).To(BeEmpty())

	g.Expect(os.WriteFile(watches, []byte("many"), 0o644)).To(Succeed())
	_, err = raiseInotify(dir, 13)
	g.Expect(err).To(MatchError(ContainSubstring("limit of inotify")))
}

func TestAFullDiskIsNamed(t *testing.T) {
	g := NewWithT(t)
	g.Expect(enoughSpace("/var/lib/docker", minFreeBytes)).To(Succeed())
	g.Expect(enoughSpace("/var/lib/docker", minFreeBytes-1)).To(MatchError(And(
		ContainSubstring("/var/lib/docker"), ContainSubstring("5.4 GB"), ContainSubstring("free some space"))))
}
