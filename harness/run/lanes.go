package run

import (
	"fmt"
	"strings"
)

// Twin returns the name of the virtual subject made of the same code as a subject of the node lane.
func (r Run) Twin(s Subject) (name string, found bool) {
	for _, other := range r.Subjects {
		same := other.release() == s.release() && other.Mutation == s.Mutation
		if same && other.RanIn() == VirtualLane && s.Path == "" {
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
		if Conclusive(o.Verdict) && Conclusive(virtual.Verdict) && o.Verdict != virtual.Verdict {
			all = append(all,
				fmt.Sprintf("%s on %s %s, on %s %s", o.Trial, o.Subject, o.Verdict, twin, virtual.Verdict))
		}
	}
	return all
}
