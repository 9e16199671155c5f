package trial

import (
	"fmt"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/podclock/podclock/harness/measure/timeline"
	"github.com/podclock/podclock/harness/measure/victim"
	"github.com/podclock/podclock/harness/rules/lifecycle"
)

// Measure is what a claim measures: the time between two points, or a count, or something that is read.
type Measure struct {
	From, To Point
	apart    bool
	// counted is empty for a time.
	counted counted
	// kind is the kind of probe, the container, or the reason of an event; other is a second kind of probe.
	kind   string
	other  string
	number int
	// at is when the value can be read, and within how much later.
	at Point
	// mark is where a count begins or ends.
	mark   Point
	within time.Duration
	// report is the kind of report whose misreports are counted.
	report timeline.Report
	// found is what a count of what has no cause counts.
	found *[]timeline.Misreport
}

type counted string

const (
	failingProbes counted = "failing-probes"
	probes        counted = "probes"
	hookRuns      counted = "hook-runs"
	stopSignals   counted = "sigterms"
	ends          counted = "ends"
	exitCode      counted = "exit-code"
	endReason     counted = "end-reason"
	events        counted = "events"
	restartCount  counted = "restart-count"
	deletionGrace counted = "deletion-grace"
	deletionShift counted = "deletion-shift"
	faultStatus   counted = "fault-status"
	hasCondition  counted = "condition"
	hasReason     counted = "reason"
	objects       counted = "objects"
	stopSignal    counted = "stop-signal"
	inARow        counted = "in-a-row"
	losses        counted = "losses"
	starts        counted = "starts"
	ended         counted = "ended"
)

// Between measures the time from one point to another.
func Between(from, to Point) Measure { return Measure{From: from, To: to} }

// Apart measures the time between two points, whichever came first.
func Apart(a, b Point) Measure { return Measure{From: a, To: b, apart: true} }

// FailingProbes counts the failing probes of a kind that a life saw after its last success.
func FailingProbes(kind string, life int) Measure {
	return Measure{counted: failingProbes, kind: kind, at: Gone.Life(life)}
}

// Probes counts the probes of a kind that a life saw.
func Probes(kind string, life int) Measure {
	return Measure{counted: probes, kind: kind, at: Gone.Life(life)}
}

// ProbesBefore counts the probes of a kind that a life saw before the first one of another kind.
func ProbesBefore(kind, other string, life int) Measure {
	return Measure{counted: probes, kind: kind, other: other, at: Gone.Life(life)}
}

// ProbesSince counts the probes of a kind that a life saw after a point.
func ProbesSince(kind string, since Point) Measure {
	return Measure{counted: probes, kind: kind, at: Gone, mark: since}
}

// ProbesWithin counts the probes of a kind that the first life saw within a time after its start.
func ProbesWithin(kind string, d time.Duration) Measure {
	return Measure{counted: probes, kind: kind, at: Started, within: d}
}

// ProbesInARowUntil counts the probes with the same result that a life saw last before a point.
func ProbesInARowUntil(kind string, life int, until Point) Measure {
	return Measure{counted: inARow, kind: kind, at: Started.Life(life), mark: until}
}

// HookRuns counts the runs of a life's preStop hook.
func HookRuns() Measure { return Measure{counted: hookRuns, at: Gone} }

// StopSignals counts a life's stop signals.
func StopSignals() Measure { return Measure{counted: stopSignals, at: Gone} }

// StopSignal reads the number, as in Linux, of a life's first stop signal.
func StopSignal() Measure { return Measure{counted: stopSignal, at: SIGTERM} }

// EndsWithin returns 1 if a signal or death ended the first life within a time after its start, else 0.
func EndsWithin(d time.Duration) Measure { return Measure{counted: ends, at: Started, within: d} }

// DeathCode reads the exit code of the first life from the API.
func DeathCode() Measure { return Measure{counted: exitCode, at: Gone} }

// EndReason reads 1 if the API shows the end of the first life with a reason, 0 if it shows another.
func EndReason(reason string) Measure {
	return Measure{counted: endReason, kind: strings.ToLower(reason), at: Gone}
}

// Starts counts the lives that a container began until this long after a point.
func Starts(container string, after Point, within time.Duration) Measure {
	kind := container
	if container == Main {
		kind = ""
	}
	return Measure{counted: starts, kind: kind, at: after, within: within}
}

// Ended returns 1 if a signal or death ended a container's first life until this long after a point, else 0.
func Ended(container string, after Point, within time.Duration) Measure {
	return Measure{counted: ended, kind: container, at: after, mark: after, within: within}
}

// Events counts the pod's events of one reason until this long after a point.
func Events(reason string, after Point, within time.Duration) Measure {
	return Measure{counted: events, kind: reason, at: after, within: within}
}

// Losses counts how often a condition of the pod stopped being true until this long after a point, while no
// container stopped. A container that ends makes the pod unready, and on a busy node it may end within the time.
func Losses(condition string, after Point, within time.Duration) Measure {
	return Measure{counted: losses, kind: condition, at: after, mark: after, within: within}
}

// RestartCount reads the restartCount that the API shows with the running state of a life.
func RestartCount(life int) Measure { return Measure{counted: restartCount, at: Started.Life(life)} }

// DeletionGrace reads the deletionGracePeriodSeconds after the fault of this number.
func DeletionGrace(fault int) Measure {
	return Measure{counted: deletionGrace, number: fault, at: Injected.Number(fault)}
}

// DeletionShift reads by how many seconds a fault moved the first deletionTimestamp.
func DeletionShift(fault int) Measure {
	return Measure{counted: deletionShift, number: fault, at: Injected.Number(fault)}
}

// FaultStatus reads the HTTP status with which the API server refused a fault, 0 if it did not.
func FaultStatus(fault int) Measure {
	return Measure{counted: faultStatus, number: fault, at: Injected.Number(fault)}
}

// HasCondition reads 1 if the pod has a condition this long after a point, else 0.
func HasCondition(name string, after Point, within time.Duration) Measure {
	return Measure{counted: hasCondition, kind: strings.ToLower(name), at: after, within: within}
}

// HasReason reads 1 if the pod has a status.reason this long after a point, else 0.
func HasReason(name string, after Point, within time.Duration) Measure {
	return Measure{counted: hasReason, kind: strings.ToLower(name), at: after, within: within}
}

// Objects reads 1 if the pod's object still exists this long after a point, else 0.
func Objects(after Point, within time.Duration) Measure {
	return Measure{counted: objects, at: after, within: within}
}

// Life returns the same count of another life.
func (m Measure) Life(n int) Measure { m.at.LifeNumber = n; return m }

// Of returns the same measure of another container.
func (m Measure) Of(container string) Measure {
	if m.counted == "" {
		m.From, m.To = m.From.ofMain(container), m.To.ofMain(container)
	}
	m.at = m.at.ofMain(container)
	return m
}

// String returns the measure's stable name.
func (m Measure) String() string {
	switch {
	case m.apart:
		return m.From.String() + "-and-" + m.To.String() + "-apart"
	case m.counted == "":
		return m.From.String() + "-to-" + m.To.String()
	}
	s := string(m.counted)
	if m.kind != "" {
		s = m.kind + "-" + s
	}
	if m.other != "" {
		s += "-before-" + m.other
	}
	if m.counted == inARow {
		s += "-until-" + m.mark.String()
	} else if m.mark.Event != "" {
		s += "-since-" + m.mark.String()
	}
	if m.number > 1 {
		s = fmt.Sprintf("%s-no%d", s, m.number)
	}
	if m.at.Container != "" && m.at.Container != Main && m.counted != ended {
		s = m.at.Container + "-" + s
	}
	if m.within > 0 {
		s = fmt.Sprintf("%s-within-%v", s, m.within)
	}
	if m.at.LifeNumber > 1 {
		s = fmt.Sprintf("%s-%d", s, m.at.LifeNumber)
	}
	return s
}

// Container returns the container of the measured life, "" for measures of the pod.
func (m Measure) Container() string {
	if m.counted == "" {
		if m.To.Container != "" {
			return m.To.Container
		}
		return m.From.Container
	}
	return m.at.Container
}

// LifeNumber returns the number of the life that the measure ends in, from 1.
func (m Measure) LifeNumber() int {
	if m.counted == "" {
		return max(1, m.To.LifeNumber, m.From.LifeNumber)
	}
	return max(1, m.at.LifeNumber)
}

func (m Measure) attempt() int {
	if m.To.Event != lifecycle.Pulled {
		return 0
	}
	return m.To.index() + 1
}

func (m Measure) probeKind() string {
	for _, kind := range []string{m.kind, m.To.Kind, m.From.Kind} {
		switch kind {
		case victim.Liveness, victim.Readiness, victim.Startup:
			return kind
		case string(corev1.PodReady):
			return victim.Readiness
		}
	}
	return ""
}

// OfHook reports whether a time begins or ends with a mark of a preStop hook.
func (m Measure) OfHook() bool {
	of := func(p Point) bool { return p.Event == lifecycle.HookBegan || p.Event == lifecycle.HookEnded }
	return of(m.From) || of(m.To)
}

// EndsWaiting reports whether the measure ends with a waiting container.
func (m Measure) EndsWaiting() bool { return m.To.Event == lifecycle.Waiting }

// InOneMessage reports whether one message holds the whole value.
func (m Measure) InOneMessage() bool { return m.counted == stopSignal || m.counted == faultStatus }

// SignalToDeath reports whether the measure is the time from a life's stop signal to its death.
func (m Measure) SignalToDeath() bool {
	return m.From.Event == lifecycle.SIGTERM && m.To.Event == lifecycle.Gone && m.From.Container == m.To.Container &&
		max(1, m.From.LifeNumber) == max(1, m.To.LifeNumber)
}

// OfDeletion reports whether the measure reads the pod's deletion from the API.
func (m Measure) OfDeletion() bool { return m.counted == deletionGrace || m.counted == deletionShift }

// EndsAtSync reports whether the measure ends in a pull or in a later life. Both begin with the pod worker's first sync
// after a back-off; its syncs are ten to fifteen seconds apart.
func (m Measure) EndsAtSync() bool {
	return m.To.Event == lifecycle.Pulled || max(1, m.To.LifeNumber) > max(1, m.From.LifeNumber)
}
