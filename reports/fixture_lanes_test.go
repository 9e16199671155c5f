package reports

import (
	"slices"
	"time"

	"github.com/podclock/podclock/harness/formula"
	"github.com/podclock/podclock/harness/trial"
)

const (
	virtualClean  = "virtual:" + clean
	virtualMutant = "virtual:" + mutant
)

// bothLanes is the fixture with a virtual subject beside each of its own. The lanes agree but for three
// trials: the virtual mutant is not caught, the clean virtual kubelet kills too early after a grace period
// of one second, and one trial needs a real node.
func bothLanes() Run {
	r := fixture()
	node := r.Outcomes
	for _, s := range []Subject{
		{Name: virtualClean, Lane: VirtualLane, Node: virtualClean, Kubelet: formula.Kubelet{Version: "v1.36.3"}},
		{Name: virtualMutant, Lane: VirtualLane, Node: virtualMutant, Kubelet: formula.Kubelet{Version: "v1.36.3"}, Mutation: "resultrun-one"},
	} {
		r.Subjects = append(r.Subjects, s)
		r.Nodes = append(r.Nodes, Node{Name: s.Node, Subject: s.Name})
	}
	for i, o := range node {
		twin := virtualClean
		if o.Subject == mutant {
			twin = virtualMutant
		}
		switch o.Trial {
		case "probes/exec-liveness-fails":
			o = outcome(twin, o.Trial, time.Second, failing("failing", 3))
		case "termination/grace-of-one-second":
			if o.Subject == clean {
				o = outcome(twin, o.Trial, time.Second, killed("grace", 1200*time.Millisecond))
			}
		case "termination/hook-over-http":
			o.Verdict, o.Why = trial.Unsupported, "the trial needs a real node: the hook's host is looked up in the network"
		}
		o.Subject = twin
		o.Attempts = slices.Clone(o.Attempts)
		for j := range o.Attempts {
			a := &o.Attempts[j]
			a.Started = r.Started.Add(time.Duration(i) * 50 * time.Millisecond)
			a.Took, a.Virtual = 80*time.Millisecond, 20*time.Second
		}
		r.Outcomes = append(r.Outcomes, o)
	}
	return r
}

// rehearsal is a run that has virtual subjects only.
func rehearsal() Run {
	r := bothLanes().in(VirtualLane)
	r.Ready, r.Reported = time.Time{}, r.Started.Add(2*time.Second)
	r.Nodes = r.Nodes[2:]
	r.Environment.Engine, r.Environment.NodeImage = "", ""
	r.Profile = "full"
	return r
}
