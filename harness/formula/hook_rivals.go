package formula

import "time"

// Rivals of the rule that a hook's time is subtracted in whole seconds that have passed.
var (
	// HookSubtractedExactly subtracts the hook's time with its fraction of a second.
	HookSubtractedExactly = Rival{
		Name:         "the hook's time is subtracted with its fraction of a second",
		Reference:    "kuberuntime_container.go executePreStopHook",
		WholeSeconds: true,
		Would: func(in Input) Window {
			return in.hookLeaves(func(p time.Duration) time.Duration { return p })
		},
	}
	// HookRoundedUp subtracts every second that the hook began.
	HookRoundedUp = Rival{
		Name:      "the second that the hook began is subtracted as a whole one",
		Reference: "kuberuntime_container.go executePreStopHook",
		Would: func(in Input) Window {
			return in.hookLeaves(func(p time.Duration) time.Duration { return ceilDiv(p, time.Second) * time.Second })
		},
	}
)

// Rivals of the rules that a hook is run, and slept.
var (
	// HookNotRun runs no hook, as kubelets before HookSubtractedLast did after a force delete, for which
	// they found no grace.
	HookNotRun = Rival{
		Name:      "the preStop hook is not run at all",
		Reference: "kuberuntime_container.go killContainer (gracePeriod > 0); of a force delete, kubelets before 1.28",
		Would:     func(Input) Window { return count("runs", 0) },
	}
	// SleepNotSlept takes no time for the kubelet's own sleep action, as kubelets do whose gate is off.
	SleepNotSlept = Rival{
		Name: "the sleep action takes no time", Reference: "KEP-3960 (PodLifecycleSleepAction off)",
		Would: func(Input) Window { return window(Nanoseconds, deleteToKill()...) },
	}
)

// hookLeaves is the window of the time from the stop signal to the death where so much of the hook's time
// is subtracted.
func (in Input) hookLeaves(subtracted func(time.Duration) time.Duration) Window {
	p := in.hookPart()
	left := func(p time.Duration) time.Duration {
		return max(minimumGracePeriodInSeconds*time.Second, seconds(in.grace())-subtracted(p))
	}
	return window(
		Nanoseconds,
		append(signalToKill(), between("grace that the hook left, at least 2 s", left(p.High), left(p.Low)))...)
}
