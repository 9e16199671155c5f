package formula

// The formulas of a healthy container that begins to fail its probe, for predictions. The catalogue's claims measure
// from the probes themselves.

const (
	periodPromise = "A probe is performed every periodSeconds."
	untilNext     = "until the next probe: none, or a whole period if the last one has just been answered"
)

// FaultSeen is the time from a fault to the first failing probe.
var FaultSeen = documented(Formula{
	ID:           "probes/fault-to-first-failure",
	Description:  "a container is probed once a period, so the first failing probe comes within one period",
	Source:       "pkg/kubelet/prober/worker.go run",
	Implemented:  faultSeen,
	Promise:      periodPromise,
	DocumentedAt: configureProbesPage,
})

func faultSeen(in Input) Window {
	return span(upTo(untilNext, in.Probe.cadence()),
		upTo("tick to tick", tickJitter),
		in.Probe.way(),
	)
}

// FailuresApart is the time from a streak's first failing probe to its last.
var FailuresApart = Formula{
	ID:          "probes/first-to-last-failure",
	Description: "the needed failing probes are a period apart, or as far apart as each takes",
	Source:      "pkg/kubelet/prober/worker.go run, doProbe",
	Implemented: func(in Input) Window { return in.anyNeeded(failuresApart) },
	Documented: promised(func(in Input) Window {
		return failuresApart(in, in.Probe.FailureThreshold)
	}),
	Promise: FailingProbes.Promise, DocumentedAt: configureProbesPage,
}

func failuresApart(in Input, failures int) Window {
	return span(in.Probe.apart(failures),
		in.Probe.overrun(failures-1),
		in.Probe.ways(),
		jitter)
}

// FaultKills is the time from a fault to the kill.
var FaultKills = documented(Formula{
	ID:           "probes/fault-to-kill",
	Description:  "the first failing probe comes within one period of the fault, the others a period apart",
	Source:       ProbeKills.Source,
	Implemented:  faultKills,
	Promise:      periodPromise + " " + FailingProbes.Promise,
	DocumentedAt: configureProbesPage,
})

func faultKills(in Input) Window {
	failures := in.Probe.FailureThreshold
	return span(upTo(untilNext, in.Probe.cadence()),
		in.Probe.apart(failures),
		in.Probe.overrun(failures-1),
		exactly("the last probe itself", in.Probe.Takes),
		jitter,
		synced)
}

// ToHook turns a formula for the time to SIGTERM into one for the time to the preStop hook, if that runs.
func ToHook(f Formula) Formula {
	added := f
	added.Implemented = func(in Input) Window { return startingHook(f.Implemented(in), in) }
	if f.Documented != nil {
		added.Documented = func(in Input) *Window {
			w := f.Documented(in)
			if w == nil {
				return nil
			}
			to := startingHook(*w, in)
			return &to
		}
	}
	return added
}

func startingHook(w Window, in Input) Window {
	if !in.RunsHook() {
		return w
	}
	return w.With(in.hookStarts())
}
