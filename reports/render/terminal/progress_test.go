package terminal

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	. "github.com/onsi/gomega"

	"github.com/podclock/podclock/harness/host/screen"
	"github.com/podclock/podclock/harness/measure/runner"
	"github.com/podclock/podclock/harness/measure/trial"
	"github.com/podclock/podclock/reports/view/fixture"
)

// The golden files contain local times.
func init() { time.Local = time.UTC }

// trialState is the state of a trial in a table.
type trialState struct {
	ID, Subject string
	Phase       runner.Phase
	Started     time.Time
	Expected    time.Duration
	Verdict     trial.Verdict
	Why         string
	Attempt     int
}

func (s trialState) state() runner.State {
	return runner.State{
		Selection: runner.Selection{Trial: trial.Trial{ID: s.ID, Lasts: s.Expected}, Subject: s.Subject},
		Phase: cmp.Or(
			s.Phase,
			runner.Waiting,
		),
		Attempt: s.Attempt,
		Started: s.Started,
		Verdict: s.Verdict,
		Why:     s.Why,
	}
}

// scenario plays a run of four trials on two subjects. It takes 70 s of the bubble's clock. pause waits.
func scenario(p *Progress, pause func(time.Duration)) {
	var all []trialState
	for _, subject := range []string{fixture.Reference, fixture.Mutant} {
		for i, id := range []string{"probes/exec-liveness-fails", "probes/flapping",
			"termination/hook-time-is-cut-to-whole-seconds-of-the-grace", "termination/ignored-sigterm"} {
			s := trialState{ID: id, Subject: subject, Expected: time.Duration(60-10*i) * time.Second}
			all = append(all, s)
			p.Update(s.state())
		}
	}
	to := func(phase runner.Phase, indexes ...int) {
		for _, i := range indexes {
			s := &all[i]
			s.Phase = phase
			if phase == runner.Starting {
				s.Started = time.Now()
				s.Attempt++
			}
			p.Update(s.state())
		}
	}
	done := func(i int, v trial.Verdict, why string) {
		all[i].Phase, all[i].Verdict, all[i].Why = runner.Done, v, why
		p.Update(all[i].state())
		p.Update(all[i].state()) // the second update must change nothing
	}
	pause(time.Second)
	to(runner.Starting, 0, 1, 2, 3, 4)
	pause(time.Second)
	to(runner.Running, 0, 1, 2, 3)
	pause(20 * time.Second)
	to(runner.Starting, 5, 6, 7)
	to(runner.Running, 4, 5, 6, 7)
	done(3, trial.Conforms, "")
	done(1, trial.Inconclusive, "marks of connection 1 are missing: 5 follows 3")
	pause(10 * time.Second)
	to(runner.Waiting, 1)
	to(runner.Starting, 1)
	fmt.Fprintln(p, "a logger's line")
	pause(20 * time.Second)
	done(0, trial.Conforms, "")
	done(
		2,
		trial.Divergent,
		"sigterm-to-death: 6.010 s, as the code computes; documented is 0.408 s above [4.580 s, 5.602 s]",
	)
	done(4, trial.Deviates, "liveness-failing-probes-2: 2, 1 below 3")
	done(1, trial.Conforms, "")
	pause(18 * time.Second)
	done(5, trial.Conforms, "")
	done(6, trial.Unsupported, "")
	done(7, trial.Conforms, "")
}

func TestProgressGolden(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		p := StartProgress(&out, screen.Screen{})
		scenario(p, time.Sleep)
		p.Stop()
		fixture.Golden(t, "progress-plain", out.Bytes())
	})
}

// TestProgressOnATerminalGolden compares what a terminal shows at the end of each pause.
func TestProgressOnATerminalGolden(t *testing.T) {
	for name, screen := range map[string]screen.Screen{
		"progress-terminal": {Terminal: true, Width: 100},
		"progress-narrow":   {Terminal: true, Width: 50},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var out, frames bytes.Buffer
				p := StartProgress(&out, screen)
				frame := func(d time.Duration) {
					time.Sleep(d)
					synctest.Wait()
					fmt.Fprintf(&frames, "after %v:\n%s\n", time.Since(p.began), strings.Join(play(out.String()), "\n"))
				}
				scenario(p, frame)
				p.Stop()
				frame(0)
				fixture.Golden(t, name, frames.Bytes())
			})
		})
	}
}

func TestProgressIsColouredWhenAsked(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := NewWithT(t)
		texts := map[bool]string{}
		for _, colour := range []bool{false, true} {
			var out bytes.Buffer
			p := StartProgress(&out, screen.Screen{Terminal: true, Width: 120, Colour: colour})
			scenario(p, time.Sleep)
			p.Stop()
			texts[colour] = out.String()
		}
		g.Expect(texts[true]).To(ContainSubstring("\x1b[31;1mdeviates"))
		g.Expect(texts[false]).NotTo(ContainSubstring("\x1b[3"))
	})
}

// TestProgressLeavesATerminalSane expects the permanent lines and no rest of the block.
func TestProgressLeavesATerminalSane(t *testing.T) {
	for _, width := range []int{1, 20, 60, 100} {
		synctest.Test(t, func(t *testing.T) {
			g := NewWithT(t)
			var out bytes.Buffer
			p := StartProgress(&out, screen.Screen{Terminal: true, Width: width})
			scenario(p, time.Sleep)
			p.Stop()
			shown := play(out.String())
			g.Expect(shown).To(HaveLen(5), "three permanent lines, the last line, and the cursor's")
			g.Expect(shown[0]).To(HavePrefix("0:22  inconclusive  probes/flapping on v1.36.3"))
			g.Expect(shown[1]).To(Equal("a logger's line"))
			g.Expect(shown[3]).To(HavePrefix("1:10  all done; v1.36.3 4 of 4 done"))
			g.Expect(shown[4]).To(BeEmpty(), "the cursor is at the beginning of a line")
		})
	}
}

// play is a terminal that interprets what Progress uses: cursor up, carriage return, erase below.
func play(s string) []string {
	lines, row := []string{""}, 0
	for s != "" {
		switch {
		case strings.HasPrefix(s, "\x1b[A"):
			s, row = s[3:], row-1
		case strings.HasPrefix(s, "\x1b[J"):
			s, lines = s[3:], lines[:row+1]
			lines[row] = ""
		case s[0] == '\r':
			s = s[1:]
		case s[0] == '\n':
			s, row = s[1:], row+1
			if row == len(lines) {
				lines = append(lines, "")
			}
		case s[0] == '\x1b':
			panic(fmt.Sprintf("unknown sequence %q", s[:min(len(s), 8)]))
		default:
			lines[row] += s[:1]
			s = s[1:]
		}
	}
	return lines
}

func TestProgressWritesNothingAfterStop(t *testing.T) {
	for _, screen := range []screen.Screen{{}, {Terminal: true}} {
		synctest.Test(t, func(t *testing.T) {
			g := NewWithT(t)
			var out bytes.Buffer
			p := StartProgress(&out, screen)
			p.Update(trialState{ID: "a/b", Subject: fixture.Reference, Expected: time.Minute}.state())
			time.Sleep(time.Minute)
			p.Stop()
			written := out.Len()
			g.Expect(written).To(BeNumerically(">", 0))
			done := trialState{ID: "a/b", Subject: fixture.Reference, Phase: runner.Done, Verdict: trial.Deviates}
			p.Update(done.state())
			time.Sleep(time.Hour)
			p.Stop()
			g.Expect(out.Len()).To(Equal(written))
			_, err := fmt.Fprintln(p, "a logger may go on")
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(out.String()[written:]).To(Equal("a logger may go on\n"))
		})
	}
}

func TestProgressTakesUpdatesFromEverywhere(t *testing.T) {
	g := NewWithT(t)
	var out bytes.Buffer
	p := StartProgress(&out, screen.Screen{Terminal: true})
	var wg sync.WaitGroup
	for i := range 20 {
		wg.Go(func() {
			for _, phase := range []runner.Phase{runner.Waiting, runner.Starting, runner.Running, runner.Done} {
				p.Update(trialState{
					ID:      fmt.Sprintf("a/%d", i),
					Subject: fixture.Reference,
					Phase:   phase,
					Started: time.Now(),
					Verdict: trial.Deviates,
					Attempt: 1,
				}.state())
			}
		})
	}
	wg.Wait()
	p.Stop()
	g.Expect(strings.Count(strings.Join(play(out.String()), "\n"), "deviates  a/")).To(Equal(20))
	g.Expect(out.String()).To(HaveSuffix("20 of 20 done: 20 deviates\n"))
}

func TestProgressOutlivesItsWriter(t *testing.T) {
	g := NewWithT(t)
	p := StartProgress(fixture.BrokenWriter{}, screen.Screen{})
	p.Update(trialState{ID: "a/b", Subject: fixture.Reference, Phase: runner.Done, Verdict: trial.Deviates}.state())
	_, err := fmt.Fprintln(p, "x")
	g.Expect(errors.Unwrap(err)).To(BeNil())
	g.Expect(err).To(MatchError("disk full"), "the logger gets the error")
	p.Stop()
}

func TestRunEndsWithItsLastTrial(t *testing.T) {
	now := fixture.Began
	for name, tt := range map[string]struct {
		states []trialState
		says   string
	}{
		"nothing": {nil, "no trial yet"},
		"waiting": {[]trialState{{Expected: 80 * time.Second}}, "ends in about 1:20, at 10:01:20"},
		"starting": {[]trialState{{Phase: runner.Starting, Expected: 80 * time.Second}}, "ends in about 1:20, at " +
			"10:01:20"},
		"running": {[]trialState{{Phase: runner.Running, Started: now.Add(-30 * time.Second),
			Expected: 80 * time.Second}}, "ends in about 0:50, at 10:00:50"},
		"latest counts": {[]trialState{
			{Phase: runner.Running, Started: now.Add(-30 * time.Second), Expected: 80 * time.Second},
			{Phase: runner.Waiting, Expected: 40 * time.Second},
			{Phase: runner.Done, Expected: time.Hour},
		}, "ends in about 0:50, at 10:00:50"},
		"the last to start counts": {[]trialState{
			{Phase: runner.Running, Started: now.Add(-10 * time.Second), Expected: 30 * time.Second},
			{Expected: 20 * time.Second}, {Expected: 20 * time.Second}, {Expected: 15 * time.Second},
		}, "ends in about 0:35, at 10:00:35"},
		"timeless, none done": {[]trialState{{Phase: runner.Running}, {}}, "no trial done yet"},
		"timeless, as " +
			"those before": {[]trialState{{Phase: runner.Done}, {Phase: runner.Running}, {}}, "ends in about 0:20, " +
			"at 10:00:20"},
		"of both kinds": {[]trialState{{Phase: runner.Done}, {Phase: runner.Running}, {Expected: time.Minute}},
			"ends in about 1:00, at 10:01:00"},
		"overdue": {[]trialState{{Phase: runner.Running, Started: now.Add(-time.Hour),
			Expected: time.Minute}}, "about to end"},
		"all done": {[]trialState{{Phase: runner.Done, Expected: time.Hour}}, "all done"},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBoard()
			for i, s := range tt.states {
				s.ID, s.Subject = fmt.Sprintf("a/%d", i), fixture.Reference
				b.set(s.state())
			}
			NewWithT(t).Expect(b.ending(now.Add(-10*time.Second), now)).To(Equal(tt.says))
		})
	}
}

func TestLongestRemainingIsNamedFirst(t *testing.T) {
	g := NewWithT(t)
	b := newBoard()
	for i, left := range []int{10, 50, 30, 0} {
		b.set(trialState{
			ID:       fmt.Sprintf("a/trial-%d", i),
			Subject:  fixture.Reference,
			Phase:    runner.Running,
			Started:  fixture.Began.Add(-time.Minute),
			Expected: time.Minute + time.Duration(left)*time.Second,
		}.state())
	}
	b.set(
		trialState{
			ID:       "a/trial-0",
			Subject:  fixture.Mutant,
			Phase:    runner.Running,
			Started:  fixture.Began,
			Expected: 40 * time.Second,
		}.state(),
	)
	b.set(trialState{ID: "a/waits", Subject: fixture.Mutant, Expected: time.Hour}.state())
	g.Expect(b.running(fixture.Began, 100)).To(Equal("trial-1 0:50, trial-0 0:40, trial-2 0:30, trial-3 overdue"))
	g.Expect(b.running(fixture.Began, 40)).To(Equal("trial-1 0:50, trial-0 0:40 and 2 more"))
	g.Expect(b.running(fixture.Began, 5)).To(Equal("trial-1 0:50 and 3 more"), "at least one")
	b.set(
		trialState{
			ID:      "a/timeless",
			Subject: fixture.Mutant,
			Phase:   runner.Running,
			Started: fixture.Began.Add(-time.Hour),
		}.state(),
	)
	g.Expect(b.running(fixture.Began, 100)).
		To(HaveSuffix(", timeless, trial-3 overdue"), "a trial without a length is never overdue")
}
