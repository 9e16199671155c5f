package session

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime"
	"time"

	"sigs.k8s.io/e2e-framework/pkg/env"
	"sigs.k8s.io/e2e-framework/pkg/envconf"
	"sigs.k8s.io/e2e-framework/pkg/envfuncs"
	"sigs.k8s.io/e2e-framework/support"

	"github.com/podclock/podclock/harness/host"
	"github.com/podclock/podclock/harness/host/engine"
	"github.com/podclock/podclock/harness/kubelets"
	"github.com/podclock/podclock/harness/kubelets/builder"
	"github.com/podclock/podclock/harness/kubelets/mutation"
	"github.com/podclock/podclock/harness/measure/run"
	"github.com/podclock/podclock/harness/node/cluster"
	"github.com/podclock/podclock/harness/node/cluster/nodes"
	"github.com/podclock/podclock/harness/node/lab"
	"github.com/podclock/podclock/images/node"
)

func (s *Session) findEngine(ctx context.Context) error {
	if err := host.NeedLinux("a cluster is booted", "run --on=external measures one that runs"); err != nil {
		return err
	}
	e, err := engine.Ensure(ctx, s.log)
	if err != nil {
		return err
	}
	s.engine, s.run.Environment.Engine = e, e.Name+" "+e.Version
	return nil
}

func (s *Session) openNodes(ctx, life context.Context) (l laboratory, err error) {
	defer func() {
		if err != nil {
			s.saveLogs(ctx)
		}
	}()
	b, err := s.boot(ctx)
	if err != nil {
		return nil, err
	}
	return open(b.ctx, life, func(life context.Context) (laboratory, error) {
		return lab.Open(life, lab.Options{
			Config:    s.cluster.RESTConfig,
			Subjects:  b.subjects,
			Workers:   b.workers,
			Pool:      s.pool(),
			Namespace: s.namespace(0),
			Log:       s.log,
			Observe:   s.observe,
			Images:    b.images,
			Slower:    b.slower,
		})
	})
}

// booted is a cluster with the subjects' kubelets and a namespace. ctx has what functions of e2e-framework put there.
type booted struct {
	ctx      context.Context
	subjects []lab.Placement
	workers  workers
	images   lab.Images
	slower   float64
}

// boot builds what the subjects need, boots the cluster and puts the subjects under test.
func (s *Session) boot(ctx context.Context) (b booted, err error) {
	here, err := engine.InspectHost()
	if err != nil {
		return b, err
	}
	s.run.Environment.Adaptations = adaptations(here)
	request := s.config.NodeImage
	if request == "" && s.config.otherRuntimes() {
		request = node.RequestBuild
	}
	image, err := node.Ensure(ctx,
		node.Options{Request: request, KubernetesVersion: newest(), Engine: s.engine, Progress: s.log})
	if err != nil {
		return b, err
	}
	s.run.Environment.NodeImage, s.run.Environment.Components = image.Ref, image.Components
	archives, refs, err := s.buildImages(ctx, runtime.GOARCH)
	if err != nil {
		return b, err
	}
	kubelets, err := s.buildKubelets(ctx)
	if err != nil {
		return b, err
	}
	components, err := s.buildComponents(ctx)
	if err != nil {
		return b, err
	}
	runtimes, err := s.buildRuntimes(ctx, image)
	if err != nil {
		return b, err
	}

	b.slower = slower()
	most := affordable(runtime.NumCPU(), b.slower)
	spares := s.spares(most)
	o := s.config.clusterOptions(spares)
	count := len(o.Subjects)
	for _, n := range spares {
		count += n
	}
	if warning := crowded(count, most); warning != "" {
		_, _ = fmt.Fprintln(s.log, warning)
	}
	o.NodeImage, o.OfflineImage, o.Engine, o.Host, o.Log, o.LogDir = image.Ref, image.Built, s.engine.Name, here,
		s.log, s.dir
	provider := cluster.NewProvider(o)
	booted := func(ctx context.Context, _ *envconf.Config) (context.Context, error) {
		s.cluster, s.run.Environment.Cluster = provider, o.Name
		return ctx, s.putUnderTest(ctx, kubelets, components, runtimes)
	}
	b.ctx, err = through(ctx, s.env, envfuncs.CreateClusterWithConfig(provider, o.Name, o.ConfigPath), booted,
		envfuncs.LoadImageArchiveToCluster(o.Name, archives[0]),
		envfuncs.LoadImageArchiveToCluster(o.Name, archives[1]),
		persistently(envfuncs.CreateNamespace(s.namespace(0), envfuncs.WithLabels(lab.Owned()))))
	if err != nil {
		return b, err
	}
	b.images, b.workers = refs, workers{s.cluster, s.becomes(kubelets, components)}
	b.subjects, err = s.inspectKubelets(b.ctx)
	return b, err
}

// through calls functions of an environment until one fails. The context has what they put there.
func through(ctx context.Context, cfg *envconf.Config, steps ...env.Func) (context.Context, error) {
	for _, step := range steps {
		var err error
		if ctx, err = step(ctx, cfg); err != nil {
			return ctx, err
		}
	}
	return ctx, nil
}

// persistently repeats a function while the API server does not answer. What it puts into the context is dropped.
func persistently(step env.Func) env.Func {
	return func(ctx context.Context, cfg *envconf.Config) (context.Context, error) {
		return ctx, lab.Persist(ctx, func(ctx context.Context) error {
			_, err := step(ctx, cfg)
			return err
		})
	}
}

// saveLogs saves the logs of a cluster on which no trial could start. An interrupt has no need of them.
func (s *Session) saveLogs(ctx context.Context) {
	if s.cluster == nil || ctx.Err() != nil {
		return
	}
	if _, err := envfuncs.ExportClusterLogs(s.run.Environment.Cluster, s.dir)(ctx, s.env); err != nil {
		_, _ = fmt.Fprintln(s.log, cmp.Or(errors.Unwrap(err), err)) // the function calls it the loading of an image
		return
	}
	_, _ = fmt.Fprintf(s.log, "the nodes' logs are in %s\n", s.dir)
}

// closeCluster deletes the cluster unless it is kept.
func (s *Session) closeCluster(ctx context.Context) error {
	if s.cluster == nil {
		return nil
	}
	name := s.run.Environment.Cluster
	ctx = context.WithValue(ctx, support.ClusterNameContextKey(name), s.cluster)
	_, err := envfuncs.DestroyCluster(name)(ctx, s.env)
	return err
}

// putUnderTest puts the subjects' components into the control plane, and their kubelets and runtimes on their workers.
func (s *Session) putUnderTest(
	ctx context.Context, kubelets map[string]builder.Binary, components map[string][]nodes.Component,
	runtimes map[string]node.Runtime,
) error {
	for _, subject := range s.config.settled() {
		if err := s.putComponents(ctx, components[subject.Slug()]); err != nil {
			return err
		}
	}
	if err := s.putKubelets(ctx, kubelets, runtimes); err != nil {
		return err
	}
	s.run.Ready = time.Now()
	return nil
}

func (s *Session) buildKubelets(ctx context.Context) (map[string]builder.Binary, error) {
	binaries := map[string]builder.Binary{}
	for _, subject := range s.config.in(run.NodeLane) {
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

// buildComponents builds what a subject puts into the control plane, by subject: its mutated component, or the
// components of a release that is newer than the node image.
func (s *Session) buildComponents(ctx context.Context) (map[string][]nodes.Component, error) {
	components := map[string][]nodes.Component{}
	for _, subject := range s.config.in(run.NodeLane) {
		if !subject.MutatesControlPlane() {
			continue
		}
		binary, err := s.build(ctx, subject)
		if err != nil {
			return nil, err
		}
		components[subject.Slug()] = []nodes.Component{componentOf(subject.Component(), binary)}
	}
	subject, newer := s.config.newerThanImage()
	if !newer {
		return components, nil
	}
	all, err := s.buildControlPlane(ctx, subject.Version)
	if errors.Is(err, builder.ErrNotServed) {
		older := fmt.Sprintf("the control plane is %s, older than kubelet %s, which Kubernetes does not support: %v",
			newest(), subject.Version, err)
		s.run.Environment.Adaptations = append(s.run.Environment.Adaptations, older)
		_, _ = fmt.Fprintln(s.log, older)
		return components, nil
	}
	components[subject.Slug()] = all
	return components, err
}

// buildControlPlane builds the components of a release. The API server comes first: none may be newer than it.
func (s *Session) buildControlPlane(ctx context.Context, version string) (all []nodes.Component, err error) {
	for _, c := range []mutation.Component{mutation.APIServer, mutation.ControllerManager, mutation.Scheduler} {
		options := builder.Options{Log: s.log, Component: c}
		binary, err := builder.Build(ctx, kubelets.Subject{Version: version}, options)
		if err != nil {
			return nil, err
		}
		all = append(all, componentOf(c, binary))
		s.run.Environment.Components[string(c)] = version
	}
	return all, nil
}

func componentOf(c mutation.Component, b builder.Binary) nodes.Component {
	return nodes.Component{Name: string(c), Path: b.Path, Version: b.Version, Env: b.Env}
}

// buildRuntimes builds the subjects' runtimes, by name.
func (s *Session) buildRuntimes(ctx context.Context, image node.Image) (map[string]node.Runtime, error) {
	runtimes := map[string]node.Runtime{}
	for _, subject := range s.config.in(run.NodeLane) {
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
		runtimes[name] = built
	}
	return runtimes, nil
}

func (s *Session) build(ctx context.Context, subject kubelets.Subject) (builder.Binary, error) {
	if built, ok := s.config.Built[subject.String()]; ok {
		return built, nil
	}
	return builder.Build(ctx, subject, builder.Options{Log: s.log})
}
