package session

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/podclock/podclock/harness/cluster"
	"github.com/podclock/podclock/harness/engine"
	"github.com/podclock/podclock/harness/formula"
	"github.com/podclock/podclock/harness/kubelet"
	"github.com/podclock/podclock/harness/lab"
	"github.com/podclock/podclock/harness/stage"
	"github.com/podclock/podclock/images"
	"github.com/podclock/podclock/images/node"
)

// findEngine finds the node lane's container engine, or installs one.
func (s *Session) findEngine(ctx context.Context) error {
	e, err := engine.Ensure(ctx, s.log)
	if err != nil {
		return err
	}
	s.engine, s.run.Environment.Engine = e, e.Name+" "+e.Version
	return nil
}

// openNodes goes from a container engine to the node lane's lab.
func (s *Session) openNodes(ctx, life context.Context) (laboratory, error) {
	host, err := engine.InspectHost()
	if err != nil {
		return nil, err
	}
	s.run.Environment.Adaptations = adaptations(host)
	image, err := node.Ensure(ctx, node.Options{Request: s.config.NodeImage, KubernetesVersion: newest(), Engine: s.engine, Progress: s.log})
	if err != nil {
		return nil, err
	}
	s.run.Environment.NodeImage, s.run.Environment.Components = image.Ref, image.Components
	fault, err := images.Build(ctx, images.Fault, s.log)
	if err != nil {
		return nil, err
	}
	recorder, err := images.Build(ctx, images.Recorder, s.log)
	if err != nil {
		return nil, err
	}
	kubelets, err := s.buildKubelets(ctx)
	if err != nil {
		return nil, err
	}

	o := s.config.clusterOptions(s.spares())
	o.NodeImage, o.OfflineImage, o.Engine, o.Host, o.Log, o.LogDir = image.Ref, image.Built, s.engine.Name, host, s.log, s.dir
	if s.cluster, err = cluster.Up(ctx, o); err != nil {
		return nil, err
	}
	s.run.Environment.Cluster = s.cluster.Name
	if err := s.putKubelets(ctx, kubelets); err != nil {
		return nil, err
	}
	s.run.Ready = time.Now()

	for _, archive := range []string{fault.Archive, recorder.Archive} {
		if err := s.cluster.LoadArchive(ctx, archive); err != nil {
			return nil, fmt.Errorf("load the victims' images: %w", err)
		}
	}
	subjects, err := s.inspectKubelets(ctx)
	if err != nil {
		return nil, err
	}
	return open(ctx, life, func(life context.Context) (laboratory, error) {
		return lab.Open(life, lab.Options{
			Config: s.cluster.RESTConfig(), Subjects: subjects, Workers: workers{s.cluster}, Namespace: "podclock-" + s.run.ID, Log: s.log,
			Images: lab.Images{
				Images: stage.Images{Fault: fault.Ref, FaultOther: fault.Other, FaultStopSignal: fault.StopSignal}, Recorder: recorder.Ref,
			},
		})
	})
}

// newest is the version of the node image, and so of the control plane.
func newest() string { return kubelet.Versions()[0] }

// buildKubelets builds the kubelet of every subject that the node image does not bring along.
func (s *Session) buildKubelets(ctx context.Context) (map[string]string, error) {
	paths := map[string]string{}
	for _, subject := range s.config.in(kubelet.LaneNode) {
		if subject.Clean() && subject.Version == newest() {
			continue
		}
		binary, err := kubelet.Build(ctx, subject, kubelet.Options{Log: s.log})
		if err != nil {
			return nil, err
		}
		paths[subject.Slug()] = binary.Path
	}
	return paths, nil
}

// putKubelets puts every subject's kubelet on its workers; one without a binary of its own gets the node image's.
func (s *Session) putKubelets(ctx context.Context, paths map[string]string) error {
	group, putting := errgroup.WithContext(ctx)
	group.SetLimit(putsAtOnce)
	for _, subject := range s.config.in(kubelet.LaneNode) {
		slug := subject.Slug()
		for _, nodeName := range append([]string{s.cluster.Workers[slug]}, s.cluster.Spares[slug]...) {
			group.Go(func() error {
				return s.cluster.PutKubelet(putting, nodeName, cluster.Kubelet{Path: paths[slug], Args: subject.Args()})
			})
		}
	}
	if err := group.Wait(); err != nil {
		return fmt.Errorf("put the subjects' kubelets on their workers: %w", err)
	}
	if len(paths) == 0 {
		return nil
	}
	select {
	case <-time.After(s.youth()):
		return nil
	case <-ctx.Done():
		return fmt.Errorf("wait until the new kubelets probe at their ticks: %w", context.Cause(ctx))
	}
}

// putsAtOnce bounds the kubelets being copied and started at one time.
const putsAtOnce = 4

// youth is how long a new kubelet starts its probes at a random time: while it is younger than their period (prober/worker.go run).
func (s *Session) youth() time.Duration {
	longest := int32(0)
	for _, selection := range s.selectedIn(kubelet.LaneNode) {
		longest = max(longest, selection.Trial.LongestPeriod())
	}
	return time.Duration(longest)*time.Second + time.Second
}

// inspectKubelets reads back what really runs on each worker, spare ones too. A kubelet that is not the subject is an error: its verdicts would bear a
// wrong name.
func (s *Session) inspectKubelets(ctx context.Context) ([]lab.Subject, error) {
	var subjects []lab.Subject
	for _, subject := range s.config.in(kubelet.LaneNode) {
		report := s.report(subject)
		ordinary, spares := s.cluster.Workers[subject.Slug()], s.cluster.Spares[subject.Slug()]
		var facts formula.Kubelet
		for _, nodeName := range slices.Concat([]string{ordinary}, spares) {
			w := workers{s.cluster}
			runs, err := w.version(ctx, nodeName)
			if err != nil {
				return nil, err
			}
			if runs != subject.Reports() {
				return nil, fmt.Errorf("node %s runs kubelet %s, not %s: set NODE_IMAGE to an image of that version, or SUBJECTS to the kubelet that the image has", nodeName, runs, subject)
			}
			there, raw, err := w.inspect(ctx, nodeName, subject.Version)
			if err != nil {
				return nil, err
			}
			if nodeName == ordinary {
				facts, report.Configuration = there, raw
			} else if !reflect.DeepEqual(there, facts) {
				return nil, fmt.Errorf("the kubelet of node %s is configured as %+v, that of node %s as %+v: both should be the same", nodeName, there, ordinary, facts)
			}
		}
		report.Node, report.Kubelet = ordinary, facts
		subjects = append(subjects, lab.Subject{Name: subject.String(), Slug: subject.Slug(), Node: ordinary, Spares: spares, Kubelet: facts})
	}
	return subjects, nil
}
