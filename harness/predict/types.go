package predict

import (
	"time"

	"github.com/podclock/podclock/harness/formula"
)

// Timeline is what happens to a container from one cause under one assumption.
type Timeline struct {
	// ID is stable and unique in its container: the cause, its variant if it has one, and the assumption,
	// such as "delete/longest".
	ID    string        `json:"id"`
	Cause formula.Cause `json:"cause"`
	// Variant distinguishes timelines of one cause: "with gracePeriodSeconds 0", "from its start". It is
	// empty for the plain one.
	Variant string `json:"variant,omitempty"`
	// Assumes is what the timeline assumes about the container's processes.
	Assumes Assumption `json:"assumes"`
	// Begins is the event at zero: "a delete request without options".
	Begins string `json:"begins"`
	// Grace is the grace period at the beginning of the kill, in whole seconds, before the hook takes its
	// part. It is 0 if nothing is killed.
	Grace time.Duration `json:"grace"`
	// Steps are what happens, in order.
	Steps []Step `json:"steps"`
	// Values are what is counted or read, such as an exit code or the number of failing probes.
	Values []Value `json:"values,omitempty"`
}

// Causes of timelines in which nothing is killed, and taints. Package formula has the other causes.
const (
	// Starting is the start of a container whose probes succeed.
	Starting formula.Cause = "start"
	// Crashing is a container that ends by itself, again and again.
	Crashing formula.Cause = "crash"
	// Completing is a container that succeeds and is not restarted.
	Completing formula.Cause = "success"
	// Unreadying is a failing readiness probe.
	Unreadying formula.Cause = "readiness"
	// ByTaint is the delete of a pod that tolerates a taint of its node for a limited time.
	ByTaint formula.Cause = "taint"
)

// Assumption is what a timeline assumes because no spec contains it.
type Assumption struct {
	// Name is "shortest", "longest", or the name of a case between them. It is empty if nothing is assumed.
	Name string `json:"name,omitempty"`
	// Says is the whole assumption in words: "the preStop hook hangs; the process ignores SIGTERM".
	Says string `json:"says,omitempty"`
	// HookTakes is the duration of an exec or http hook; a sleep action takes what the spec says.
	// HookHangs is set if the hook never ends.
	HookTakes time.Duration `json:"hookTakes,omitempty"`
	HookHangs bool          `json:"hookHangs,omitempty"`
	// Obeys is set if the process exits on SIGTERM, after ExitsAfter. Otherwise it ignores the signal.
	Obeys      bool          `json:"obeys,omitempty"`
	ExitsAfter time.Duration `json:"exitsAfter,omitempty"`
	// OthersObey is set if the containers for which a sidecar waits exit on SIGTERM at once, although the
	// sidecar ignores the signal.
	OthersObey bool `json:"othersObey,omitempty"`
	// ProbeHangs is set if a failing probe gets no answer and takes its timeout. Otherwise it fails at once.
	ProbeHangs bool `json:"probeHangs,omitempty"`
	// RunsFor is the duration of each life of a crashing container.
	RunsFor time.Duration `json:"runsFor,omitempty"`
}

// The IDs of steps are the names of the points of a measured timeline. Those of later lives end in the
// life's number, as in "start-2".
const (
	Zero         = "cue"
	FirstProbe   = "first-probe"
	LastProbe    = "last-probe"
	KillBegan    = "kill"
	HookBegan    = "hook-begin"
	HookEnded    = "hook-end"
	SIGTERM      = "sigterm"
	Death        = "death"
	Start        = "start"
	CrashLooping = "crash-loop-shown"
	Ready        = "condition-ready"
	Unready      = "no-condition-ready"
	Failed       = "phase-failed"
	Succeeded    = "phase-succeeded"
	DeleteBegan  = "deletion-began"
	Deleted      = "object-deleted"
)

// Step is one event of a timeline.
type Step struct {
	// ID is unique in its timeline.
	ID string `json:"id"`
	// What is the event in words: "SIGKILL: the process that ignores SIGTERM dies".
	What string `json:"what"`
	// After is the ID of the earlier step from which the windows count; Zero is the timeline's beginning.
	After string `json:"after"`
	// Life is the life of the container in which the event happens, from 1.
	Life int `json:"life"`
	// At is the time of the event by the code, counted from the timeline's zero.
	At Span `json:"at"`
	// Promised is the documented time after the step After, added to At of that step. It is nil if no number
	// is documented.
	Promised *Span `json:"promised,omitempty"`
	// Predicted counts from the step After. An assumed step, such as the end of a hook, has no formula.
	Predicted
	// Also are further formulas that bound the step, from other steps. At lies within all of them.
	Also []Bound `json:"also,omitempty"`
}

// Bound is a window of a step that counts from an earlier step.
type Bound struct {
	After string `json:"after"`
	Predicted
}

// Value is something that is counted or read, in the unit of its windows.
type Value struct {
	// ID is unique in its timeline: "exit-code", "hook-runs", "failing-probes".
	ID string `json:"id"`
	// What names the value in words.
	What string `json:"what"`
	Predicted
}

// Predicted is the result of a formula.
type Predicted struct {
	// Formula is the formula's ID in [Formulas]. It is empty if the window is assumed.
	Formula string `json:"formula,omitempty"`
	// Implemented is the window that the code computes, with its terms.
	Implemented formula.Window `json:"implemented"`
	// Documented is the promised window, or nil.
	Documented *formula.Window `json:"documented,omitempty"`
	// Issues are the places that discuss the difference between the two windows, as in a verdict.
	Issues string `json:"issues,omitempty"`

	rule  *formula.Formula
	input *formula.Input
}

// Rule returns the formula, or nil if the window is assumed.
func (p Predicted) Rule() *formula.Formula { return p.rule }

// Input returns the input of the formula. It must not be called if the window is assumed.
func (p Predicted) Input() formula.Input { return *p.input }

// find returns the step with an ID, or nil.
func (t Timeline) find(id string) *Step {
	for i := range t.Steps {
		if t.Steps[i].ID == id {
			return &t.Steps[i]
		}
	}
	return nil
}

// Span is a time between two bounds, both included, counted from the timeline's zero unless a field says
// otherwise.
type Span struct {
	Earliest time.Duration `json:"earliest"`
	Latest   time.Duration `json:"latest"`
}

// plus returns the span moved by a window.
func (s Span) plus(w formula.Window) Span {
	return Span{Earliest: s.Earliest + time.Duration(w.Earliest), Latest: s.Latest + time.Duration(w.Latest)}
}

// within returns the intersection of two spans.
func (s Span) within(other Span) Span {
	return Span{Earliest: max(s.Earliest, other.Earliest), Latest: min(s.Latest, other.Latest)}
}

// or returns the span from the earlier beginning to the later end.
func (s Span) or(other Span) Span {
	return Span{Earliest: min(s.Earliest, other.Earliest), Latest: max(s.Latest, other.Latest)}
}

// later returns the span of the later of two events.
func (s Span) later(other Span) Span {
	return Span{Earliest: max(s.Earliest, other.Earliest), Latest: max(s.Latest, other.Latest)}
}

// notBefore returns the span with no bound before t.
func (s Span) notBefore(t time.Duration) Span {
	return Span{Earliest: max(t, s.Earliest), Latest: max(t, s.Latest)}
}
