package session

import (
	"context"
	"fmt"

	"golang.org/x/sync/errgroup"

	"github.com/podclock/podclock/harness/kubelets/builder"
	"github.com/podclock/podclock/harness/measure/run"
	"github.com/podclock/podclock/harness/virtual"
	"github.com/podclock/podclock/harness/virtual/trace"
	"github.com/podclock/podclock/harness/virtual/wire"
)

func (s *Session) openVirtual(ctx, life context.Context) (laboratory, error) {
	var programs []virtual.Program
	for _, subject := range s.config.in(run.VirtualLane) {
		binary, err := builder.Build(ctx, subject, builder.Options{Log: s.log})
		if err != nil {
			return nil, err
		}
		programs = append(programs, virtual.Program{
			Name: subject.String(), Binary: binary.Path, Gates: subject.FeatureGates(),
		})
	}
	if err := s.inspectVirtualNodes(ctx, programs); err != nil {
		return nil, err
	}
	var err error
	if s.traces, err = trace.Create(s.dir); err != nil {
		return nil, err
	}
	return open(ctx, life, func(life context.Context) (laboratory, error) {
		return virtual.Open(life, virtual.Options{
			Programs: programs, Seed: s.config.Seed, Trace: s.traces.Add, Log: s.log, Observe: s.observe,
		})
	})
}

// inspectVirtualNodes records each kubelet's facts. A wrong kubelet is an error: its verdicts would have a wrong name.
func (s *Session) inspectVirtualNodes(ctx context.Context, programs []virtual.Program) error {
	group, looking := errgroup.WithContext(ctx)
	for i, subject := range s.config.in(run.VirtualLane) {
		report := s.report(subject)
		group.Go(func() error {
			facts, raw, err := virtual.Inspect(looking, programs[i])
			if err != nil {
				return err
			}
			if facts.Version != subject.Version && facts.Version != subject.Reports() {
				return fmt.Errorf("the virtual node of %s runs kubelet %s: it was built wrong", subject, facts.Version)
			}
			report.Node, report.Kubelet, report.Configuration = wire.NodeName, facts, raw
			return nil
		})
	}
	return group.Wait()
}

// open opens a lab that outlives ctx, unless ctx ends before it is open.
func open(ctx, life context.Context, lab func(life context.Context) (laboratory, error)) (laboratory, error) {
	life, cancel := context.WithCancelCause(life)
	opened := context.AfterFunc(ctx, func() { cancel(context.Cause(ctx)) })
	l, err := lab(life)
	opened()
	if err != nil {
		cancel(err)
		return nil, err
	}
	return l, nil
}
