package terminal

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/jedib0t/go-pretty/v6/text"

	"github.com/podclock/podclock/harness/host/screen"
	"github.com/podclock/podclock/harness/measure/runner"
	"github.com/podclock/podclock/harness/measure/trial"
	"github.com/podclock/podclock/reports/view"
)

// board is the present state of all trials. Callers pass the time. It writes nothing.
type board struct {
	subjects []string
	states   map[string]map[string]runner.State // by subject, then trial
}

func newBoard() board { return board{states: map[string]map[string]runner.State{}} }

// set replaces a trial's state and returns the previous one.
func (b *board) set(s runner.State) runner.State {
	if b.states[s.Subject] == nil {
		b.states[s.Subject] = map[string]runner.State{}
		b.subjects = append(b.subjects, s.Subject)
	}
	before := b.states[s.Subject][s.Trial.ID]
	b.states[s.Subject][s.Trial.ID] = s
	return before
}

// remaining is how long a trial should still take. It is 0 for an overdue trial.
func remaining(s runner.State, now time.Time) time.Duration {
	switch {
	case s.Phase == runner.Done:
		return 0
	case s.Phase == runner.Waiting || s.Started.IsZero():
		return s.Trial.Lasts
	}
	return max(0, s.Started.Add(s.Trial.Lasts).Sub(now))
}

// left is how long the whole run should still take. The waiting trials start as fast as those before, the shortest
// last. A trial of unknown length lasts as long as the average of the done ones. Without one, known is false.
func (b *board) left(began, now time.Time) (left time.Duration, open, known bool) {
	var all, timeless, done time.Duration
	var waiting []time.Duration
	for _, trials := range b.states {
		for _, s := range trials {
			all++
			switch {
			case s.Phase == runner.Done:
				done++
			case s.Trial.Lasts == 0:
				timeless++
			default:
				left = max(left, remaining(s, now))
			}
			if s.Phase == runner.Waiting {
				waiting = append(waiting, s.Trial.Lasts)
			}
		}
	}
	if timeless > 0 && done > 0 {
		left = max(left, now.Sub(began)*timeless/done)
	}
	if n := time.Duration(len(waiting)); n > 0 && n < all {
		left = max(left, now.Sub(began)*(n-1)/(all-n)+slices.Min(waiting))
	}
	return left, done < all, timeless == 0 || done > 0
}

// ending returns in words when the run will end.
func (b *board) ending(began, now time.Time) string {
	left, open, known := b.left(began, now)
	switch {
	case len(b.states) == 0:
		return "no trial yet"
	case !open:
		return "all done"
	case !known:
		return "no trial done yet"
	case left == 0:
		return "about to end"
	}
	return "ends in about " + clock(left) + ", at " + now.Add(left).Format(time.TimeOnly)
}

// counts returns one subject's phases and verdicts in words.
func (b *board) counts(subject string, colour bool) string {
	phases := map[runner.Phase]int{}
	verdictsSoFar := map[trial.Verdict]int{}
	for _, s := range b.states[subject] {
		phases[s.Phase]++
		if s.Phase == runner.Done {
			verdictsSoFar[s.Verdict]++
		}
	}
	parts := []string{fmt.Sprintf("%d of %d done", phases[runner.Done], len(b.states[subject]))}
	for _, phase := range []runner.Phase{runner.Running, runner.Starting, runner.Waiting} {
		if phases[phase] > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", phases[phase], phase))
		}
	}
	line := strings.Join(parts, ", ")
	var soFar []string
	for _, v := range view.Verdicts() {
		if n := verdictsSoFar[v]; n > 0 {
			soFar = append(soFar, fmt.Sprintf("%d %s", n, painted(v, colour)))
		}
	}
	if len(soFar) > 0 {
		line += ": " + strings.Join(soFar, ", ")
	}
	return line
}

// running names the running trials, the one with the most time left first. It names a trial on several subjects
// once, omits areas, and counts what does not fit.
func (b *board) running(now time.Time, room int) string {
	longest, timeless := map[string]time.Duration{}, map[string]bool{}
	for _, trials := range b.states {
		for id, s := range trials {
			if s.Phase == runner.Running {
				longest[id], timeless[id] = max(longest[id], remaining(s, now)), s.Trial.Lasts == 0
			}
		}
	}
	ids := slices.SortedFunc(maps.Keys(longest), func(x, y string) int {
		return cmp.Or(cmp.Compare(longest[y], longest[x]), cmp.Compare(x, y))
	})
	line := ""
	for i, id := range ids {
		_, name, _ := strings.Cut(id, "/")
		part := text.Snip(name, longestName, "~")
		switch {
		case longest[id] > 0:
			part += " " + clock(longest[id])
		case !timeless[id]:
			part += " overdue"
		}
		if i > 0 {
			part = ", " + part
		}
		more := fmt.Sprintf(" and %d more", len(ids)-i)
		if i > 0 && len(line)+len(part)+len(more) > room {
			return line + more
		}
		line += part
	}
	return line
}

// longestName limits the shown part of a trial's name, in characters.
const longestName = 40

func (b *board) parts(began, now time.Time, width int, colour bool) []string {
	parts := []string{clock(now.Sub(began)) + "  " + b.ending(began, now)}
	longest, title, room := 0, "running ", screen.UsualWidth/2
	if width > 0 {
		title, room = "running: ", width-len("  running: ")-1
		for _, s := range b.subjects {
			longest = max(longest, len(s)+1)
		}
	}
	for _, s := range b.subjects {
		parts = append(parts, fmt.Sprintf("%-*s %s", longest, s, b.counts(s, colour)))
	}
	if names := b.running(now, room); names != "" {
		parts = append(parts, title+names)
	}
	return parts
}

// clock formats a duration as minutes and seconds.
func clock(d time.Duration) string {
	s := int(d.Round(time.Second) / time.Second)
	return fmt.Sprintf("%d:%02d", s/60, s%60)
}
