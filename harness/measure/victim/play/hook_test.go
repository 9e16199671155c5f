package play

import (
	"testing"
	"time"

	. "github.com/onsi/gomega"

	"github.com/podclock/podclock/harness/measure/victim"
)

func TestHooks(t *testing.T) {
	t.Parallel()
	const minute = time.Minute
	for what, c := range map[string]struct {
		hook victim.Hook
		kill time.Duration
		code int
		at   time.Duration
		want []string
	}{
		"takes its time": {
			victim.Hook{Sleep: 12 * time.Second, ExitCode: 5}, minute, 5, 12 * time.Second,
			[]string{"0s hook-began", "12s hook-ended"},
		},
		"takes none": {victim.Hook{}, minute, 0, 0, []string{"0s hook-began", "0s hook-ended"}},
		"is killed": {
			victim.Hook{Sleep: 2 * minute, ExitCode: 5}, minute, Killed, minute, []string{"0s hook-began"},
		},
		"hangs and is killed": {
			victim.Hook{Hang: true}, 30*time.Hour + minute, Killed, 30*time.Hour + minute, []string{"0s hook-began"},
		},
		"postStart": {
			victim.Hook{PostStart: true, Sleep: time.Second, ExitCode: 1}, minute, 1, time.Second,
			[]string{"0s post-start-began", "1s post-start-ended"},
		},
		"postStart hangs, is killed": {
			victim.Hook{PostStart: true, Hang: true}, minute, Killed, minute, []string{"0s post-start-began"},
		},
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			inBubble(t, func(r *rig) {
				r.Expect(c.hook.Validate()).To(Succeed())
				defer time.AfterFunc(c.kill, r.kill).Stop()
				r.Expect(Hook(r.ctx, c.hook, r)).To(Equal(c.code))
				r.Expect(r.now()).To(Equal(c.at))
				r.Expect(r.marked()).To(Equal(c.want))
			})
		})
	}
}
