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

// Growth is the first and the longest back-off (kubelet.go newCrashLoopBackOff).
type Growth struct{ Initial, Max time.Duration }

// After returns the value that follows another; 0 is no back-off yet (client-go util/flowcontrol/backoff.go Next).
func (g Growth) After(b time.Duration) time.Duration {
	if b == 0 {
		return g.Initial
	}
	return min(2*b, g.Max)
}

// Growth returns what the kubelet computes for crashed containers. A node's own maximum replaces the reduced one even
// if it is only a default.
func (k Kubelet) Growth() Growth {
	g := Growth{initialCrashLoopBackOff, maxCrashLoopBackOff}
	if k.Has(ReducedBackOff) {
		g = Growth{reducedInitialCrashLoopBackOff, reducedMaxCrashLoopBackOff}
	}
	if k.Has(NodeRestartPeriod) {
		g.Max = cmp.Or(k.MaxContainerRestartPeriod, maxCrashLoopBackOff)
		g.Initial = min(g.Initial, g.Max)
	}
	return g
}

// documentedGrowth returns the documented series: the reduced maximum holds unless the node has an extraordinary one.
func (k Kubelet) documentedGrowth() Growth {
	g := k.Growth()
	if k.Has(ReducedBackOff) && g.Max == maxCrashLoopBackOff {
		g.Max = reducedMaxCrashLoopBackOff
	}
	return g
}

// life returns a measured life by its number, from 1, or a zero one.
func (in Input) life(n int) Life {
	if n < 1 || n > len(in.Lives) {
		return Life{}
	}
	return in.Lives[n-1]
}

// happened reports whether one of the times surely is, or perhaps is, after a life's start and before the next start,
// or before its death if dead is set.
func (in Input) happened(times []time.Duration, n int, dead bool) (surely, perhaps bool) {
	from, until := in.life(n).Started, in.life(n+1).Started
	if dead {
		until = in.life(n).Gone
	}
	for _, t := range times {
		within := func(slack time.Duration) bool {
			return from != 0 && t > from-slack && (t < until+slack || until == 0 && !dead)
		}
		surely, perhaps = surely || within(-in.Delay), perhaps || within(in.Delay)
	}
	return surely, perhaps
}

// killedByProbe reports whether a probe ended a life, so that the same sync restarts the container.
func (in Input) killedByProbe(n int) bool {
	return in.life(n).Signalled && in.Kill.byProbe()
}

// firstOfPod reports whether surely, or perhaps, no instance of the container had ended in its pod before a life.
func (in Input) firstOfPod(n int) (surely, perhaps bool) {
	surely, perhaps = in.happened(in.Recreations, n-1, false)
	return surely || n <= 1, perhaps || n <= 1
}

// renewals are the times at which a back-off is lost: it is kept in memory only, under a key that holds the image
// and the resources.
func (in Input) renewals() []time.Duration { return slices.Concat(in.Restarts, in.Changes) }

// noneDead reports whether the kubelet surely, or perhaps, finds no dead instance when it kills a life: it is the first
// of its pod, or the garbage collection removed the instance before it. That keeps the newest container
// that does not run, which may be one that is created but not started
// (pkg/kubelet/kuberuntime/kuberuntime_gc.go evictableContainers). No issue is known.
func (in Input) noneDead(n int) (surely, perhaps bool) {
	surely, perhaps = in.firstOfPod(n)
	collected := in.life(n - 1).Collected
	return surely || collected, perhaps || collected
}

// backOffs returns the values that the back-off may have when a life ends (kuberuntime_manager.go doBackOff). There are
// several if the measured times leave open whether it was forgotten.
func (in Input) backOffs(life int) []time.Duration {
	possible := []time.Duration{0}
	for n := 1; n < life; n++ {
		possible = in.restarted(possible, n)
	}
	lost, perhaps := in.happened(in.renewals(), life, true)
	switch {
	case lost:
		return []time.Duration{0}
	case perhaps:
		return distinct(append(possible, 0))
	}
	return possible
}

func distinct(all []time.Duration) []time.Duration {
	slices.Sort(all)
	return slices.Compact(all)
}

func (in Input) restarted(possible []time.Duration, n int) []time.Duration {
	g := in.Kubelet.Growth()
	var after []time.Duration
	surely, perhaps := in.happened(in.Recreations, n, false)
	if perhaps {
		after = append(after, 0) // another pod, another entry
	}
	if surely {
		return after
	}
	if surely, perhaps = in.noneDead(n); perhaps && in.killedByProbe(n) {
		after = append(after, possible...) // no ended instance was seen: the entry is not touched
		if surely {
			return distinct(after)
		}
	}
	if surely, perhaps = in.happened(in.renewals(), n, false); perhaps {
		after = append(after, g.Initial)
	}
	if surely {
		return distinct(after)
	}
	kept, forgotten := in.age(n)
	for _, b := range possible {
		// A container that started before its back-off was over did not wait for it.
		early := forgotten && in.Delay == 0 && !in.killedByProbe(n) && in.life(n+1).Started-in.life(n).Gone < b
		if kept && !early {
			after = append(after, g.After(b))
		}
		if forgotten {
			after = append(after, g.Initial)
		}
	}
	return distinct(after)
}

// age reports whether the back-off of a life's start may have been kept until the next restart, and whether it may have
// been forgotten. It was made before the life's container, and is read before the next one is made.
func (in Input) age(n int) (kept, forgotten bool) {
	from, to := in.life(n).Started, in.life(n+1).Started
	if from == 0 || to == 0 {
		return true, false
	}
	shortest, longest := to-from-containerStart-in.Delay, to-from+containerStart+in.Delay
	return shortest <= backOffExpiration+housekeeping, longest > backOffExpiration
}

// documentedBackOff returns the documented wait after a life. There is none for a restarted kubelet or another image.
func (in Input) documentedBackOff(life int) (b time.Duration, said bool) {
	g := in.Kubelet.documentedGrowth()
	for n := 1; n <= life; n++ {
		if lost, _ := in.happened(in.renewals(), n, false); lost {
			return 0, false
		}
		first, _ := in.firstOfPod(n)
		switch l := in.life(n); {
		case first, l.Started != 0 && l.Gone-l.Started >= backOffExpiration:
			b = 0
		default:
			b = g.After(b)
		}
	}
	return b, true
}
