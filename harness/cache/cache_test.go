package cache

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	. "github.com/onsi/gomega"
)

func TestDir(t *testing.T) {
	g := NewWithT(t)
	home := t.TempDir()
	t.Setenv("XDG_CACHE_HOME", home)
	t.Setenv(Variable, "")
	g.Expect(Dir("node", "build")).To(Equal(filepath.Join(home, "podclock", "node", "build")))

	override := filepath.Join(t.TempDir(), "elsewhere")
	t.Setenv(Variable, override)
	g.Expect(Dir()).To(Equal(override))
	g.Expect(override).To(BeADirectory())

	file := filepath.Join(home, "file")
	g.Expect(os.WriteFile(file, nil, 0o600)).To(Succeed())
	t.Setenv(Variable, file)
	_, err := Dir("node")
	g.Expect(err).To(MatchError(ContainSubstring("set " + Variable)))
}

func TestLockKeepsOthersOutUntilItIsFreed(t *testing.T) {
	g := NewWithT(t)
	t.Setenv(Variable, t.TempDir())
	unlock, err := Lock(t.Context(), "node")
	g.Expect(err).NotTo(HaveOccurred())

	short, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	_, err = Lock(short, "node")
	g.Expect(err).To(MatchError(context.DeadlineExceeded))

	other, err := Lock(t.Context(), "engine")
	g.Expect(err).NotTo(HaveOccurred(), "locks of other names are not held")
	other()

	unlock()
	again, err := Lock(t.Context(), "node")
	g.Expect(err).NotTo(HaveOccurred())
	again()
}
