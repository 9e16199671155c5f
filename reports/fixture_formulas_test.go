package reports

import (
	"time"

	"github.com/podclock/podclock/harness/formula"
)

// The formulas of the fixture are its own: like the oracle's in shape, but no golden file changes when the
// oracle learns something.

func window(u formula.Unit, terms ...formula.Term) formula.Window {
	w := formula.Window{Unit: u}
	for _, t := range terms {
		w = w.With(t)
	}
	return w
}

func part(name string, earliest, latest time.Duration) formula.Term {
	return formula.Term{Name: name, Earliest: int64(earliest), Latest: int64(latest)}
}

func times(terms ...formula.Term) formula.Window { return window(formula.Nanoseconds, terms...) }

func count(name string, n int) formula.Window {
	return window(formula.Count, formula.Term{Name: name, Earliest: int64(n), Latest: int64(n)})
}

var delays = []formula.Term{part("signal delivery", -100*time.Millisecond, 0), part("runtime", 0, 500*time.Millisecond)}

func grace(in formula.Input) time.Duration {
	return time.Duration(in.Kill.TerminationGracePeriodSeconds) * time.Second
}

// left is what a hook that took between the two left of the grace period, at least two seconds.
func left(in formula.Input, cut time.Duration) formula.Term {
	rest := func(hook time.Duration) time.Duration { return max(2*time.Second, grace(in)-hook.Truncate(cut)) }
	return part("grace that the hook left, at least 2 s", rest(in.Kill.HookElapsed.High), rest(in.Kill.HookElapsed.Low))
}

var (
	remainder = formula.Formula{
		ID:     "termination/remainder",
		Says:   "SIGKILL comes when what the hook left of the grace period ends, at least two seconds after SIGTERM",
		Source: "pkg/kubelet/kuberuntime/kuberuntime_container.go killContainer",
		Implemented: func(in formula.Input) formula.Window {
			return times(append(delays, left(in, time.Second))...)
		},
		Documented: func(in formula.Input) *formula.Window {
			w := times(
				append(
					delays,
					part(
						"grace period less the hook's time",
						grace(in)-in.Kill.HookElapsed.High,
						grace(in)-in.Kill.HookElapsed.Low,
					),
				)...)
			return &w
		},
		Promise:      "The hook's time is part of the grace period, to the end of which the process may live.",
		DocumentedAt: "https://example.org/pod-lifecycle/#pod-termination",
		Issues:       func(formula.Input) string { return "kubernetes#115817, kubernetes#31902" },
	}
	killLength = formula.Formula{
		ID:     "termination/kill-length",
		Says:   "from the delete request to the death, hook included, it takes the grace period",
		Source: "pkg/kubelet/pod_workers.go podWorkerLoop",
		Implemented: func(in formula.Input) formula.Window {
			hook := in.Kill.HookElapsed
			return times(
				append(
					delays,
					part("watch and relist", 0, 2300*time.Millisecond),
					part("hook", hook.Low, hook.High),
					left(in, time.Second),
				)...)
		},
	}
	obeyed = formula.Formula{
		ID:          "termination/obeyed-signal",
		Says:        "a process that exits on SIGTERM is gone when it exits",
		Source:      "containerd internal/cri/server/container_stop.go",
		Of:          formula.Runtime,
		Implemented: func(formula.Input) formula.Window { return times(part("exit", 0, 500*time.Millisecond)) },
	}
	failingProbes = formula.Formula{
		ID:     "probes/failing-probes",
		Says:   "a container is killed after failureThreshold failing probes in a row; failures before a crash of its own count on",
		Source: "pkg/kubelet/prober/worker.go doProbe",
		Implemented: func(in formula.Input) formula.Window {
			return count("failing probes in a row", in.Probe.FailureThreshold-in.CarriedFailures)
		},
		Documented: func(in formula.Input) *formula.Window {
			w := count("failureThreshold", in.Probe.FailureThreshold)
			return &w
		},
		Promise:      "After failureThreshold failures in a row the kubelet restarts that container.",
		DocumentedAt: "https://example.org/probes/",
	}
	spacing = formula.Formula{
		ID:     "probes/kill-spacing",
		Says:   "the probe's ticker runs on over a restart, so kills come at its ticks",
		Source: "pkg/kubelet/prober/worker.go run",
		Implemented: func(in formula.Input) formula.Window {
			period := time.Duration(in.Probe.PeriodSeconds) * time.Second
			further := time.Duration(in.Probe.FailureThreshold-1) * period
			return times(
				part("ticks until the next life's first probe", 2*period, 2*period),
				part(
					"further failing probes, a period apart",
					further,
					further,
				),
				part("tick to tick", -500*time.Millisecond, 500*time.Millisecond),
			)
		},
	}
	noKill = formula.Formula{
		ID:          "probes/no-kill",
		Says:        "failures that a success interrupts before failureThreshold kill nobody",
		Source:      "pkg/kubelet/prober/worker.go doProbe",
		Implemented: func(formula.Input) formula.Window { return count("SIGTERMs", 0) },
	}
	resultRunOne = formula.Rival{
		Name:      "resultRun is reset to 1 instead of 0 after a kill: later lives get one failing probe less",
		Reference: "kubernetes PR 62853",
		Would: func(in formula.Input) formula.Window {
			return count("failing probes", in.Probe.FailureThreshold-min(1, in.Life-1))
		},
	}
)
