package trial

import (
	"fmt"
	"slices"

	"github.com/podclock/podclock/harness/delay"
	"github.com/podclock/podclock/harness/formula"
	"github.com/podclock/podclock/harness/mark"
	"github.com/podclock/podclock/harness/timeline"
)

// outages are those that can have touched what a claim measured up to an instant. They count from the
// beginning of the life before the measured one, as a formula may start from what was measured there.
func (c Claim) outages(tl *timeline.Timeline, n delay.Record, from, to int64) (touched []delay.Outage) {
	all := n.Outages(delay.MinOutage)
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
	to += c.Measure.heedsSilence(tl)
	for _, o := range all {
		if o.From < to && o.To+o.Aftermath() > from {
			touched = append(touched, o)
		}
	}
	return touched
}

// unsettled says why a verdict does not stand: without the outages of its time it might have been another.
// It is empty where it stands. The windows are those before the observer's error was added, which an outage
// of the recorder makes larger than what is to be judged.
func (t Trial) unsettled(
	c Claim,
	f Finding,
	touched []delay.Outage,
	implemented formula.Window,
	documented *formula.Window,
) string {
	touched = c.Measure.swayed(touched)
	if len(touched) == 0 || f.Verdict == Inconclusive {
		return ""
	}
	longest, total := touched[0], int64(0)
	for _, o := range touched {
		total += min(o.To, f.Measured.To) - o.From + o.Aftermath()
		if o.To-o.From > longest.To-longest.From {
			longest = o
		}
	}
	if t.movesByNoMoreThanAPause(c.Measure, f) && stands(f, total, implemented, documented) {
		return ""
	}
	return fmt.Sprintf(
		"%s %s, but the %s did not answer for %s at that time, without which it might be another",
		f.Measured.Unit.Format(
			f.Measured.Value,
		),
		verb[f.Verdict],
		longest.Component,
		formula.Nanoseconds.Format(longest.To-longest.From),
	)
}

// verb is what a value does by its verdict.
var verb = map[Verdict]string{Conforms: "conforms", Divergent: "diverges", Deviates: "deviates"}

// swayed are those of some outages that can have changed a value. What one message says they can lose or
// delay, and change nothing of it; but that a deletion is as it was before a cue is told by no message,
// which an API server that was away may have kept back.
func (m Measure) swayed(outages []delay.Outage) []delay.Outage {
	switch m.counted {
	case stopSignal, cueStatus:
		return nil
	case deletionGrace, deletionShift:
		return slices.DeleteFunc(outages, func(o delay.Outage) bool { return o.Component != mark.APIServer })
	}
	return outages
}

// heedsSilence is how long after the instant at which it reads the API a measure takes it for a fact that
// nothing more was told.
func (m Measure) heedsSilence(tl *timeline.Timeline) int64 {
	switch m.counted {
	case restartCount:
		return int64(shownWithin)
	case deletionGrace, deletionShift:
		if cue := m.at.in(tl); cue != nil {
			return cue.Late + int64(unchangedAfter)
		}
	}
	return 0
}

// movesByNoMoreThanAPause says whether an outage moves the value by its own length at most. It does not
// where something is counted, and where a probe, one of the eviction manager's looks, or one of the pod
// worker's decides: one that fails or is missed, or comes at another time, moves what follows by whole
// periods.
func (t Trial) movesByNoMoreThanAPause(m Measure, f Finding) bool {
	if f.Measured.Unit != formula.Nanoseconds || t.Worker != nil || m.endsByALook() {
		return false
	}
	for _, container := range t.containers() {
		if container.LivenessProbe != nil || container.ReadinessProbe != nil || container.StartupProbe != nil {
			return false
		}
	}
	return true
}

// endsByALook says whether a measure ends in a pull or in another life than it began in: that begins with
// the first of the pod worker's looks, ten to fifteen seconds apart, at which its back-off is over.
func (m Measure) endsByALook() bool {
	return m.To.event == pulled || max(1, m.To.life) > max(1, m.From.life)
}

// stands says whether every value that the measured one may have been without a pause of a length gives the
// same verdict.
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
