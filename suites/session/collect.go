package session

import (
	"reflect"
	"slices"

	"github.com/podclock/podclock/harness/formula"
	"github.com/podclock/podclock/harness/kubelet"
	"github.com/podclock/podclock/harness/trial"
	"github.com/podclock/podclock/reports"
)

// collect takes over the outcomes of all lanes as they stand, the node lane's first.
func (s *Session) collect() {
	for _, lane := range []kubelet.Lane{kubelet.LaneNode, kubelet.LaneVirtual} {
		s.collectLane(lane)
	}
	s.describeVirtualKubelets()
	s.forgetOrdinaryKubelets()
}

func (s *Session) collectLane(lane kubelet.Lane) {
	l := s.labs[lane]
	if l == nil {
		for _, selection := range s.selectedIn(lane) {
			s.run.Outcomes = append(s.run.Outcomes, trial.Outcome{
				Trial: selection.Trial.ID, About: selection.Trial.About, Subject: selection.Subject,
				Verdict: trial.Inconclusive, Why: "it never ran",
			})
		}
		return
	}
	if err := l.Err(); err != nil {
		s.Problem(err.Error())
	}
	s.run.Outcomes = append(s.run.Outcomes, l.Outcomes()...)
	for _, n := range l.Nodes() {
		s.run.Nodes = append(s.run.Nodes, reports.Node{Name: n.Name, Subject: n.Subject, Noise: n.Noise, ClockError: int64(n.ClockError)})
	}
}

// describeVirtualKubelets says of every virtual subject what its kubelet is where no trial has a configuration of its own, as it was found to be by the first
// of them: each has a node to itself.
func (s *Session) describeVirtualKubelets() {
	for i, subject := range s.config.subjects {
		report := &s.run.Subjects[i]
		if subject.Lane() != kubelet.LaneVirtual {
			continue
		}
		if n := slices.IndexFunc(s.run.Nodes, func(n reports.Node) bool { return n.Subject == report.Name }); n >= 0 {
			report.Node = s.run.Nodes[n].Name
		}
		for _, selection := range s.selectedIn(kubelet.LaneVirtual) {
			if w := selection.Trial.Worker; selection.Subject != report.Name || w != nil && w.Tuned() {
				continue
			}
			if k, ran := s.ranWith(selection.Trial.ID, report.Name); ran {
				report.Kubelet = k
				break
			}
		}
	}
}

// ranWith is the kubelet of a trial's last attempt, where it had one.
func (s *Session) ranWith(id, subject string) (formula.Kubelet, bool) {
	for _, o := range s.run.Outcomes {
		if last := o.Last(); o.Trial == id && o.Subject == subject && last != nil && last.Kubelet.Version != "" {
			return last.Kubelet, true
		}
	}
	return formula.Kubelet{}, false
}

// forgetOrdinaryKubelets leaves to the subject what it knows of its kubelet: only an attempt on a tuned worker has more to say.
func (s *Session) forgetOrdinaryKubelets() {
	ordinary := map[string]formula.Kubelet{}
	for _, subject := range s.run.Subjects {
		ordinary[subject.Name] = subject.Kubelet
	}
	for _, o := range s.run.Outcomes {
		for i := range o.Attempts {
			if a := &o.Attempts[i]; reflect.DeepEqual(a.Kubelet, ordinary[o.Subject]) {
				a.Kubelet = formula.Kubelet{}
			}
		}
	}
}
