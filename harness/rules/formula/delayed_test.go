package formula

import (
	"slices"
	"testing"
	"time"

	"github.com/onsi/gomega"
	"pgregory.net/rapid"
)

// Node delay may have moved a tick, so the window allows one tick earlier, and a probe by as much later than its tick.
func TestDelay(t *testing.T) {
	probe := Probe{
		Kind:                "liveness",
		Handler:             "tcp",
		PeriodSeconds:       2,
		FailureThreshold:    3,
		TimeoutSeconds:      1,
		InitialDelaySeconds: 7,
	}
	restarted := Input{Kubelet: Kubelet{Version: NewestKnown}, Probe: probe, Life: 2, Restart: 2350 * time.Millisecond}
	watched := Input{Kubelet: Kubelet{Version: NewestKnown}, Probe: probe, Life: 1, Watched: 20 * time.Second}
	for name, c := range map[string]struct {
		formula Formula
		in      Input
		earlier int64
	}{
		"ticks between two kills": {KillTicks, restarted, int64(3500 * time.Millisecond)},
		"probes of a life":        {Cadence, watched, 1},
	} {
		t.Run(name, func(t *testing.T) {
			g := gomega.NewWithT(t)
			quiet := c.formula.Implemented(c.in)
			c.in.Delay = 1500 * time.Millisecond
			busy := c.formula.Implemented(c.in)
			g.Expect(quiet.Earliest - busy.Earliest).To(gomega.Equal(c.earlier))
		})
	}
}

// Under delay, a window holds the windows of all inputs whose marks the delay can have moved.
func TestDelayAllowsEveryBranch(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := livedInput(t)
		delayed, moved := in, in
		before, after := anyDelay(t, "before"), anyDelay(t, "after")
		delayed.Delay, delayed.AnswerDelay = before+after, anyDelay(t, "of an answer")
		by := func(what string) time.Duration {
			return time.Duration(rapid.Int64Range(-int64(before), int64(after)).Draw(t, what+" moved by"))
		}
		moved.Lives = slices.Clone(in.Lives)
		for i := range moved.Lives {
			l := &moved.Lives[i]
			for _, at := range []*time.Duration{&l.Started, &l.Signal, &l.Gone} {
				if *at != 0 {
					*at += by("mark")
				}
			}
		}
		apart := func(what string, d *time.Duration) {
			*d = max(0, *d+time.Duration(rapid.Int64Range(-int64(before+after), int64(before+after)).Draw(t, what)))
		}
		apart("restart", &moved.Restart)
		apart("started up", &moved.StartedUp)
		apart("since startup", &moved.SinceStartup)
		apart("since the kill", &moved.SinceKill)
		apart("survived", &moved.Survived)
		if in.Turn >= 0 {
			apart("turn", &moved.Turn)
		}
		delayed.MetDead += rapid.IntRange(0, 3).Draw(t, "met dead by delay")
		moved.MetDead = rapid.IntRange(0, delayed.MetDead).Draw(t, "met dead")
		lost := 0
		if in.Probe.Handler == "exec" && in.CarriedFailures > 0 && delayed.Delay > 0 {
			lost = rapid.IntRange(0, 1).Draw(t, "lost result")
		}
		moved.CarriedFailures += rapid.IntRange(-lost, delayed.MetDead-moved.MetDead).Draw(t, "further failures")
		if more := moved.CarriedFailures - in.Probe.FailureThreshold; more >= 0 && delayed.MetDead > 0 {
			moved.CarriedFailures = rapid.IntRange(0, more).Draw(t, "failures after a kill of the dead container")
		}
		for _, f := range everyFormula {
			quiet, wide, w := f.Implemented(in), f.Implemented(delayed), f.Implemented(moved)
			if w.Earliest < wide.Earliest || w.Latest > wide.Latest {
				t.Fatalf("%s: %v is not inside %v, which was %v without delay", f.ID, w, wide, quiet)
			}
			if quiet.Earliest < wide.Earliest || quiet.Latest > wide.Latest {
				t.Fatalf("%s: %v without delay is not inside %v", f.ID, quiet, wide)
			}
		}
	})
}

func anyDelay(t *rapid.T, what string) time.Duration {
	short, long := rapid.Int64Range(0, int64(3*time.Second)), rapid.Int64Range(0, int64(3*time.Minute))
	return time.Duration(rapid.OneOf(short, long).Draw(t, what))
}

// livedInput has up to six lives whose times are near the values at which formulas branch.
func livedInput(t *rapid.T) Input {
	in := anyInput(t)
	near := func(what string) time.Duration {
		whole := rapid.SampledFrom([]int64{1, 3, 10, 20, 40, 80, 160, 300, 600}).Draw(t, what)
		return max(time.Millisecond, seconds(whole)+
			time.Duration(rapid.Int64Range(-int64(5*time.Second), int64(5*time.Second)).Draw(t, what+" and more")))
	}
	now := seconds(1_700_000_000)
	for range rapid.IntRange(0, 6).Draw(t, "lives") {
		l := Life{Started: now, Signalled: rapid.Bool().Draw(t, "signalled")}
		now += near("lived")
		if l.Signalled {
			l.Signal = now
			now += seconds(rapid.Int64Range(0, 3).Draw(t, "died after"))
		}
		l.Gone = now
		now += near("restarted after")
		in.Lives = append(in.Lives, l)
	}
	in.Life = rapid.IntRange(1, len(in.Lives)+1).Draw(t, "life of the claim")
	within := func(what string) (all []time.Duration) {
		for range rapid.IntRange(0, 2).Draw(t, what) {
			since := rapid.Int64Range(0, int64(now-seconds(1_700_000_000))).Draw(t, what+" at")
			all = append(all, seconds(1_700_000_000)+time.Duration(since))
		}
		slices.Sort(all)
		return all
	}
	in.Restarts, in.Changes, in.Recreations = within("restarts"), within("changes"), within("recreations")
	for i, at := range within("deletes") {
		d := Delete{At: at}
		if i > 0 {
			d.GracePeriodSeconds = ptr(rapid.Int64Range(-1, 30).Draw(t, "option"))
		}
		in.Deletes = append(in.Deletes, d)
	}
	return in
}
