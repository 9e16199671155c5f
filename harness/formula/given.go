package formula

import "time"

// Given is the input with everything that no spec tells taken from another one: what was measured of a pod,
// or is assumed of it.
func (in Input) Given(facts Input) Input {
	given := facts
	given.Kubelet, given.Startup, given.Neighbours, given.Sidecar = in.Kubelet, in.Startup, in.Neighbours, in.Sidecar
	given.Probe, given.Kill = in.Probe, in.Kill
	given.Probe.Takes, given.Kill.Ended = facts.Probe.Takes, facts.Kill.Ended
	if in.Kill.Hook != SleepHook {
		given.Kill.HookElapsed = facts.Kill.HookElapsed
	}
	return given
}

// GracePeriod is the grace period that the kill begins with, before the hook takes its part.
func (in Input) GracePeriod() time.Duration { return seconds(max(0, in.grace())) }

// CountsHook says whether the time of the kill's preStop hook is part of its grace period.
func (in Input) CountsHook() bool {
	_, given := in.override()
	return in.RunsHook() && (!given || in.Kubelet.Has(HookSubtractedLast))
}

// Left is the time between the stop signal and SIGKILL: what the hook leaves of the grace period, over all
// that it can have taken.
func (in Input) Left() Range {
	p := in.hookPart()
	return Range{Low: in.remainder(p.High), High: in.remainder(p.Low)}
}

// RestartEdges are the times in a range of Restart that bound every window which counts from it: its ends,
// and both sides of the first whole periods in it, where what is counted in ticks jumps. After one period
// the windows are the same again.
func (in Input) RestartEdges(r Range) []time.Duration {
	edges, period := []time.Duration{r.Low, r.High}, in.Probe.period()
	if period <= 0 {
		return edges
	}
	delay := in.delayTerm()
	for _, offset := range []time.Duration{time.Duration(delay.Earliest), in.Probe.arrival() + time.Duration(delay.Latest)} {
		whole := ceilDiv(r.Low+offset, period)*period - offset
		for _, edge := range []time.Duration{whole, whole + 1} {
			if r.Low < edge && edge < r.High {
				edges = append(edges, edge)
			}
		}
	}
	return edges
}
