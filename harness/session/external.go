package session

import (
	"context"
	"time"

	"github.com/podclock/podclock/harness/measure/run"
	"github.com/podclock/podclock/harness/node/external"
	"github.com/podclock/podclock/harness/node/lab"
)

func (s *Session) openExisting(ctx, life context.Context) (laboratory, error) {
	on := s.config.External
	pulled, err := s.imagesOfNodes(ctx)
	if err != nil {
		return nil, err
	}
	o := lab.Options{
		Config: on.Config, Namespace: s.namespace(len(s.run.Continued)), Ended: s.ended, Log: s.log, Observe: s.observe,
		Images: pulled, PullSecret: s.config.PullSecret,
		External: true, Unfit: external.Unfit, Security: on.Security(), Unsupported: on.Unsupported,
		Room: map[string]int{}, StartsAtOnce: max(1, int(external.Cores(on.Nodes))),
	}
	for i := range s.run.Continued {
		o.Left = append(o.Left, s.namespace(i))
	}
	for i, n := range on.Nodes {
		subject := s.config.subjects[i]
		report := s.report(subject)
		report.Node, report.Kubelet, report.Group, report.Configuration = n.Name, n.Kubelet, n.Group, n.Configuration
		report.System = &n.System
		o.Room[n.Name] = n.Pods
		o.Subjects = append(o.Subjects, lab.Placement{
			Name: subject.String(), Slug: subject.Slug(), Node: n.Name, Kubelet: n.Kubelet,
		})
	}
	s.run.Environment.Cluster = on.Context + " (" + on.Server + ")"
	if s.run.Ready.IsZero() {
		s.run.Ready = time.Now()
	}
	if s.journal, err = run.OpenJournal(s.dir, s.run); err != nil {
		return nil, err
	}
	return open(ctx, life, func(life context.Context) (laboratory, error) { return lab.Open(life, o) })
}
