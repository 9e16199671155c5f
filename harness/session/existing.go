package session

import (
	"context"
	"time"

	"github.com/podclock/podclock/harness/lab"
	"github.com/podclock/podclock/harness/stage"
	"github.com/podclock/podclock/images"
)

func (s *Session) openExisting(ctx, life context.Context) (laboratory, error) {
	on := s.config.Existing
	fault, err := images.Build(ctx, images.Fault, s.log)
	if err != nil {
		return nil, err
	}
	recorder, err := images.Build(ctx, images.Recorder, s.log)
	if err != nil {
		return nil, err
	}
	at := func(ref string) string { return images.At(s.config.Images, ref) }
	o := lab.Options{
		Config: on.Config, Namespace: "podclock-" + s.run.ID, Log: s.log, Observe: s.observe,
		Images: lab.Images{
			Images: stage.Images{
				Fault: at(fault.Ref), FaultOther: at(fault.Other), FaultStopSignal: at(fault.StopSignal),
			},
			Recorder: at(recorder.Ref),
		},
		Guest: true, Security: on.Security(), Unsupported: on.Unsupported, Room: map[string]int{},
	}
	for i, n := range on.Nodes {
		subject := s.config.subjects[i]
		report := s.report(subject)
		report.Node, report.Kubelet, report.Group, report.Configuration = n.Name, n.Kubelet, n.Group, n.Configuration
		o.Room[n.Name] = n.Pods
		o.Subjects = append(o.Subjects, lab.Subject{
			Name: subject.String(), Slug: subject.Slug(), Node: n.Name, Kubelet: n.Kubelet,
		})
	}
	s.run.Environment.Cluster = on.Context + " (" + on.Server + ")"
	s.run.Ready = time.Now()
	return open(ctx, life, func(life context.Context) (laboratory, error) { return lab.Open(life, o) })
}
