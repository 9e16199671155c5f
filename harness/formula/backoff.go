package formula

import (
	"cmp"
	"slices"
	"time"
)

// The numbers of the crash-loop back-off (pkg/kubelet/kubelet.go, constants of these names).
const (
	initialCrashLoopBackOff        = 10 * time.Second
	maxCrashLoopBackOff            = 300 * time.Second
	reducedInitialCrashLoopBackOff = 1 * time.Second
	reducedMaxCrashLoopBackOff     = 60 * time.Second
	// backOffExpiration is the age at which a back-off is forgotten: 2*max up to 1.31, a number of its own since
	// (kubelet.go, HasExpiredFunc).
	backOffExpiration = 600 * time.Second
)

// growth returns what the kubelet computes (kubelet.go newCrashLoopBackOff). A maximum of the node's own replaces the
// reduced one even if it is only a default.
type growth struct{ initial, max time.Duration }

// after returns the value that follows another; 0 is no back-off yet (client-go util/flowcontrol/backoff.go Next).
func (g growth) after(b time.Duration) time.Duration {
	if b == 0 {
		return g.initial
	}
	return min(2*b, g.max)
}

// growth is what the kubelet computes (kubelet.go newCrashLoopBackOff): a maximum of the node's own
// replaces the reduced one even where it was only filled in by default.
func (k Kubelet) growth() growth {
	g := growth{initialCrashLoopBackOff, maxCrashLoopBackOff}
	if k.Has(ReducedBackOff) {
		g = growth{reducedInitialCrashLoopBackOff, reducedMaxCrashLoopBackOff}
	}
	if k.Has(NodeRestartPeriod) {
		g.max = cmp.Or(k.MaxContainerRestartPeriod, maxCrashLoopBackOff)
		g.initial = min(g.initial, g.max)
	}
	return g
}

// documentedGrowth returns what the documentation promises: the reduced maximum holds unless the node has another
// than the ordinary one.
func (k Kubelet) documentedGrowth() growth {
	g := k.growth()
	if k.Has(ReducedBackOff) && g.max == maxCrashLoopBackOff {
		g.max = reducedMaxCrashLoopBackOff
	}
	return g
}

// life returns a measured life by its number, from 1, or a zero one if it was not measured.
func (in Input) life(n int) Life {
	if n < 1 || n > len(in.Lives) {
		return Life{}
	}
	return in.Lives[n-1]
}

// happened reports whether one of some times is after the start of a life and before the start of the next, or before
// its death if dead is set.
func (in Input) happened(times []time.Duration, n int, dead bool) bool {
	from, until := in.life(n).Started, in.life(n+1).Started
	if dead {
		until = in.life(n).Gone
	}
	for _, t := range times {
		if from != 0 && t > from && (t < until || until == 0 && !dead) {
			return true
		}
	}
	return false
}

// killedByProbe reports whether a probe ended a life, so that the same sync restarts the container. The kubelet
// learns of any other end later.
func (in Input) killedByProbe(n int) bool {
	return in.life(n).Signalled && in.Kill.byProbe()
}

// firstOfPod reports whether no instance of the container had ended in its pod before a life.
func (in Input) firstOfPod(n int) bool { return n <= 1 || in.happened(in.Recreations, n-1, false) }

// backOffs returns the values that the kubelet's back-off of the container may have when a life ends, 0 for none.
// There are several if the measured times leave open whether it was forgotten. The rule is kuberuntime_manager.go
// doBackOff, applied to the measured lives.
func (in Input) backOffs(life int) []time.Duration {
	possible := []time.Duration{0}
	for n := 1; n < life; n++ {
		possible = in.restarted(possible, n)
	}
	if in.happened(in.Restarts, life, true) || in.happened(in.Changes, life, true) {
		return []time.Duration{0}
	}
	return possible
}

// restarted returns the values after the restart that followed a life.
func (in Input) restarted(possible []time.Duration, n int) []time.Duration {
	g := in.Kubelet.growth()
	switch {
	case in.happened(in.Recreations, n, false):
		return []time.Duration{0} // another pod, another entry
	case in.killedByProbe(n) && in.firstOfPod(n):
		return possible // no ended instance was seen: the entry is not touched
	case in.happened(in.Restarts, n, false), in.happened(in.Changes, n, false):
		return []time.Duration{g.initial} // kept in memory only, under a key that holds the image
	}
	var after []time.Duration
	kept, forgotten := in.age(n)
	for _, b := range possible {
		// A container that started before its back-off was over did not wait for it.
		early := forgotten && !in.killedByProbe(n) && in.life(n+1).Started-in.life(n).Gone < b
		if kept && !early {
			after = append(after, g.after(b))
		}
		if forgotten {
			after = append(after, g.initial)
		}
	}
	slices.Sort(after)
	return slices.Compact(after)
}

// age reports whether the back-off of a life's start may have been kept until the next restart, and whether it may
// have been forgotten. It was made before the life's container was created, and is read before the next one is.
func (in Input) age(n int) (kept, forgotten bool) {
	from, to := in.life(n).Started, in.life(n+1).Started
	if from == 0 || to == 0 {
		return true, false
	}
	return to-from-containerStart <= backOffExpiration+housekeeping, to-from+containerStart > backOffExpiration
}

// documentedBackOff returns what the documentation promises as the wait after a life: nothing after the first end,
// then the growing series, and again from the beginning after a life of ten minutes. It promises nothing for a
// restarted kubelet or another image.
func (in Input) documentedBackOff(life int) (b time.Duration, said bool) {
	g := in.Kubelet.documentedGrowth()
	for n := 1; n <= life; n++ {
		if in.happened(in.Restarts, n, false) || in.happened(in.Changes, n, false) {
			return 0, false
		}
		switch l := in.life(n); {
		case in.firstOfPod(n), l.Started != 0 && l.Gone-l.Started >= backOffExpiration:
			b = 0
		default:
			b = g.after(b)
		}
	}
	return b, true
}
