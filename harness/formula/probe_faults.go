package formula

import "time"

// The formulas of a healthy container that begins to fail its probe, for predictions. The catalogue's claims measure
// from the probes themselves.

const (
	periodPromise = "A probe is performed every periodSeconds."
	untilNext     = "until the next probe: none, or a whole period if the last one has just been answered"
)

// FaultSeen is the time from when a healthy container begins to fail its probe to its first failing probe.
var FaultSeen = Formula{
	ID: "probes/fault-to-first-failure",
	Says: "a container is probed once a period, so the first failing probe comes within one period of the " +
		"fault",
	Source:       "pkg/kubelet/prober/worker.go run",
	Implemented:  faultSeen,
	Documented:   promised(faultSeen),
	Promise:      periodPromise,
	DocumentedAt: configureProbesPage,
}

func faultSeen(in Input) Window {
	return span(upTo(untilNext, in.Probe.cadence()),
		upTo("tick to tick", tickJitter),
		upTo("probe on its way", in.Probe.arrival()),
	)
}

// FailuresApart is the time from the first failing probe of a streak to the one that reaches failureThreshold.
var FailuresApart = Formula{
	ID:          "probes/first-to-last-failure",
	Says:        "the needed failing probes are a period apart, or as far apart as each takes if that is longer",
	Source:      "pkg/kubelet/prober/worker.go run, doProbe",
	Implemented: func(in Input) Window { return failuresApart(in, in.needed()) },
	Documented: promised(func(in Input) Window {
		return failuresApart(in, in.Probe.FailureThreshold)
	}),
	Promise: FailingProbes.Promise, DocumentedAt: configureProbesPage,
}

func failuresApart(in Input, failures int) Window {
	way := in.Probe.arrival()
	return span(exactly("failing probes, a period apart", time.Duration(failures-1)*in.Probe.cadence()),
		in.Probe.overrun(failures-1),
		between("probes on their way", -way, way),
		between("tick to tick", -tickJitter, tickJitter))
}

// FaultKills is the time from when a healthy container begins to fail its probe to the kill.
var FaultKills = Formula{
	ID: "probes/fault-to-kill",
	Says: "the kill comes with the last needed failing probe: the first within one period of the fault, the " +
		"others a period apart",
	Source:       ProbeKills.Source,
	Implemented:  faultKills,
	Documented:   promised(faultKills),
	Promise:      periodPromise + " " + FailingProbes.Promise,
	DocumentedAt: configureProbesPage,
}

func faultKills(in Input) Window {
	failures := in.Probe.FailureThreshold
	return span(upTo(untilNext, in.Probe.cadence()),
		exactly("failing probes, a period apart", time.Duration(failures-1)*in.Probe.cadence()),
		in.Probe.overrun(failures-1),
		exactly("the last probe itself", in.Probe.Takes),
		between("tick to tick", -tickJitter, tickJitter),
		upTo("sync", syncLatency))
}

// ToHook turns a formula for the time to a kill's SIGTERM into one for the time to the preStop hook, if that runs: it
// adds the start of its process or request.
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
