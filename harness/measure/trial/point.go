package trial

import (
	"fmt"
	"strings"

	"github.com/podclock/podclock/harness/rules/lifecycle"
)

// Main is the container that claims are about by default.
const Main = "victim"

// Point is one named instant of a timeline. A saved finding has its fields.
type Point struct {
	Event lifecycle.Event `json:"event"`
	// Container is empty for points of the pod and its node, LifeNumber is 0 for points of no life.
	Container  string `json:"container,omitempty"`
	LifeNumber int    `json:"life,omitempty"`
	// Kind is the kind of a probe, the reason of an event or of a waiting container, or the name of a companion, a
	// phase or a condition.
	Kind string `json:"kind,omitempty"`
	// Answer is that of an answered probe.
	Answer string `json:"answer,omitempty"`
	// Nth selects one of several, from 1. 0 is the first.
	Nth int `json:"number,omitempty"`
}

// The points of a timeline. Those of a life are of life 1 of the container Main; Life and Of select others.
var (
	// FaultDone is the end of a longer fault. Number selects another fault.
	Injected      = Point{Event: lifecycle.Fault}
	FaultDone     = Point{Event: lifecycle.FaultDone}
	ObjectDeleted = Point{Event: lifecycle.ObjectDeleted}
	// DeletionBegan is the first deletionTimestamp less its deletionGracePeriodSeconds: when the API server accepted
	// the delete, in whole seconds.
	DeletionBegan = Point{Event: lifecycle.DeletionBegan}
	// PodStartTime is status.startTime. The kubelet counts from that whole second (status_manager.go normalizeStatus).
	PodStartTime   = Point{Event: lifecycle.StartTime}
	Started        = inLife(lifecycle.Started, "")
	HookBegan      = inLife(lifecycle.HookBegan, "")
	HookEnded      = inLife(lifecycle.HookEnded, "")
	PostStartBegan = inLife(lifecycle.PostStartBegan, "")
	PostStartEnded = inLife(lifecycle.PostStartEnded, "")
	Filled         = inLife(lifecycle.Filled, "")
	// SIGTERM is a life's first stop signal, even if the image asks for another one.
	SIGTERM = inLife(lifecycle.SIGTERM, "")
	Gone    = inLife(lifecycle.Gone, "")
	// Requested is a life's first request through the trial's Service. LastRequest is its last one: none came for
	// requestsOver, or the life ended. The endpoint is the Pod's, or that of the companion Of whose container it is.
	Requested       = inLife(lifecycle.Requested, "")
	LastRequest     = inLife(lifecycle.LastRequest, "")
	EndpointReady   = Point{Event: lifecycle.EndpointReady}
	EndpointUnready = Point{Event: lifecycle.EndpointUnready}
	// ContainerReady is when the API first showed the container as ready, ContainerUnready when it no longer did.
	// Condition is about the pod, for which all its containers count.
	ContainerReady   = inLife(lifecycle.Ready, "")
	ContainerUnready = inLife(lifecycle.Unready, "")
)

func inLife(e lifecycle.Event, kind string) Point {
	return Point{Event: e, Container: Main, LifeNumber: 1, Kind: kind}
}

// FirstProbe is a life's first probe of a kind: "liveness", "readiness" or "startup".
func FirstProbe(kind string) Point { return inLife(lifecycle.FirstProbe, kind) }

// LastProbe is the last probe of a kind before a life's SIGTERM.
func LastProbe(kind string) Point { return inLife(lifecycle.LastProbe, kind) }

// NthProbe is probe number n of a kind in a life, from 1.
func NthProbe(kind string, n int) Point { return inLife(lifecycle.NthProbe, kind).Number(n) }

// Answered is a life's first probe of a kind with an answer (victim.Answer). Number selects another.
func Answered(kind string, answer fmt.Stringer) Point {
	p := inLife(lifecycle.Answered, kind)
	p.Answer = answer.String()
	return p
}

// ProbeAfterRestart is a life's first probe of a kind after the kubelet's first restart. Number selects another.
func ProbeAfterRestart(kind string) Point { return inLife(lifecycle.ProbeAfterRestart, kind) }

// Created is when the API first showed a companion, or the Pod if the name is empty.
func Created(companion string) Point { return Point{Event: lifecycle.Created, Kind: companion} }

// Phase is when the API first showed the pod in a phase. Of selects a companion whose container has its name.
func Phase(name string) Point { return Point{Event: lifecycle.Phase, Kind: name} }

// Condition is when a condition of the pod became true. Number selects a later time.
func Condition(name string) Point { return Point{Event: lifecycle.Condition, Kind: name} }

// NoCondition is when a condition of the pod was no longer true. Number selects a later time.
func NoCondition(name string) Point { return Point{Event: lifecycle.NoCondition, Kind: name} }

// NodeCondition is when a condition of the node became true. Number selects a later time.
func NodeCondition(name string) Point { return Point{Event: lifecycle.NodeCondition, Kind: name} }

// NoNodeCondition is when a condition of the node was no longer true. Number selects a later time.
func NoNodeCondition(name string) Point { return Point{Event: lifecycle.NoNodeCondition, Kind: name} }

// Event is the pod's first event of a reason. Number selects a later one, Life the first since the life before ended.
func Event(reason string) Point { return Point{Event: lifecycle.Shown, Kind: reason} }

// Waiting is when the API first showed that a container waits after a life, with a reason such as "CrashLoopBackOff".
func Waiting(reason string) Point { return inLife(lifecycle.Waiting, reason) }

// PullAttempt is attempt n, from 1, to pull an image that does not exist (victim.UnpullableImage).
func PullAttempt(n int) Point { return Point{Event: lifecycle.Pulled, Container: Main, Nth: n} }

// Life returns the same point in another life.
func (p Point) Life(n int) Point { p.LifeNumber = n; return p }

// Of returns the same point of another container.
func (p Point) Of(container string) Point { p.Container = container; return p }

// Number returns the n-th point of its kind, from 1.
func (p Point) Number(n int) Point { p.Nth = n; return p }

// String returns the point's stable name.
func (p Point) String() string {
	s := p.Event
	switch p.Event {
	case lifecycle.Phase,
		lifecycle.Condition,
		lifecycle.NoCondition,
		lifecycle.Shown,
		lifecycle.NodeCondition,
		lifecycle.NoNodeCondition:
		s += "-" + strings.ToLower(p.Kind)
	default:
		for _, word := range []string{p.Answer, p.Kind} {
			if word != "" {
				s = strings.ToLower(word) + "-" + s
			}
		}
	}
	if p.Container != "" && p.Container != Main {
		s = p.Container + "-" + s
	}
	if p.Nth > 1 {
		s = fmt.Sprintf("%s-no%d", s, p.Nth)
	}
	if p.LifeNumber > 1 {
		s = fmt.Sprintf("%s-%d", s, p.LifeNumber)
	}
	return s
}

// IsEvent reports whether the point is an event of the API.
func (p Point) IsEvent() bool { return p.Event == lifecycle.Shown }

// Owner returns the container of the point, or "" if it is of the pod or its node. An event of the main container
// counts as the pod's: both have the same name.
func (p Point) Owner() string {
	if p.Event == lifecycle.Shown && p.Container == Main {
		return ""
	}
	return p.Container
}

// OfNode reports whether the point is a change of the node.
func (p Point) OfNode() bool {
	return p.Event == lifecycle.NodeCondition || p.Event == lifecycle.NoNodeCondition
}

// prefix returns what the point's name begins with: its container, or the companion that it creates.
func (p Point) prefix() string {
	if p.Event == lifecycle.Created {
		return p.Kind
	}
	return p.Container
}

// unprefixed returns the point with a name that lacks its prefix.
func (p Point) unprefixed() Point {
	if p.Event == lifecycle.Created {
		p.Kind = ""
	}
	return p.ofMain(Main)
}

// companion returns the companion that a point of the API is about, "" for the Pod. Its container has the same name.
func (p Point) companion() string {
	if p.Container == Main {
		return ""
	}
	return p.Container
}

func (p Point) ofMain(container string) Point {
	if p.Container != "" {
		p.Container = container
	}
	return p
}

func (p Point) index() int { return max(p.Nth, 1) - 1 }
