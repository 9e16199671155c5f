package predict

import (
	"time"

	"github.com/podclock/podclock/harness/rules/formula"
)

// Timeline is what happens to a container from one cause under one assumption.
type Timeline struct {
	// ID is the cause, the variant if any, and the assumption, such as "delete/longest".
	ID    string
	Cause formula.Cause
	// Variant distinguishes timelines of one cause, such as "from its start".
	Variant string
	Assumes Assumption
	// Begins is the event at zero, such as "a delete request without options".
	Begins string
	// Grace is the grace period before the hook takes its part, in whole seconds, or 0.
	Grace time.Duration
	Steps []Step
	// Ends says what ends a crash loop or a probe loop after the last restart, if something does.
	Ends string
	// Values are counted or read, such as an exit code.
	Values []Value

	// the event from which the times of a [ProbeRestart] count
	from string
	// the end that restarts all containers, such as "end of container app with exit code 88"
	end string
}

// Causes of timelines in which nothing is killed, and taints. Package formula has the others.
const (
	Starting formula.Cause = "start"
	Crashing formula.Cause = "crash"
	// Completing is a container that succeeds and is not restarted.
	Completing formula.Cause = "success"
	Unreadying formula.Cause = "readiness"
	// Looping is a probe that kills every life of a container.
	Looping formula.Cause = "probe loop"
	// ByTaint is the delete of a pod that tolerates a taint of its node for a limited time.
	ByTaint formula.Cause = "taint"
)

// Held is when the sync is over that started a container whose first life has ended meanwhile.
const Held = "start-held"

// Assumption is what a timeline assumes because no spec contains it.
type Assumption struct {
	// Name is "shortest", "longest", or a case between them, if anything is assumed.
	Name string
	// Description is such as "the preStop hook hangs; the process ignores SIGTERM".
	Description string
	// HookTakes is for an exec or http hook, unless HookHangs.
	HookTakes time.Duration
	HookHangs bool
	// Obeys is set if the process exits ExitsAfter after SIGTERM; otherwise it ignores the signal.
	Obeys      bool
	ExitsAfter time.Duration
	// OthersObey is set if the containers for which a sidecar waits exit on SIGTERM at once, although it ignores
	// the signal.
	OthersObey bool
	// ProbeHangs is set if a failing probe takes its timeout instead of failing at once.
	ProbeHangs bool
	RunsFor    time.Duration
}

// Step is one event of a timeline.
type Step struct {
	// Point is an event of package lifecycle. ID is the point, and in later lives a number, as in "start-2".
	ID, Point string
	// What is the event, such as "SIGKILL: the process that ignores SIGTERM dies".
	What string
	// After is the earlier step from which the windows count, or lifecycle.Fault for the timeline's zero.
	After string
	// Life counts from 1.
	Life int
	// SIGKILL is set for a death by this signal.
	SIGKILL bool
	// At is by the code, from the timeline's zero.
	At Span
	// Promised is the documented time, or nil.
	Promised *Span
	// Predicted has no formula if the step is assumed.
	Predicted
	// Also are further formulas that bound the step.
	Also []Bound
}

// Bound is a window of a step that counts from an earlier step.
type Bound struct {
	After string
	Predicted
}

// Value is something that is counted or read, in the unit of its windows.
type Value struct {
	// ID is unique in its timeline, such as "exit-code".
	ID   string
	What string
	Predicted
}

// Predicted is the result of a formula.
type Predicted struct {
	// Formula is the ID, empty if the window is assumed.
	Formula     string
	Implemented formula.Window
	Documented  *formula.Window

	rule  *formula.Formula
	input *formula.Input
}

// Rule returns the formula, or nil if the window is assumed.
func (p Predicted) Rule() *formula.Formula { return p.rule }

// Input returns the input of the formula, which must exist.
func (p Predicted) Input() formula.Input { return *p.input }

func (t Timeline) find(id string) *Step {
	for i := range t.Steps {
		if t.Steps[i].ID == id {
			return &t.Steps[i]
		}
	}
	return nil
}

// Span is a time between two bounds, both included, counted from the timeline's zero unless a field says otherwise.
type Span struct {
	Earliest time.Duration
	Latest   time.Duration
}

func (s Span) plus(w formula.Window) Span {
	return Span{Earliest: s.Earliest + time.Duration(w.Earliest), Latest: s.Latest + time.Duration(w.Latest)}
}

func (s Span) within(other Span) Span {
	return Span{Earliest: max(s.Earliest, other.Earliest), Latest: min(s.Latest, other.Latest)}
}

func (s Span) or(other Span) Span {
	return Span{Earliest: min(s.Earliest, other.Earliest), Latest: max(s.Latest, other.Latest)}
}

// Over returns the span over both. The first may be nil.
func Over(a *Span, b Span) *Span {
	if a != nil {
		b = a.or(b)
	}
	return &b
}

func (s Span) later(other Span) Span {
	return Span{Earliest: max(s.Earliest, other.Earliest), Latest: max(s.Latest, other.Latest)}
}

func (s Span) notBefore(t time.Duration) Span {
	return Span{Earliest: max(t, s.Earliest), Latest: max(t, s.Latest)}
}
