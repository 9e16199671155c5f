package session

import (
	"reflect"

	"github.com/podclock/podclock/harness/formula"
	"github.com/podclock/podclock/harness/kubelet"
	"github.com/podclock/podclock/harness/run"
)

// collect takes over the outcomes of all lanes as they stand, the node lane's first.
func (s *Session) collect() {
	for _, lane := range []kubelet.Lane{kubelet.LaneNode, kubelet.LaneVirtual} {
		s.collectLane(lane)
	}
	s.forgetOrdinaryKubelets()
}

func (s *Session) collectLane(lane kubelet.Lane) {
	l := s.labs[lane]
	for _, selection := range s.selectedIn(lane) {
		if l == nil || s.lost[selection.Subject] != nil {
			s.run.Outcomes = append(s.run.Outcomes, s.neverRan(selection))
		}
	}
	if l == nil {
		return
	}
	if err := l.Err(); err != nil {
		s.Problem(err.Error())
	}
	outcomes := l.Outcomes()
	s.unfinished[lane].mark(outcomes)
	s.run.Outcomes = append(s.run.Outcomes, outcomes...)
	for _, n := range l.Nodes() {
		s.run.Nodes = append(s.run.Nodes,
			run.Node{Name: n.Name, Subject: n.Subject, Delays: n.Delays, ClockError: int64(n.ClockError)})
	}
}

// forgetOrdinaryKubelets leaves to the subject what it knows of its kubelet: only an attempt on a tuned
// worker has more to say.
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
