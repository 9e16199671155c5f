package cache

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"testing/synctest"
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
	unlock, err := Lock(t.Context(), "node", t.Logf)
	g.Expect(err).NotTo(HaveOccurred())

	short, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	_, err = Lock(short, "node", t.Logf)
	g.Expect(err).To(MatchError(context.DeadlineExceeded))

	other, err := Lock(t.Context(), "engine", t.Logf)
	g.Expect(err).NotTo(HaveOccurred(), "locks of other names are not held")
	other()

	unlock()
	again, err := Lock(t.Context(), "node", t.Logf)
	g.Expect(err).NotTo(HaveOccurred())
	again()
}

// A process that builds all the time, like a mutation test, lets others build, too.
func TestLockTakesTurns(t *testing.T) {
	t.Setenv(Variable, t.TempDir())
	synctest.Test(t, func(t *testing.T) {
		g := NewWithT(t)
		busy, stop := context.WithCancel(t.Context())
		defer stop()
		var builds atomic.Int32
		go func() {
			for {
				unlock, err := Lock(busy, "kubelet", t.Logf)
				if err != nil {
					return
				}
				builds.Add(1)
				time.Sleep(lockPoll * 97 / 10)
				unlock()
			}
		}()
		time.Sleep(10 * time.Second)
		before := builds.Load()
		unlock, err := Lock(t.Context(), "kubelet", t.Logf)
		g.Expect(err).NotTo(HaveOccurred())
		defer unlock()
		g.Expect(builds.Load()-before).To(BeNumerically("<=", 2), "builds of the other process while this one waited")
	})
}

// A process that waits for a lock says so once, after two seconds, and names the holder.
func TestLockSaysThatItWaits(t *testing.T) {
	dir := t.TempDir()
	t.Setenv(Variable, dir)
	for held, says := range map[time.Duration][]string{
		1850 * time.Millisecond: nil, // between two tries
		8950 * time.Millisecond: {fmt.Sprintf("waiting for process %d, which holds %s/kubelet.lock", os.Getpid(), dir)},
	} {
		synctest.Test(t, func(t *testing.T) {
			g := NewWithT(t)
			var said []string
			logf := func(format string, args ...any) { said = append(said, fmt.Sprintf(format, args...)) }
			unlock, err := Lock(t.Context(), "kubelet", logf)
			g.Expect(err).NotTo(HaveOccurred())
			start := time.Now()
			time.AfterFunc(held, unlock)
			unlock, err = Lock(t.Context(), "kubelet", logf)
			g.Expect(err).NotTo(HaveOccurred())
			unlock()
			g.Expect(time.Since(start)).To(BeNumerically("~", held, lockPoll))
			g.Expect(said).To(Equal(says), "held for %v", held)
		})
	}
	g := NewWithT(t)
	g.Expect(os.Truncate(filepath.Join(dir, "kubelet.lock"), 0)).To(Succeed())
	file, err := os.Open(filepath.Join(dir, "kubelet.lock"))
	g.Expect(err).NotTo(HaveOccurred())
	defer file.Close()
	g.Expect(holder(file)).To(Equal("another podclock"), "an older podclock writes no process id")
}
