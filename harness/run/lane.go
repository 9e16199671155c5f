package run

import (
	"cmp"
	"slices"
)

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
