package session

import (
	"context"
	"fmt"
	"runtime"
	"time"

	"github.com/podclock/podclock/harness/cluster"
	"github.com/podclock/podclock/harness/cluster/nodes"
	"github.com/podclock/podclock/harness/engine"
	"github.com/podclock/podclock/harness/host"
	"github.com/podclock/podclock/harness/kubelet"
	"github.com/podclock/podclock/harness/kubelet/builder"
	"github.com/podclock/podclock/harness/lab"
	"github.com/podclock/podclock/harness/stage"
	"github.com/podclock/podclock/images"
	"github.com/podclock/podclock/images/node"
)

func (s *Session) findEngine(ctx context.Context) error {
	if err := host.NeedLinux("a cluster is booted", "run --on=existing measures one that runs"); err != nil {
		return err
	}
	e, err := engine.Ensure(ctx, s.log)
	if err != nil {
		return err
	}
	s.engine, s.run.Environment.Engine = e, e.Name+" "+e.Version
	return nil
}

func (s *Session) openNodes(ctx, life context.Context) (laboratory, error) {
	here, err := engine.InspectHost()
	if err != nil {
		return nil, err
	}
	s.run.Environment.Adaptations = adaptations(here)
	request := s.config.NodeImage
	if request == "" && s.config.otherRuntimes() {
		request = node.RequestBuild
	}
	image, err := node.Ensure(ctx,
		node.Options{Request: request, KubernetesVersion: newest(), Engine: s.engine, Progress: s.log})
	if err != nil {
		return nil, err
	}
	s.run.Environment.NodeImage, s.run.Environment.Components = image.Ref, image.Components
	fault, err := images.Build(ctx, images.Fault, runtime.GOARCH, s.log)
	if err != nil {
		return nil, err
	}
	recorder, err := images.Build(ctx, images.Recorder, runtime.GOARCH, s.log)
	if err != nil {
		return nil, err
	}
	kubelets, err := s.buildKubelets(ctx)
	if err != nil {
		return nil, err
	}
	components, err := s.buildComponents(ctx)
	if err != nil {
		return nil, err
	}
	runtimes, err := s.buildRuntimes(ctx, image)
	if err != nil {
		return nil, err
	}

	o := s.config.clusterOptions(s.spares())
	o.NodeImage, o.OfflineImage, o.Engine, o.Host, o.Log, o.LogDir = image.Ref, image.Built, s.engine.Name, here,
		s.log, s.dir
	if s.cluster, err = cluster.Up(ctx, o); err != nil {
		return nil, err
	}
	s.run.Environment.Cluster = s.cluster.Name
	for _, subject := range s.config.settled() {
		if component, mutated := components[subject.Slug()]; mutated {
			if err := s.cluster.PutComponent(ctx, component); err != nil {
				return nil, err
			}
		}
	}
	if err := s.putKubelets(ctx, kubelets, runtimes); err != nil {
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
			Config:    s.cluster.RESTConfig,
			Subjects:  subjects,
			Workers:   workers{s.cluster, s.becomes(kubelets, components)},
			Pool:      s.pool(),
			Namespace: "podclock-" + s.run.ID,
			Log:       s.log,
			Observe:   s.observe,
			Images: lab.Images{
				Images: stage.Images{
					Fault: fault.Ref, FaultOther: fault.Other, FaultStopSignal: fault.StopSignal,
				},
				Recorder: recorder.Ref,
			},
		})
	})
}

func (s *Session) buildKubelets(ctx context.Context) (map[string]builder.Binary, error) {
	binaries := map[string]builder.Binary{}
	for _, subject := range s.config.in(kubelet.LaneNode) {
		if inImage(subject) {
			continue
		}
		binary, err := s.build(ctx, subject)
		if err != nil {
			return nil, err
		}
		binaries[subject.Slug()] = binary
	}
	return binaries, nil
}

// buildComponents builds the mutated components of the control plane, by subject.
func (s *Session) buildComponents(ctx context.Context) (map[string]nodes.Component, error) {
	components := map[string]nodes.Component{}
	for _, subject := range s.config.in(kubelet.LaneNode) {
		if !subject.MutatesControlPlane() {
			continue
		}
		binary, err := s.build(ctx, subject)
		if err != nil {
			return nil, err
		}
		components[subject.Slug()] = nodes.Component{
			Name: string(subject.Component()), Path: binary.Path, Version: binary.Version, Env: binary.Env,
		}
	}
	return components, nil
}

// buildRuntimes builds the subjects' runtimes, by name.
func (s *Session) buildRuntimes(ctx context.Context, image node.Image) (map[string]nodes.Runtime, error) {
	runtimes := map[string]nodes.Runtime{}
	for _, subject := range s.config.in(kubelet.LaneNode) {
		name := subject.Runtime
		if _, built := runtimes[name]; built || name == "" {
			continue
		}
		if !image.Built {
			return nil, fmt.Errorf("subject %s: runtime %s needs podclock's own node image, not %s: set NODE_IMAGE=%s",
				subject, name, image.Ref, node.RequestBuild)
		}
		built, err := node.BuildRuntime(ctx, name, s.log)
		if err != nil {
			return nil, err
		}
		runtimes[name] = nodes.Runtime(built)
	}
	return runtimes, nil
}

func (s *Session) build(ctx context.Context, subject kubelet.Subject) (builder.Binary, error) {
	if built, ok := s.config.Built[subject.String()]; ok {
		return built, nil
	}
	return builder.Build(ctx, subject, builder.Options{Log: s.log})
}
