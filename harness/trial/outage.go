package trial

import (
	"fmt"
	"time"

	"github.com/podclock/podclock/harness/formula"
	"github.com/podclock/podclock/harness/mark"
	"github.com/podclock/podclock/harness/timeline"
)

// An outage is a time in which a program that the trial depends on stood still or was away. What it kept waiting came later, so that a wrong value may have moved
// into a window and a right one out of it: what an outage can have touched is judged only where it could have changed nothing.
const (
	// outage is how long a program must not have answered to be out. What is shorter is noise, which excuses a miss and spoils no hit: in 16 minutes with twelve
	// busy workers on two cores no recorder's tick was more than 0.8 s late, and a silence counts from the last answer, up to a quarter of a second before.
	outage = 1500 * time.Millisecond
	// aftermath is how long after an outage what it kept waiting still comes: the kubelet looks at the runtime once a second, and times are cut to whole seconds.
	aftermath = time.Second
	// longestAway bounds the aftermath of an API server that was away: clients come back to it after pauses that double up to half a minute, each longer by up
	// to its own length (client-go reflector.go), and send an event again after ten seconds (event.go defaultSleepDuration).
	longestAway, eventAgain = time.Minute, 10 * time.Second
)

// after is the aftermath of an outage.
func after(o timeline.Silence) int64 {
	if o.Of != mark.APIServer {
		return int64(aftermath)
	}
	return min(2*(o.To-o.From)+int64(eventAgain), int64(longestAway))
}

// Calm is when the aftermath of a node's last outage is over, 0 where there was none: what begins later is touched by none.
func Calm(n timeline.Noise) int64 {
	calm := int64(0)
	for _, o := range n.Outages(outage) {
		calm = max(calm, o.To+after(o))
	}
	return calm
}

// outages are those that can have touched what a claim measured up to an instant. They count from the beginning of the life before the measured one, as a
// formula may start from what was measured there.
func (c Claim) outages(tl *timeline.Timeline, n timeline.Noise, from, to int64) (touched []timeline.Silence) {
	all := n.Outages(outage)
	if len(all) == 0 {
		return nil
	}
	container := c.Measure.container()
	if container == "" {
		container = Main
	}
	if before := tl.Life(container, max(1, c.Measure.life()-1)); before != nil && before.Connected != nil {
		from = min(from, before.Connected.At)
	}
	for _, o := range all {
		if o.From < to && o.To+after(o) > from {
			touched = append(touched, o)
		}
	}
	return touched
}

// unsettled says why a verdict does not stand: without the outages of its time it might have been another. It is empty where it stands. The windows are those
// before the observer's error was added, which an outage of the recorder makes larger than what is to be judged.
func (t Trial) unsettled(c Claim, f Finding, touched []timeline.Silence, implemented formula.Window, documented *formula.Window) string {
	if len(touched) == 0 || f.Verdict == Inconclusive || c.Measure.toldByOneMessage() {
		return ""
	}
	longest, total := touched[0], int64(0)
	for _, o := range touched {
		total += min(o.To, f.Measured.To) - o.From + after(o)
		if o.To-o.From > longest.To-longest.From {
			longest = o
		}
	}
	if t.movesByNoMoreThanAPause(f) && stands(f, total, implemented, documented) {
		return ""
	}
	return fmt.Sprintf("%s %s, but the %s did not answer for %s at that time, without which it might be another",
		f.Measured.Unit.Format(f.Measured.Value), verb[f.Verdict], longest.Of, formula.Nanoseconds.Format(longest.To-longest.From))
}

// verb is what a value does by its verdict.
var verb = map[Verdict]string{Conforms: "conforms", Divergent: "diverges", Deviates: "deviates"}

// toldByOneMessage says whether the value is what one message says: an outage can lose or delay it, and change nothing of it.
func (m Measure) toldByOneMessage() bool {
	switch m.counted {
	case stopSignal, deletionGrace, deletionShift, cueStatus:
		return true
	}
	return false
}

// movesByNoMoreThanAPause says whether an outage moves the value by its own length at most. It does not where something is counted, and where a probe or one
// of the eviction manager's looks decides: one that fails or is missed moves what follows by as many periods as there are.
func (t Trial) movesByNoMoreThanAPause(f Finding) bool {
	if f.Measured.Unit != formula.Nanoseconds || t.Worker != nil {
		return false
	}
	for _, container := range t.containers() {
		if container.LivenessProbe != nil || container.ReadinessProbe != nil || container.StartupProbe != nil {
			return false
		}
	}
	return true
}

// stands says whether every value that the measured one may have been without a pause of a length gives the same verdict.
func stands(f Finding, pause int64, implemented formula.Window, documented *formula.Window) bool {
	earliest, latest := f.Measured.Value-pause, f.Measured.Value+pause
	within := func(w formula.Window) bool { return w.Contains(earliest) && w.Contains(latest) }
	beside := func(w formula.Window) bool { return latest < w.Earliest || earliest > w.Latest }
	switch f.Verdict {
	case Conforms:
		return within(implemented) && (documented == nil || within(*documented))
	case Divergent:
		return within(implemented) && beside(*f.Documented)
	case Deviates:
		return beside(f.Implemented)
	}
	return true
}
