package session

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/podclock/podclock/harness/kubelets"
	"github.com/podclock/podclock/harness/kubelets/builder"
	"github.com/podclock/podclock/harness/measure/run"
	"github.com/podclock/podclock/harness/node/cluster/nodes"
	"github.com/podclock/podclock/harness/node/lab"
	"github.com/podclock/podclock/harness/rules/formula"
	"github.com/podclock/podclock/images/node"
)

// putKubelets puts each subject's runtime and kubelet, if it has its own, on its workers. A kubelet that does not start
// loses only its subject.
func (s *Session) putKubelets(
	ctx context.Context, binaries map[string]builder.Binary, runtimes map[string]node.Runtime,
) error {
	var group errgroup.Group
	group.SetLimit(putsAtOnce)
	for _, subject := range s.config.settled() {
		for _, nodeName := range s.workersOf(subject) {
			group.Go(func() error {
				var err error
				if r, has := runtimes[subject.Runtime]; has {
					err = s.cluster.PutRuntime(ctx, nodeName, r)
				}
				own := binaries[subject.Slug()]
				if err == nil {
					err = s.cluster.PutKubelet(ctx, nodeName,
						nodes.Kubelet{Path: own.Path, Args: subject.Args(), Env: own.Env})
				}
				return s.lose(ctx, subject, err)
			})
		}
	}
	if err := errors.Join(group.Wait(), s.allLost()); err != nil {
		return fmt.Errorf("put the subjects' kubelets on their workers: %w", err)
	}
	if len(binaries) == 0 {
		return nil
	}
	select {
	case <-time.After(s.youth()):
		return nil
	case <-ctx.Done():
		return fmt.Errorf("wait until the new kubelets probe at their ticks: %w", context.Cause(ctx))
	}
}

// putComponents puts a subject's components into the control plane, in their order.
func (s *Session) putComponents(ctx context.Context, components []nodes.Component) error {
	for _, component := range components {
		if err := s.cluster.PutComponent(ctx, component); err != nil {
			return err
		}
	}
	return nil
}

// workersOf returns the ordinary worker first.
func (s *Session) workersOf(subject kubelets.Subject) []string {
	return slices.Concat([]string{s.cluster.Workers[subject.Slug()]}, s.cluster.Spares[subject.Slug()])
}

const putsAtOnce = 4

// youth is the age below which a kubelet probes at random times: the probes' period (prober/worker.go run).
func (s *Session) youth() time.Duration {
	longest := int32(0)
	for _, selection := range s.selectedIn(run.NodeLane) {
		longest = max(longest, selection.Trial.LongestPeriod())
	}
	return time.Duration(longest)*time.Second + time.Second
}

// inspectKubelets reads back what runs on each worker. A subject with another kubelet is lost, because its verdicts
// would have a wrong name.
func (s *Session) inspectKubelets(ctx context.Context) ([]lab.Placement, error) {
	var subjects []lab.Placement
	for _, subject := range s.config.in(run.NodeLane) {
		if s.lost[subject.String()] != nil {
			continue
		}
		if s.config.pooled(subject) {
			subjects = append(subjects, lab.Placement{Name: subject.String(), Slug: subject.Slug()})
			continue
		}
		inspected, err := s.inspectKubelet(ctx, subject)
		if err == nil {
			subjects = append(subjects, inspected)
		} else if err := s.lose(ctx, subject, err); err != nil {
			return nil, err
		}
	}
	return subjects, s.allLost()
}

func (s *Session) inspectKubelet(ctx context.Context, subject kubelets.Subject) (lab.Placement, error) {
	nodes := s.workersOf(subject)
	facts, err := s.inspectNode(ctx, subject, nodes[0])
	if err != nil {
		return lab.Placement{}, err
	}
	for _, spare := range nodes[1:] {
		there, err := s.inspectNode(ctx, subject, spare)
		if err != nil {
			return lab.Placement{}, err
		}
		if !reflect.DeepEqual(there, facts) {
			return lab.Placement{}, fmt.Errorf(
				"the kubelet of node %s is configured as %+v, that of node %s as %+v: both should be the same",
				spare, there, nodes[0], facts)
		}
	}
	s.report(subject).Node = nodes[0]
	return lab.Placement{
		Name: subject.String(), Slug: subject.Slug(), Node: nodes[0], Spares: nodes[1:], Kubelet: facts,
	}, nil
}

// inspectNode records what a subject's kubelet is on a node.
func (s *Session) inspectNode(ctx context.Context, subject kubelets.Subject, node string) (formula.Kubelet, error) {
	w := workers{Cluster: s.cluster}
	system, err := w.system(ctx, node)
	if err != nil {
		return formula.Kubelet{}, err
	}
	if system.Kubelet != subject.Reports() {
		return formula.Kubelet{}, fmt.Errorf("node %s runs kubelet %s, not %s: set NODE_IMAGE to an image of that "+
			"version, or SUBJECTS to the kubelet that the image has", node, system.Kubelet, subject)
	}
	if r, has := kubelets.FindRuntime(subject.Runtime); has && !strings.HasPrefix(system.Runtime, r.Reports) {
		return formula.Kubelet{}, fmt.Errorf("node %s reports runtime %s instead of %s", node, system.Runtime, r.Name)
	}
	facts, raw, err := w.inspect(ctx, node, subject.Version, system.Runtime)
	if err != nil {
		return formula.Kubelet{}, err
	}
	report := s.report(subject)
	report.Node, report.Kubelet, report.Configuration, report.System = node, facts, raw, &system
	return facts, nil
}

// pool returns the workers that mutated kubelets share.
func (s *Session) pool() (names []string) {
	for i := range s.config.Pool {
		names = append(names, s.cluster.Workers[poolLabel(i)])
	}
	return names
}

// becomes returns a function that puts a subject's kubelet, and its component of the control plane if it has one.
func (s *Session) becomes(binaries map[string]builder.Binary, components map[string][]nodes.Component) become {
	return func(ctx context.Context, node, name string) (formula.Kubelet, error) {
		i := slices.IndexFunc(s.config.subjects, func(k kubelets.Subject) bool { return k.String() == name })
		subject := s.config.subjects[i]
		if err := s.putComponents(ctx, components[subject.Slug()]); err != nil {
			return formula.Kubelet{}, err
		}
		own := binaries[subject.Slug()]
		err := s.cluster.PutKubelet(ctx, node, nodes.Kubelet{Path: own.Path, Args: subject.Args(), Env: own.Env})
		if err != nil {
			return formula.Kubelet{}, err
		}
		return s.inspectNode(ctx, subject, node)
	}
}
