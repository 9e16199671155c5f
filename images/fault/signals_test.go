//go:build linux

package main

import (
	"syscall"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/podclock/podclock/harness/measure/mark"
	"github.com/podclock/podclock/harness/measure/victim"
)

// An image's STOPSIGNAL replaces SIGTERM, and the mark contains its name.
func TestEveryStopSignalIsOne(t *testing.T) {
	t.Parallel()
	for name, signal := range map[string]syscall.Signal{
		"SIGTERM": syscall.SIGTERM, "SIGINT": syscall.SIGINT, "SIGQUIT": syscall.SIGQUIT,
		victim.StopSignal: syscall.SIGUSR1,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t)
			ignores := r.life(victim.Run{Term: victim.Ignore})
			r.g.Expect(ignores.Process.Signal(signal)).To(Succeed())
			r.g.Expect(r.await(mark.SIGTERM, 1).Detail).To(Equal(mark.Detail{Signal: name}))
			r.g.Expect(ignores.alive()).To(BeTrue())
			r.g.Expect(ignores.Process.Kill()).To(Succeed())
			ignores.exit()
			obeys := r.life(victim.Run{Term: victim.ExitNow, ExitCode: 7})
			r.g.Expect(obeys.Process.Signal(signal)).To(Succeed())
			r.g.Expect(obeys.exit()).To(Equal(7))
			r.g.Expect(r.await(mark.SIGTERM, 2).Detail.Signal).To(Equal(name))
		})
	}
}
