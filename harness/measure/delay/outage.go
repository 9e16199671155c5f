package delay

import (
	"time"

	"github.com/podclock/podclock/harness/measure/mark"
)

const (
	// MinOutage is the shortest time without an answer that is an outage (docs/measurements.md, "Outages"). A shorter
	// one is delay, which can explain a miss but casts no doubt on a hit.
	MinOutage = 1500 * time.Millisecond
	// The kubelet looks at the runtime and its pods once a second (generic.go, kubelet.go syncTicker), and times are
	// cut to seconds.
	aftermath = time.Second
	// cri-client reconnects after up to maxBackoffDelay (remote_runtime.go), plus gRPC's jitter of a fifth
	// (backoff.DefaultConfig).
	reconnected = 3600 * time.Millisecond
	// The pod worker repeats a failed sync after backOffPeriod (kubelet.go) plus workerBackOffPeriodJitterFactor
	// (pod_workers.go completeWork).
	errorAgain = 15 * time.Second
	// Clients return to an API server after pauses that double up to half a minute, with up to 100 % jitter (client-go
	// reflector.go). They repeat an event after ten seconds (event.go defaultSleepDuration).
	longestAftermath, eventAgain = time.Minute, 10 * time.Second
)

// Aftermath returns for how long after the outage delayed work still arrives, in nanoseconds.
func (o Outage) Aftermath() int64 {
	switch o.Component {
	case mark.APIServer:
		return min(2*(o.To-o.From)+int64(eventAgain), int64(longestAftermath))
	case mark.ContainerRuntime:
		return int64(reconnected + errorAgain + aftermath)
	}
	return int64(aftermath)
}

// SettledAt returns the instant after which no outage affects anything, 0 if there was none.
func (r Record) SettledAt() int64 {
	settled := int64(0)
	for _, o := range r.Outages(MinOutage) {
		settled = max(settled, o.To+o.Aftermath())
	}
	return settled
}

// Affecting returns the outages that can have affected what happened between two instants.
func (r Record) Affecting(from, to int64) (affecting []Outage) {
	for _, o := range r.Outages(MinOutage) {
		if o.From < to && o.To+o.Aftermath() > from {
			affecting = append(affecting, o)
		}
	}
	return affecting
}
