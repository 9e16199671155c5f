package run

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/podclock/podclock/harness/measure/trial"
	"github.com/podclock/podclock/harness/rules/formula"
)

// Twin returns the name of the virtual subject made of the same code as a subject of the node lane: of the same
// release, mutation and feature gates, or of the same source tree.
func (r Run) Twin(s Subject) (name string, found bool) {
	for _, other := range r.Subjects {
		same := other.release() == s.release() && other.Mutation == s.Mutation && other.Path == s.Path &&
			maps.Equal(other.Gates, s.Gates)
		if same && other.RanIn() == VirtualLane {
			return other.Name, true
		}
	}
	return "", false
}

// release returns the subject's version without its mutation, which a mutated kubelet may report as a part of it.
func (s Subject) release() string { return strings.TrimSuffix(s.Kubelet.Version, "+"+s.Mutation) }

// LanesDisagree returns each trial that both lanes judged for the same code, but differently. What is inconclusive or
// unsupported in one lane is no disagreement.
func (r Run) LanesDisagree() []string {
	verdicts := map[[2]string]Outcome{}
	for _, o := range r.In(VirtualLane).Outcomes {
		verdicts[[2]string{o.Trial, o.Subject}] = o
	}
	var all []string
	for _, o := range r.In(NodeLane).Outcomes {
		twin, _ := r.Twin(r.Subject(o.Subject))
		virtual := verdicts[[2]string{o.Trial, twin}]
		if Conclusive(o.Verdict) && Conclusive(virtual.Verdict) && !LanesAgree(o, virtual) {
			all = append(all,
				fmt.Sprintf("%s on %s %s, on %s %s", o.Trial, o.Subject, o.Verdict, twin, virtual.Verdict))
		}
	}
	return all
}

// LanesAgree reports whether the lanes' verdicts on a trial are equal, or differ only on claims that [MayDiffer]. A
// claim of one lane alone, such as of the calls of a virtual node, must conform.
func LanesAgree(node, virtual Outcome) bool {
	a, b := node.Last(), virtual.Last()
	if node.Verdict == virtual.Verdict || a == nil || b == nil {
		return node.Verdict == virtual.Verdict
	}
	others, explained := map[string]trial.Finding{}, false
	for _, f := range b.Result.Findings {
		others[f.Claim] = f
	}
	for _, f := range a.Result.Findings {
		other, both := others[f.Claim]
		delete(others, f.Claim)
		switch {
		case both && f.Verdict == other.Verdict, !both && f.Verdict == trial.Conforms:
		case both && MayDiffer(f, other):
			explained = true
		default:
			return false
		}
	}
	for _, f := range others {
		if f.Verdict != trial.Conforms {
			return false
		}
	}
	return explained
}

// MayDiffer reports whether a claim may conform in one lane and be divergent in the other, of kubelets that do the
// same. A time may if [delayDecides]. A count may if chance decides, or if the formula excludes the node's value on the
// virtual node: it knows of something that happened on the node alone, such as an event that a real runtime loses.
func MayDiffer(node, virtual trial.Finding) bool {
	both := []trial.Verdict{trial.Conforms, trial.Divergent}
	if !slices.Contains(both, node.Verdict) || !slices.Contains(both, virtual.Verdict) || node.Measured == nil {
		return false
	}
	switch node.Measured.Unit {
	case formula.Nanoseconds:
		return delayDecides(node)
	case formula.Count:
		return node.LeftToChance || !virtual.Implemented.Contains(node.Measured.Value)
	}
	return false
}

// delayDecides reports whether the node's delay may decide the verdict: the node's value is beside an edge of the
// documented window by no more than the delay, and by less than a second. What the kubelet measured of the same can lie
// on the other side of the edge. A sidecar's remainder, for example, loses the whole seconds of its wait.
func delayDecides(node trial.Finding) bool {
	if node.Documented == nil {
		return false
	}
	beside := min(node.Delay, time.Second-1)
	return slices.ContainsFunc([]int64{node.Documented.Earliest, node.Documented.Latest}, func(edge int64) bool {
		return time.Duration(node.Measured.Value-edge).Abs() <= beside
	})
}
