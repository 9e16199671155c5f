// Package run is the model of one run: its subjects, nodes and outcomes, and how a run is saved, loaded and
// judged again. It knows no cluster, no report and no catalogue.
package run

import (
	"cmp"
	"encoding/json"
	"slices"
	"time"

	"github.com/podclock/podclock/harness/measure/delay"
	"github.com/podclock/podclock/harness/measure/trial"
	"github.com/podclock/podclock/harness/rules/formula"
)

// Schema names the format of run.json. It changes if a reader of the older format would misunderstand the file.
const Schema = "podclock.run/v2"

// Run has everything about one run, so it can be judged again without a cluster.
type Run struct {
	Schema string `json:"schema"`
	// ID is the name of the run's folder: its start in UTC, 20060102-150405.
	ID      string    `json:"id"`
	Started time.Time `json:"started"`
	// Ready is the time at which the cluster was ready for trials. It is zero if it never was, and in a run
	// without a node lane.
	Ready time.Time `json:"ready,omitzero"`
	// Reported is the time of the last verdict.
	Reported time.Time `json:"reported,omitzero"`
	// Profile is the part of the catalogue that was offered: "quick" or "full".
	Profile     string      `json:"profile,omitempty"`
	Environment Environment `json:"environment"`
	Subjects    []Subject   `json:"subjects"`
	// Nodes are the workers that ran trials, ordinary and tuned ones.
	Nodes []Node `json:"nodes,omitempty"`
	// Outcomes has one entry per selected trial and subject, including those that never ran.
	Outcomes []Outcome `json:"outcomes"`
	// Promises is nil for trials of the catalogue.
	Promises *Promises `json:"promises,omitempty"`
	// Disturbance is the name of what disturbed the nodes on purpose, or empty.
	Disturbance string `json:"disturbance,omitempty"`
	// Continued are the times at which a run that was killed or interrupted went on.
	Continued []time.Time `json:"continued,omitempty"`
	// Problems are what kept the harness from judging: a failed set-up, an interrupt, a lost API server.
	Problems []string `json:"problems,omitempty"`
}

// Environment describes where the run took place.
type Environment struct {
	// Podclock is the revision of the program.
	Podclock   string            `json:"podclock"`
	Go         string            `json:"go"`
	Kernel     string            `json:"kernel"`
	CPUs       int               `json:"cpus"`
	Engine     string            `json:"engine,omitempty"`
	Cluster    string            `json:"cluster,omitempty"`
	NodeImage  string            `json:"nodeImage,omitempty"`
	Components map[string]string `json:"components,omitempty"`
	// Adaptations are the settings that this host needed and an ordinary one does not.
	Adaptations []string `json:"adaptations,omitempty"`
	// Settings decide what the run did, by the variables of their flags. Command has those flags.
	Settings map[string]string `json:"settings,omitempty"`
}

// Subject is one kubelet under test.
type Subject struct {
	// Name is the subject as the user wrote it, such as "v1.36.3+resultrun-one".
	Name string `json:"name"`
	// Lane is the lane of its trials, empty for the node lane.
	Lane Lane `json:"lane,omitempty"`
	// Node is the subject's ordinary worker. Kubelet was read from there.
	Node    string          `json:"node,omitempty"`
	Kubelet formula.Kubelet `json:"kubelet"`
	// Mutation is the name of the change of the subject's source, empty for an unchanged kubelet.
	Mutation string `json:"mutation,omitempty"`
	// Gates are the feature gates that the subject's name sets.
	Gates map[string]bool `json:"gates,omitempty"`
	// Path is the user's binary or source tree as the user wrote it, with its revision. Reported is the version that
	// the kubelet reports. Path is empty for a kubelet that podclock built from a release.
	Path string `json:"path,omitempty"`
	// Commit is the whole hash of the source tree's commit, or empty. Dirty reports that the tree had uncommitted
	// changes.
	Commit   string `json:"commit,omitempty"`
	Dirty    bool   `json:"dirty,omitempty"`
	Reported string `json:"reported,omitempty"`
	// Group describes the node's group in a cluster that podclock did not make: nodes with the same kubelet, runtime
	// and system.
	Group string `json:"group,omitempty"`
	// System is what else the Node object says, nil if it was not read.
	System *System `json:"system,omitempty"`
	// Configuration is the effective configuration that the kubelet reports (/configz). It holds for all
	// workers of the subject that no trial tuned.
	Configuration json.RawMessage `json:"configuration,omitempty"`
}

// System is what a Node object says about the node (status.nodeInfo and spec.providerID).
type System struct {
	// Provider is the scheme of the provider ID, such as "aws" or "kind", or empty.
	Provider string `json:"provider,omitempty"`
	// Kubelet is the whole version that the kubelet reports. A distribution may add to its release.
	Kubelet      string `json:"kubelet"`
	Runtime      string `json:"runtime"`
	OS           string `json:"os"`
	Kernel       string `json:"kernel"`
	Architecture string `json:"architecture"`
}

// Node is one worker that ran trials of a subject.
type Node struct {
	Name string `json:"name"`
	// Subject is the name of the subject whose kubelet ran on the node.
	Subject string `json:"subject"`
	// ClockError is the error of the harness' clock on the recorder's.
	ClockError time.Duration `json:"clockError,omitempty"`
	// Watched means that podclock searched for exits of the kubelet that it did not ask for. Exits are what the node
	// logged about them.
	Watched bool     `json:"watched,omitempty"`
	Exits   []string `json:"exits,omitempty"`
	// Evicted is how the recorder ended, a critical pod that the kubelet must not evict. It is empty if it lives.
	// EvictedBy is the subject that a node of a pool was then.
	Evicted   string `json:"evicted,omitempty"`
	EvictedBy string `json:"evictedBy,omitempty"`
	// Delays is what the node's recorder measured.
	Delays delay.Record `json:"noise"`
}

// Outcome is one trial on one subject.
type Outcome = trial.Outcome

// Attempt is one attempt of a trial with its pod.
type Attempt = trial.Attempt

// Subject returns a subject of the run. If the run does not describe it, it has only its name.
func (r Run) Subject(name string) Subject {
	if i := slices.IndexFunc(r.Subjects, func(s Subject) bool { return s.Name == name }); i >= 0 {
		return r.Subjects[i]
	}
	return Subject{Name: name}
}

// RanOn returns the name of an attempt's node. It is the subject's ordinary worker if the attempt names none.
func (r Run) RanOn(o Outcome, a Attempt) string { return cmp.Or(a.Node, r.Subject(o.Subject).Node) }

// KubeletOf returns the kubelet of an attempt: the one measured on the attempt's node, else its subject's.
func (r Run) KubeletOf(o Outcome, a Attempt) formula.Kubelet {
	if a.Kubelet.Version == "" {
		return r.Subject(o.Subject).Kubelet
	}
	return a.Kubelet
}

// DelaysOf returns the delays of a node, none if the run does not describe the node.
func (r Run) DelaysOf(node string) delay.Record {
	if i := slices.IndexFunc(r.Nodes, func(n Node) bool { return n.Name == node }); i >= 0 {
		return r.Nodes[i].Delays
	}
	return delay.Record{}
}

// Count returns the number of outcomes with a verdict.
func (r Run) Count(v trial.Verdict) int {
	n := 0
	for _, o := range r.Outcomes {
		if o.Verdict == v {
			n++
		}
	}
	return n
}

// Longest returns the outcome with the longest conclusive attempt, and its duration, or nil. It ignores
// inconclusive attempts, because one that hung would make the run look fast.
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

// Conclusive reports whether a verdict is about the measured kubelet.
func Conclusive(v trial.Verdict) bool {
	return v == trial.Conforms || v == trial.Divergent || v == trial.Deviates
}

// Judged sums the counts of conclusive verdicts.
func Judged(verdicts map[trial.Verdict]int) int {
	n := 0
	for v, times := range verdicts {
		if Conclusive(v) {
			n += times
		}
	}
	return n
}

// Ran reports whether any trial ran.
func (r Run) Ran() bool {
	return slices.ContainsFunc(r.Outcomes, func(o Outcome) bool { return len(o.Attempts) > 0 })
}

// Lane is the lane of a subject's trials.
type Lane string

const (
	// NodeLane is a real worker of a cluster. It is also the lane of a saved run without one.
	NodeLane Lane = "node"
	// VirtualLane is the kubelet's own code under virtual time, in a process for each trial.
	VirtualLane Lane = "virtual"
)

// RanIn returns the lane of the subject's trials.
func (s Subject) RanIn() Lane { return cmp.Or(s.Lane, NodeLane) }

// In returns the part of the run in one lane.
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

// Uses reports whether the run has a subject in a lane.
func (r Run) Uses(l Lane) bool {
	part := r.In(l)
	return len(part.Subjects)+len(part.Outcomes) > 0
}
