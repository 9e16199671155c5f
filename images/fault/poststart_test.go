//go:build linux

package main

import (
	"testing"
	"time"

	. "github.com/onsi/gomega"

	"github.com/podclock/podclock/harness/measure/mark"
	"github.com/podclock/podclock/harness/measure/victim"
)

// The kubelet may run a postStart hook before the main process's hello. Its marks must not belong to the life before.
func TestAPostStartHookBelongsToTheLifeThatStarts(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	for life := 1; life <= 2; life++ {
		hook := r.start(victim.Hook{PostStart: true, Sleep: 300 * time.Millisecond, ExitCode: life}.Args()...)
		time.Sleep(200 * time.Millisecond)
		r.g.Expect(r.all(mark.PostStartBegan)).To(HaveLen(life-1), "there is no main process yet")
		p := r.life(victim.Run{})
		r.g.Expect(hook.exit()).To(Equal(life))
		began, ended := r.await(mark.PostStartBegan, life), r.await(mark.PostStartEnded, life)
		r.g.Expect([]int{began.Life, ended.Life}).To(Equal([]int{life, life}))
		r.g.Expect(began.Role).To(Equal(mark.Hook))
		// the recorder reads two connections, so its own order may be another
		r.g.Expect(began.Sent).To(BeNumerically(">", r.await(mark.Started, life).Sent))
		r.g.Expect(ended.Sent - began.Sent).To(BeNumerically(">=", int64(299*time.Millisecond)))
		r.g.Expect(p.Process.Kill()).To(Succeed())
		p.exit()
	}
	r.g.Expect(r.all(mark.HookBegan)).To(BeEmpty(), "a postStart hook is no preStop hook")
	r.g.Expect(r.all(mark.Probed)).To(BeEmpty(), "nor is its waiting a probe")
}

func TestAPostStartHookThatHangs(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.life(victim.Run{})
	p := r.start(victim.Hook{PostStart: true, Hang: true}.Args()...)
	r.await(mark.PostStartBegan, 1)
	time.Sleep(200 * time.Millisecond)
	r.g.Expect(p.alive()).To(BeTrue())
	r.g.Expect(r.all(mark.PostStartEnded)).To(BeEmpty())
}

func TestAPostStartHookWithoutMainProcessIsAnExitCodeOfItsOwn(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("waits for the program's own bound of 10 s")
	}
	r := newRig(t)
	p := r.start(victim.Hook{PostStart: true}.Args()...)
	r.g.Expect(p.exit()).To(Equal(victim.ExitNoMain))
	r.g.Expect(p.text.String()).To(ContainSubstring("postStart"))
}
