package trial

import (
	"fmt"
	"slices"
	"time"

	"github.com/podclock/podclock/harness/formula"
	"github.com/podclock/podclock/harness/mark"
	"github.com/podclock/podclock/harness/timeline"
)

// An outage is a time in which a program that the trial depends on stood still or was away. What it kept
// waiting came later, so that a wrong value may have moved into a window and a right one out of it: what an
// outage can have touched is judged only where it could have changed nothing.
const (
	// outage is how long a program must not have answered to be out. What is shorter is noise, which
	// excuses a miss and spoils no hit. In six hours of nodes' time, undisturbed runs of up to 24 busy
	// workers on two cores, the recorder told of 61 silences of a kubelet and of 44 of a container runtime,
	// none longer than 0.83 s: it told of none below half a second then, and counted from the last answer,
	// up to a quarter before; it now tells of none below three quarters, and counts from up to half a
	// second before. Of 37,000 ticks of its own that were late, one was so by 1.13 s, the others by 0.82 s
	// at most. How soon an API server answers was not measured; lab.noticeable is when it counts as silent.
	outage = 1500 * time.Millisecond
	// aftermath is how long after an outage what it kept waiting still comes: the kubelet looks at the
	// runtime and at its pods once a second (generic.go, kubelet.go syncTicker), and times are cut to whole
	// seconds.
	aftermath = time.Second
	// reconnected is when a kubelet whose runtime ended, and is back, is surely connected to it again:
	// cri-client's pauses end at maxBackoffDelay (remote_runtime.go), and gRPC makes each longer by up to a
	// fifth (backoff.DefaultConfig).
	reconnected = 3600 * time.Millisecond
	// errorAgain is when a pod is looked at again whose sync ended in an error, as one that needed the
	// runtime did: backOffPeriod (kubelet.go), longer by up to workerBackOffPeriodJitterFactor
	// (pod_workers.go completeWork).
	errorAgain = 15 * time.Second
	// longestAftermath bounds that of an API server that was away: clients come back to it after pauses
	// that double up to half a minute, each longer by up to its own length (client-go reflector.go), and
	// send an event again after ten seconds (event.go defaultSleepDuration).
	longestAftermath, eventAgain = time.Minute, 10 * time.Second
)

// after is the aftermath of an outage.
func after(o timeline.Silence) int64 {
	switch o.Of {
	case mark.APIServer:
		return min(2*(o.To-o.From)+int64(eventAgain), int64(longestAftermath))
	case mark.ContainerRuntime:
		return int64(reconnected + errorAgain + aftermath)
	}
	return int64(aftermath)
}

// Calm is when the aftermath of a node's last outage is over, 0 where there was none: what begins later is
// touched by none.
func Calm(n timeline.Noise) int64 {
	calm := int64(0)
	for _, o := range n.Outages(outage) {
		calm = max(calm, o.To+after(o))
	}
	return calm
}

// outages are those that can have touched what a claim measured up to an instant. They count from the
// beginning of the life before the measured one, as a formula may start from what was measured there.
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
	to += c.Measure.heedsSilence(tl)
	for _, o := range all {
		if o.From < to && o.To+after(o) > from {
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
	touched []timeline.Silence,
	implemented formula.Window,
	documented *formula.Window,
) string {
	touched = c.Measure.swayed(touched)
	if len(touched) == 0 || f.Verdict == Inconclusive {
		return ""
	}
	longest, total := touched[0], int64(0)
	for _, o := range touched {
		total += min(o.To, f.Measured.To) - o.From + after(o)
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
		longest.Of,
		formula.Nanoseconds.Format(longest.To-longest.From),
	)
}

// verb is what a value does by its verdict.
var verb = map[Verdict]string{Conforms: "conforms", Divergent: "diverges", Deviates: "deviates"}

// swayed are those of some outages that can have changed a value. What one message says they can lose or
// delay, and change nothing of it; but that a deletion is as it was before a cue is told by no message,
// which an API server that was away may have kept back.
func (m Measure) swayed(outages []timeline.Silence) []timeline.Silence {
	switch m.counted {
	case stopSignal, cueStatus:
		return nil
	case deletionGrace, deletionShift:
		return slices.DeleteFunc(outages, func(o timeline.Silence) bool { return o.Of != mark.APIServer })
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
