// Package observe makes facts of what an API server and the nodes show about pods that nobody prepared: why each
// container died, when, how, and which windows of its prediction that was in.
//
// It knows no client and no clock. Objects, events and ends of processes come in with the times at which they were
// seen; facts come out once nothing more can change them.
package observe

import (
	"time"

	"github.com/podclock/podclock/harness/predict"
	"github.com/podclock/podclock/harness/rules/formula"
)

// Source is what an instant is known from.
type Source string

// The sources of instants, the most exact first.
const (
	// ByNode is the end of a process as its node's kernel reported it.
	ByNode Source = "node"
	// ByWatch is the arrival of a change at this machine.
	ByWatch Source = "watch"
	// ByStatus is a time of the API, which has whole seconds.
	ByStatus Source = "status"
)

// Instant is when something happened: at no time before Earliest or after Latest, and probably at At.
type Instant struct {
	Earliest, At, Latest time.Time
	By                   Source
}

// Since returns the time from an earlier instant.
func (i Instant) Since(from Instant) Duration {
	return Duration{Least: i.Earliest.Sub(from.Latest), Probably: i.At.Sub(from.At), Most: i.Latest.Sub(from.Earliest)}
}

// Error is how far the instant may be from At.
func (i Instant) Error() time.Duration { return max(i.At.Sub(i.Earliest), i.Latest.Sub(i.At)) }

// Duration is a time between two instants, as exact as they are.
type Duration struct{ Least, Probably, Most time.Duration }

// Error is how far the duration may be from Probably.
func (d Duration) Error() time.Duration { return max(d.Probably-d.Least, d.Most-d.Probably) }

// Pod is a pod of a cluster. Workload is what made it, as kubectl names it, such as "deployment/web".
type Pod struct{ Namespace, Name, UID, Workload, Node string }

// Fact is a [Death], a [Departure], a [Successor] or a [Gap].
type Fact interface{ fact() }

// Outcome is how a process ended.
type Outcome string

// The outcomes of deaths.
const (
	Exited  Outcome = "exited"
	SIGKILL Outcome = "SIGKILL"
	// Unknown is the outcome of an end that the runtime did not report.
	Unknown Outcome = "unknown"
)

// Death is the end of a container's process.
type Death struct {
	Pod
	Container string
	// Life counts from 1.
	Life  int
	Cause formula.Cause
	// Why is what the cluster says about the cause, or what is missing to know it.
	Why string
	// Began is the delete request, or the kubelet's event of the kill. It is nil if nothing asked the process to end.
	Began   *Instant
	At      Instant
	Outcome Outcome
	// ExitCode is the runtime's, nil if it reported none.
	ExitCode *int32
	// Grace is the grace period of the kill.
	Grace time.Duration
	// Windows compare the death with its prediction.
	Windows []Compared
	// APIOnly is set if a node part watched the node, but did not see this end: the life was too short.
	APIOnly bool
}

// Took returns the time from the beginning of the kill to the death.
func (d Death) Took() (Duration, bool) {
	if d.Began == nil {
		return Duration{}, false
	}
	took := d.At.Since(*d.Began)
	took.Least, took.Probably = max(0, took.Least), max(0, took.Probably) // nothing dies of what comes later
	return took, true
}

// Share returns which part of its grace period the process used.
func (d Death) Share() (float64, bool) {
	took, asked := d.Took()
	if !asked || d.Grace <= 0 {
		return 0, false
	}
	return float64(took.Probably) / float64(d.Grace), true
}

// Departure is the end of a pod: its object is removed, or its kubelet ended it for good.
type Departure struct {
	Pod
	Cause formula.Cause
	Why   string
	// Requested is the delete request, nil if nobody deleted the pod.
	Requested *Instant
	Gone      Instant
	// Services are those that had the pod as ready when its end began.
	Services []Service
}

// Service is one that had the pod.
type Service struct {
	Name string
	// Left is when the EndpointSlices showed the pod as not ready. It is nil if they never did.
	Left *Instant
	// Stayed counts from the delete.
	Stayed Duration
}

// Successor is what became ready in place of a container or a pod.
type Successor struct {
	// Of is the pod that had the death. Container is empty if the pod is replaced.
	Of        Pod
	Container string
	Pod       Pod
	Ready     Instant
	// After counts from the death of the container, or from the delete of the pod.
	After   Duration
	Windows []Compared
}

// Gap is a time of which something may be missing.
type Gap struct {
	From, To time.Time
	What     string
}

func (Death) fact()     {}
func (Departure) fact() {}
func (Successor) fact() {}
func (Gap) fact()       {}

// Compared is a measured time beside its window.
type Compared struct {
	// What is such as "from the delete to the death".
	What     string
	Measured Duration
	Window   predict.Span
	// Unpredicted is why there is no window, or empty.
	Unpredicted string
}

// Outside returns how far the time lies outside its window in any case: below zero if it is too early, and 0 if it may
// be inside.
func (c Compared) Outside() time.Duration {
	switch {
	case c.Unpredicted != "":
		return 0
	case c.Measured.Most < c.Window.Earliest:
		return c.Measured.Most - c.Window.Earliest
	case c.Measured.Least > c.Window.Latest:
		return c.Measured.Least - c.Window.Latest
	}
	return 0
}

// Sure reports whether the time is inside its window in any case.
func (c Compared) Sure() bool {
	return c.Unpredicted == "" && c.Measured.Least >= c.Window.Earliest && c.Measured.Most <= c.Window.Latest
}

// Deviates reports whether a time lies outside its window.
func Deviates(all []Compared) bool {
	for _, c := range all {
		if c.Outside() != 0 {
			return true
		}
	}
	return false
}

// Late reports whether a time lies after its window.
func Late(all []Compared) bool {
	for _, c := range all {
		if c.Outside() > 0 {
			return true
		}
	}
	return false
}
