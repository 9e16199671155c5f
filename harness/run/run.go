// Package run is the model of one run: its subjects, nodes and outcomes, and how a run is saved, loaded and
// judged again. It knows no cluster, no report and no catalogue.
package run

import (
	"cmp"
	"encoding/json"
	"slices"
	"time"

	"github.com/podclock/podclock/harness/delay"
	"github.com/podclock/podclock/harness/formula"
	"github.com/podclock/podclock/harness/trial"
)

// Schema names the format of run.json; it changes when a reader of an older file would misunderstand it.
const Schema = "podclock.run/v2"

// Run is everything about one run: enough to judge it again without a cluster.
type Run struct {
	Schema string `json:"schema"`
	// ID is the run's folder name, its start in UTC: 20060102-150405.
	ID      string    `json:"id"`
	Started time.Time `json:"started"`
	// Ready is when the cluster was ready for trials, zero when it never was and in a run without a node lane.
	Ready time.Time `json:"ready,omitzero"`
	// Reported is when the last verdict was there.
	Reported time.Time `json:"reported,omitzero"`
	// Profile is what part of the catalogue was offered: "quick" or "full".
	Profile     string      `json:"profile,omitempty"`
	Environment Environment `json:"environment"`
	Subjects    []Subject   `json:"subjects"`
	// Nodes are the workers that trials ran on, the subjects' ordinary and the tuned ones.
	Nodes []Node `json:"nodes,omitempty"`
	// Outcomes holds one entry per selected trial and subject, those that never ran included.
	Outcomes []Outcome `json:"outcomes"`
	// Problems are what kept the harness from judging: a set-up that failed, an interrupt, an API server
	// that went away.
	Problems []string `json:"problems,omitempty"`
}

// Environment is where the run took place.
type Environment struct {
	// Podclock is the revision of this code, as the build knows it.
	Podclock   string            `json:"podclock"`
	Go         string            `json:"go"`
	Kernel     string            `json:"kernel"`
	CPUs       int               `json:"cpus"`
	Engine     string            `json:"engine,omitempty"`
	Cluster    string            `json:"cluster,omitempty"`
	NodeImage  string            `json:"nodeImage,omitempty"`
	Components map[string]string `json:"components,omitempty"`
	// Adaptations are what this host needed that an ordinary host does not.
	Adaptations []string `json:"adaptations,omitempty"`
	// Settings are the run's own variables that were set.
	Settings map[string]string `json:"settings,omitempty"`
}

// Subject is one kubelet under test.
type Subject struct {
	// Name is what the user asked for, such as "v1.36.3+resultrun-one".
	Name string `json:"name"`
	// Lane is where its trials ran, empty for the node lane.
	Lane Lane `json:"lane,omitempty"`
	// Node is its ordinary worker, Kubelet what was read back from there.
	Node    string          `json:"node,omitempty"`
	Kubelet formula.Kubelet `json:"kubelet"`
	// Mutation is the name of the change made to its source, empty for an unchanged kubelet.
	Mutation string `json:"mutation,omitempty"`
	// Path is the user's own binary, as the user wrote it, and Reported the version that it says of itself;
	// empty for a kubelet built here.
	Path     string `json:"path,omitempty"`
	Reported string `json:"reported,omitempty"`
	// Configuration is the kubelet's effective configuration as it reports it (/configz), on all its
	// workers that no trial has tuned.
	Configuration json.RawMessage `json:"configuration,omitempty"`
}

// Node is one worker that trials of a subject ran on.
type Node struct {
	Name string `json:"name"`
	// Subject is the name of the subject whose kubelet it had.
	Subject string `json:"subject"`
	// Delays is what its recorder measured of it.
	Delays delay.Record `json:"noise"`
	// ClockError is how exactly the harness' clock was placed on the recorder's, in nanoseconds.
	ClockError int64 `json:"clockError,omitempty"`
}

// Outcome is one trial on one subject.
type Outcome = trial.Outcome

// Attempt is one run of a trial's pod.
type Attempt = trial.Attempt

// Subject describes a subject of the run; one that the run does not describe has its name only.
func (r Run) Subject(name string) Subject {
	if i := slices.IndexFunc(r.Subjects, func(s Subject) bool { return s.Name == name }); i >= 0 {
		return r.Subjects[i]
	}
	return Subject{Name: name}
}

// RanOn names the node of an attempt: its subject's ordinary worker where the attempt names none.
func (r Run) RanOn(o Outcome, a Attempt) string { return cmp.Or(a.Node, r.Subject(o.Subject).Node) }

// KubeletOf is the kubelet of an attempt: its subject's where nothing else was measured on the attempt's node.
func (r Run) KubeletOf(o Outcome, a Attempt) formula.Kubelet {
	if a.Kubelet.Version == "" {
		return r.Subject(o.Subject).Kubelet
	}
	return a.Kubelet
}

// DelaysOf returns the delays of a node, none for a node that the run does not describe.
func (r Run) DelaysOf(node string) delay.Record {
	if i := slices.IndexFunc(r.Nodes, func(n Node) bool { return n.Name == node }); i >= 0 {
		return r.Nodes[i].Delays
	}
	return delay.Record{}
}

// Count is how many outcomes have this verdict.
func (r Run) Count(v trial.Verdict) int {
	n := 0
	for _, o := range r.Outcomes {
		if o.Verdict == v {
			n++
		}
	}
	return n
}

// Longest is the outcome with the longest conclusive attempt, and how long that took; nil when there was
// none. Attempts that had to be repeated are no excuse for a long run: one that hung until its bound would
// make everything beside it look fast.
func (r Run) Longest() (longest *Outcome, took time.Duration) {
	for i := range r.Outcomes {
		for _, a := range r.Outcomes[i].Attempts {
			if Conclusive(a.Result.Verdict) && a.Took > took {
				longest, took = &r.Outcomes[i], a.Took
			}
		}
	}
	return longest, took
}

// Conclusive says whether a verdict says anything of a kubelet that was measured.
func Conclusive(v trial.Verdict) bool {
	return v == trial.Conforms || v == trial.Divergent || v == trial.Deviates
}

// Judged is how many of the verdicts, which came so often, say something of the kubelet.
func Judged(verdicts map[trial.Verdict]int) int {
	n := 0
	for v, times := range verdicts {
		if Conclusive(v) {
			n += times
		}
	}
	return n
}

// Ran says whether any trial ran.
func (r Run) Ran() bool {
	return slices.ContainsFunc(r.Outcomes, func(o Outcome) bool { return len(o.Attempts) > 0 })
}

// Exit codes of a run.
const (
	// ExitConforms: every verdict is conforms, divergent or unsupported, or there are few inconclusive ones.
	ExitConforms = 0
	// ExitDeviates: at least one trial deviates.
	ExitDeviates = 1
	// ExitUnjudged: the harness could not judge: bad input, a set-up that failed, an interrupt, or too much
	// inconclusive.
	ExitUnjudged = 2
)

// TooMuchInconclusive is the share of inconclusive outcomes above which a run counts as unjudged.
const TooMuchInconclusive = 0.10

// ExitCode is what the run's process should exit with.
func (r Run) ExitCode() int {
	switch {
	case r.Count(trial.Deviates) > 0:
		return ExitDeviates
	case len(r.Problems) > 0, r.Count(trial.Conforms)+r.Count(trial.Divergent) == 0,
		float64(r.Count(trial.Inconclusive)) > TooMuchInconclusive*float64(len(r.Outcomes)):
		return ExitUnjudged
	}
	return ExitConforms
}

// Lane is where the trials of a subject ran.
type Lane string

const (
	// NodeLane is a real worker of a cluster, and what a saved run means that names no lane.
	NodeLane Lane = "node"
	// VirtualLane is the kubelet's own code under virtual time, in a process for each trial.
	VirtualLane Lane = "virtual"
)

// RanIn is where the subject's trials ran.
func (s Subject) RanIn() Lane { return cmp.Or(s.Lane, NodeLane) }

// In is the run as far as it took place in one lane.
func (r Run) In(l Lane) Run {
	lanes := map[string]Lane{}
	for _, s := range r.Subjects {
		lanes[s.Name] = s.RanIn()
	}
	r.Subjects = slices.DeleteFunc(slices.Clone(r.Subjects), func(s Subject) bool { return s.RanIn() != l })
	r.Outcomes = slices.DeleteFunc(
		slices.Clone(r.Outcomes),
		func(o Outcome) bool { return cmp.Or(lanes[o.Subject], NodeLane) != l },
	)
	return r
}

// Uses says whether the run has anything to do in a lane.
func (r Run) Uses(l Lane) bool {
	part := r.In(l)
	return len(part.Subjects)+len(part.Outcomes) > 0
}
