// Package predict says what a kubelet will do to a pod that nobody has run: how long it takes until each of
// its containers is killed and restarted, for every cause that its spec allows, and why.
//
// A prediction and a verdict come from the same formulas (package formula) over the same reading of a pod's
// spec (package podspec). What a verdict measures, a prediction assumes: how long a hook takes, whether the
// process heeds SIGTERM. Every timeline names its assumptions. Nothing here needs a cluster.
package predict

import (
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/podclock/podclock/harness/formula"
)

// Workload is one object of a manifest that makes pods.
type Workload struct {
	// Document is the number of its document in the manifest, from 1. Line is the line in which the object
	// begins, from 1, 0 where that is not known.
	Document int `json:"document"`
	Line     int `json:"line,omitempty"`
	// Kind, Namespace and Name are the object's own; the namespace is empty where the manifest says none.
	Kind      string `json:"kind"`
	Namespace string `json:"namespace,omitempty"`
	Name      string `json:"name"`
	// Pod is the pod that it makes, the API's defaults filled in. PodPath is the field path of the pod's
	// spec in the object, such as "spec.template.spec".
	Pod     *corev1.Pod `json:"-"`
	PodPath string      `json:"-"`

	// lineOf is the line of the manifest in which a field of the object stands, nil where that is not known.
	lineOf func(path string) int
}

// Prediction is everything that is predicted of a workload's pod by one kubelet's rules.
type Prediction struct {
	Workload
	// Kubelet is the kubelet whose rules hold.
	Kubelet formula.Kubelet `json:"-"`
	// Containers are the pod's: main containers, then sidecars, then init containers, each in the order of
	// the spec. Workloads whose pods are alike share them.
	Containers []Container `json:"containers"`
	// Findings are what can't work as it was probably meant: what concerns the pod first, then container by container.
	Findings []Finding `json:"findings,omitempty"`

	// seen is the pod as the kubelet sees it, ignored what that kubelet does not know of it.
	seen    *corev1.Pod
	ignored []ignored
}

// Role is what a container is to its pod.
type Role string

const (
	// Main is one of spec.containers.
	Main Role = "main"
	// Sidecar is an init container with restartPolicy Always.
	Sidecar Role = "sidecar"
	// Init is any other init container.
	Init Role = "init"
)

// Container is what is predicted of one container.
type Container struct {
	Name string `json:"name"`
	Role Role   `json:"role"`
	// Hook is the handler of its preStop hook, empty where it has none.
	Hook formula.HookKind `json:"hook,omitempty"`
	// Answers sum up what the timelines say.
	Answers Answers `json:"answers"`
	// Timelines are the causes that can end it, each under one assumption or more: the shortest first, the
	// longest last.
	Timelines []Timeline `json:"timelines"`
}

// Timeline is what happens to a container from one cause under one assumption.
type Timeline struct {
	// ID is stable and unique in its container: the cause, its variant where it has one, and the
	// assumption, such as "delete/longest".
	ID    string        `json:"id"`
	Cause formula.Cause `json:"cause"`
	// Variant tells several timelines of one cause apart, in words: "with gracePeriodSeconds 0", "from its
	// start". It is empty for the plain one.
	Variant string `json:"variant,omitempty"`
	// Assumes is what the timeline takes for granted of the victim.
	Assumes Assumption `json:"assumes"`
	// Begins is what happens at zero: "a delete request without options".
	Begins string `json:"begins"`
	// Grace is the grace period, in whole seconds, that the kill begins with: before the hook takes its
	// part. It is 0 where nothing is killed.
	Grace time.Duration `json:"grace"`
	// Steps are what happens, in order.
	Steps []Step `json:"steps"`
	// Values are what is counted or read on the way, such as an exit code or how many probes fail first.
	Values []Value `json:"values,omitempty"`
}

// The causes of timelines on which nothing is killed, beside those of package formula.
const (
	// Starting is a container that starts, and whose probes succeed.
	Starting formula.Cause = "start"
	// Crashing is a container that ends by itself, again and again.
	Crashing formula.Cause = "crash"
	// Completing is a container that ends successfully, and is not started again.
	Completing formula.Cause = "success"
	// Unreadying is a readiness probe that fails.
	Unreadying formula.Cause = "readiness"
	// ByTaint is a taint of the node that the pod tolerates for a time: the delete that it leads to.
	ByTaint formula.Cause = "taint"
)

// Assumption is what no spec tells.
type Assumption struct {
	// Name is "shortest", "longest", or what lies between; where a timeline needs no assumption it is empty.
	Name string `json:"name,omitempty"`
	// Says is all of it in words: "the preStop hook hangs; the process ignores SIGTERM". It is empty where
	// nothing is assumed.
	Says string `json:"says,omitempty"`
	// HookTakes is how long an exec or http hook takes by itself; HookHangs says that it never ends. A
	// sleep action takes what the spec says.
	HookTakes time.Duration `json:"hookTakes,omitempty"`
	HookHangs bool          `json:"hookHangs,omitempty"`
	// Obeys says that the process exits on SIGTERM, ExitsAfter so long; otherwise it ignores the signal.
	Obeys      bool          `json:"obeys,omitempty"`
	ExitsAfter time.Duration `json:"exitsAfter,omitempty"`
	// OthersObey says that the containers for which a sidecar waits exit on SIGTERM at once, though it
	// ignores the signal itself.
	OthersObey bool `json:"othersObey,omitempty"`
	// ProbeHangs says that a failing probe is not answered, so that it takes its timeout; otherwise it fails at once.
	ProbeHangs bool `json:"probeHangs,omitempty"`
	// RunsFor is how long each life of a crashing container lasts before it ends by itself.
	RunsFor time.Duration `json:"runsFor,omitempty"`
}

// Span is a time that lies between two, both included, counted from the timeline's zero unless a field says otherwise.
type Span struct {
	Earliest time.Duration `json:"earliest"`
	Latest   time.Duration `json:"latest"`
}

// The IDs of steps, by the names that the points of a measured timeline have; those of later lives end in
// the life's number, as in "start-2".
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

// Step is one thing that happens on a timeline.
type Step struct {
	// ID is unique in its timeline.
	ID string `json:"id"`
	// What happens, in words: "SIGKILL: the process that ignores SIGTERM dies".
	What string `json:"what"`
	// After is the ID of the earlier step that the windows count from; Zero is the timeline's beginning.
	After string `json:"after"`
	// Life is the life of the container in which it happens, from 1.
	Life int `json:"life"`
	// At is when it happens by the code, counted from the timeline's zero. Promised is the same by the
	// documentation, counted on from where the step it comes after is by the code; nil where no number is
	// documented.
	At       Span  `json:"at"`
	Promised *Span `json:"promised,omitempty"`
	// Predicted is what the step's formula says of the time since the step it comes after. A step that is
	// assumed, such as the end of a hook, has no formula.
	Predicted
	// Also are further formulas that bound the same step, from others: At lies within them all.
	Also []Bound `json:"also,omitempty"`
}

// Bound is a window for a step that counts from an earlier one.
type Bound struct {
	After string `json:"after"`
	Predicted
}

// Value is something that is counted or read, by the windows' unit.
type Value struct {
	// ID is unique in its timeline: "exit-code", "hook-runs", "failing-probes".
	ID string `json:"id"`
	// What is counted or read, in words.
	What string `json:"what"`
	Predicted
}

// Predicted is what a formula says.
type Predicted struct {
	// Formula is its ID, by which [Formulas] tells the rest of it; empty where something is assumed.
	Formula string `json:"formula,omitempty"`
	// Implemented is the window that the code computes, Documented the one that is promised; nil where none
	// is. Both count from the step that this one comes after, and carry their terms.
	Implemented formula.Window  `json:"implemented"`
	Documented  *formula.Window `json:"documented,omitempty"`
	// Issues are where the difference between the two is discussed, as in a verdict.
	Issues string `json:"issues,omitempty"`

	rule  *formula.Formula
	input *formula.Input
}

// Rule is the formula itself, nil where something is assumed.
func (p Predicted) Rule() *formula.Formula { return p.rule }

// Given is what the step's formula says of the same container and cause where other facts hold than those
// assumed: measured ones. The documented window is nil where none is promised. A step without a formula has
// neither.
func (p Predicted) Given(facts formula.Input) (implemented formula.Window, documented *formula.Window) {
	if p.rule == nil {
		return formula.Window{}, nil
	}
	in := p.input.Given(facts)
	if p.rule.Documented != nil {
		documented = p.rule.Documented(in)
	}
	return p.rule.Implemented(in), documented
}

// Answers are a container's timelines in numbers: what users ask.
type Answers struct {
	// Restarts say how long a probe may fail until it restarts the container, for each probe that can.
	Restarts []ProbeRestart `json:"restarts,omitempty"`
	// Kills say, for each cause that kills the container, when the signals come and what the hook has to do with it.
	Kills []Kill `json:"kills"`
	// CrashLoop is the next ten restarts of a container that ends again and again; empty where it is not restarted.
	CrashLoop []Restart `json:"crashLoop,omitempty"`
}

// ProbeRestart is how long it takes until a failing probe restarts a container: at least under the shortest
// assumption, at most under the longest.
type ProbeRestart struct {
	// Probe is "liveness" or "startup".
	Probe string `json:"probe"`
	// From is what the times count from: FromStart or FromFault.
	From string `json:"from"`
	// Signalled is the time to SIGTERM, Restarted the time to the start of the next life; nil where the
	// container is not restarted.
	Signalled Span  `json:"signalled"`
	Restarted *Span `json:"restarted,omitempty"`
}

// What a [ProbeRestart] counts from.
const (
	// FromStart is the container's start, where the probe fails from the first time on.
	FromStart = "start"
	// FromFault is the moment from which the probe of a healthy container fails: at the least just before a
	// probe, at the most just after one.
	FromFault = "fault"
)

// Kill is a cause in numbers. Spans count from the timelines' zero, over all assumptions.
type Kill struct {
	Cause   formula.Cause `json:"cause"`
	Variant string        `json:"variant,omitempty"`
	// Grace is the grace period that the kill begins with.
	Grace time.Duration `json:"grace"`
	// HookRuns says whether the preStop hook is run, HookInside whether its time is part of the grace
	// period; both false where there is no hook.
	HookRuns   bool `json:"hookRuns"`
	HookInside bool `json:"hookInside"`
	// SIGTERM is when the signal comes, SIGKILL the same for a process that does not exit before, nil where
	// it is told to; Dead is when it is dead in any case.
	SIGTERM Span  `json:"sigterm"`
	SIGKILL *Span `json:"sigkill,omitempty"`
	Dead    Span  `json:"dead"`
}

// Restart is one restart of a container that ends again and again.
type Restart struct {
	// Number counts restarts from 1: the first one follows the end of life 1.
	Number int `json:"number"`
	// Wait is the time from the end of a life to the start of the next, Promised the same as documented;
	// nil where no number is.
	Wait     Span  `json:"wait"`
	Promised *Span `json:"promised,omitempty"`
	// Since is when the life starts, counted from the first end.
	Since Span `json:"since"`
}
