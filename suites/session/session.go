package session

import (
	"context"
	"fmt"
	"io"
	"time"

	"golang.org/x/sync/errgroup"
	corev1 "k8s.io/api/core/v1"

	"github.com/podclock/podclock/harness/cluster"
	"github.com/podclock/podclock/harness/engine"
	"github.com/podclock/podclock/harness/formula"
	"github.com/podclock/podclock/harness/kubelet"
	"github.com/podclock/podclock/harness/lab"
	"github.com/podclock/podclock/harness/trial"
	"github.com/podclock/podclock/images"
	"github.com/podclock/podclock/images/node"
	"github.com/podclock/podclock/reports"
)

// Session is one run.
type Session struct {
	config  Config
	log     io.Writer
	run     reports.Run
	dir     string
	cluster *cluster.Cluster
	lab     *lab.Lab
	// selected is what was asked for, whether it ever ran or not.
	selected    []lab.Selection
	endProgress func()
}

// New begins a run: its folder and its clock.
func New(c Config, selected []lab.Selection, log io.Writer) (*Session, error) {
	started := time.Now()
	dir, id, err := reports.Folder(c.Out, started)
	if err != nil {
		return nil, err
	}
	s := &Session{config: c, log: log, dir: dir, selected: selected}
	s.run = reports.Run{Schema: reports.Schema, ID: id, Started: started, Environment: environment(c)}
	for _, subject := range c.subjects {
		s.run.Subjects = append(s.run.Subjects, reports.Subject{
			Name: subject.String(), Mutation: subject.Mutation, Kubelet: formula.Kubelet{Version: subject.Version},
		})
	}
	return s, nil
}

// SetUp goes from a bare host to trials that run. Steps obey ctx; the trials then live until Finish or until life ends.
func (s *Session) SetUp(ctx, life context.Context) error {
	err := s.setUp(ctx, life)
	if err != nil {
		s.Problem(fmt.Sprintf("set-up failed: %v", err))
	}
	return err
}

func (s *Session) setUp(ctx, life context.Context) error {
	e, err := engine.Ensure(ctx, s.log)
	if err != nil {
		return err
	}
	host, err := engine.InspectHost()
	if err != nil {
		return err
	}
	s.run.Environment.Engine = e.Name + " " + e.Version
	s.run.Environment.Adaptations = adaptations(host)
	image, err := node.Ensure(ctx, node.Options{Request: s.config.NodeImage, KubernetesVersion: s.config.subjects[0].Version, Engine: e, Progress: s.log})
	if err != nil {
		return err
	}
	s.run.Environment.NodeImage, s.run.Environment.Components = image.Ref, image.Components
	fault, err := images.Build(ctx, images.Fault, s.log)
	if err != nil {
		return err
	}
	recorder, err := images.Build(ctx, images.Recorder, s.log)
	if err != nil {
		return err
	}
	kubelets, err := s.buildKubelets(ctx)
	if err != nil {
		return err
	}

	o := s.config.clusterOptions()
	o.NodeImage, o.OfflineImage, o.Engine, o.Host, o.Log, o.LogDir = image.Ref, image.Built, e.Name, host, s.log, s.dir
	if s.cluster, err = cluster.Up(ctx, o); err != nil {
		return err
	}
	s.run.Environment.Cluster = s.cluster.Name
	if err := s.putKubelets(ctx, kubelets); err != nil {
		return err
	}
	s.run.Ready = time.Now()

	for _, archive := range []string{fault.Archive, recorder.Archive} {
		if err := s.cluster.LoadArchive(ctx, archive); err != nil {
			return fmt.Errorf("load the victims' images: %w", err)
		}
	}
	subjects, err := s.inspectKubelets(ctx)
	if err != nil {
		return err
	}
	// The lab outlives ctx, but an interrupt while it opens must not wait for its bounds.
	life, cancel := context.WithCancelCause(life)
	opened := context.AfterFunc(ctx, func() { cancel(context.Cause(ctx)) })
	s.lab, err = lab.Open(life, lab.Options{
		Config: s.cluster.RESTConfig(), Subjects: subjects, Namespace: "podclock-" + s.run.ID,
		FaultImage: fault.Ref, RecorderImage: recorder.Ref, Log: s.log,
	})
	opened()
	if err != nil {
		cancel(err)
		return err
	}
	s.lab.Start(s.selected)
	s.endProgress = s.showProgress()
	return nil
}

// buildKubelets builds the kubelet of every subject that the node image does not bring along.
func (s *Session) buildKubelets(ctx context.Context) (map[string]string, error) {
	paths := map[string]string{}
	for _, subject := range s.config.subjects {
		if subject.Clean() {
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

// youth is how long a kubelet starts its probes at a random time: while it is younger than their period (prober/worker.go run). It is
// longer than any periodSeconds of the catalogue.
const youth = 6 * time.Second

// putKubelets puts every subject's kubelet on its worker; one without a binary of its own gets the node image's.
func (s *Session) putKubelets(ctx context.Context, paths map[string]string) error {
	group, putting := errgroup.WithContext(ctx)
	for slug, nodeName := range s.cluster.Workers {
		group.Go(func() error {
			return s.cluster.PutKubelet(putting, nodeName, cluster.Kubelet{Path: paths[slug]})
		})
	}
	if err := group.Wait(); err != nil {
		return fmt.Errorf("put the subjects' kubelets on their workers: %w", err)
	}
	if len(paths) == 0 {
		return nil
	}
	select {
	case <-time.After(youth):
		return nil
	case <-ctx.Done():
		return fmt.Errorf("wait until the new kubelets probe at their ticks: %w", context.Cause(ctx))
	}
}

// inspectKubelets reads back what really runs on each worker. A kubelet that is not the subject is an error: its verdicts would bear a wrong name.
func (s *Session) inspectKubelets(ctx context.Context) ([]lab.Subject, error) {
	subjects := make([]lab.Subject, len(s.config.subjects))
	for i, subject := range s.config.subjects {
		nodeName := s.cluster.Workers[subject.Slug()]
		var worker corev1.Node
		if err := s.cluster.Client.Resources().Get(ctx, nodeName, "", &worker); err != nil {
			return nil, fmt.Errorf("read the kubelet's version on node %s: %w", nodeName, err)
		}
		if runs := worker.Status.NodeInfo.KubeletVersion; runs != subject.String() {
			return nil, fmt.Errorf("node %s runs kubelet %s, not %s: set NODE_IMAGE to an image of that version, or SUBJECTS to the kubelet that the image has", nodeName, runs, subject)
		}
		configuration, err := s.cluster.KubeletConfig(ctx, nodeName)
		if err != nil {
			return nil, fmt.Errorf("read the configuration of the kubelet on node %s: %w", nodeName, err)
		}
		report := &s.run.Subjects[i]
		report.Node, report.Configuration = nodeName, configuration.Raw
		subjects[i] = lab.Subject{Name: subject.String(), Slug: subject.Slug(), Node: nodeName, Kubelet: report.Kubelet}
	}
	return subjects, nil
}

// Await waits for one trial's outcome.
func (s *Session) Await(ctx context.Context, id, subject string) (trial.Outcome, error) {
	return s.lab.Await(ctx, id, subject)
}

// Problem notes what kept the harness from judging.
func (s *Session) Problem(text string) { s.run.Problems = append(s.run.Problems, text) }

// Finish collects what was measured and saves it, then ends the lab and the cluster. It works after an interrupt, too. What it returns is
// the run, and the first thing that went wrong on the way.
func (s *Session) Finish(ctx context.Context) (reports.Run, error) {
	if s.endProgress != nil {
		s.endProgress()
	}
	s.run.Reported = time.Now()
	if s.lab != nil {
		s.lab.Stop()
	}
	s.collect()
	err := s.save()
	if s.lab != nil {
		if closing := s.lab.Close(ctx); closing != nil {
			_, _ = fmt.Fprintln(s.log, closing)
		}
	}
	if s.cluster != nil {
		if closing := s.cluster.Close(ctx); closing != nil && err == nil {
			err = closing
		}
	}
	return s.run, err
}

// collect takes over the outcomes as they stand.
func (s *Session) collect() {
	if s.lab == nil {
		for _, selection := range s.selected {
			s.run.Outcomes = append(s.run.Outcomes, trial.Outcome{
				Trial: selection.Trial.ID, About: selection.Trial.About, Subject: selection.Subject,
				Verdict: trial.Inconclusive, Why: "it never ran",
			})
		}
		return
	}
	if err := s.lab.Err(); err != nil {
		s.Problem(err.Error())
	}
	s.run.Outcomes = s.lab.Outcomes()
	for i := range s.run.Subjects {
		subject := s.run.Subjects[i]
		noise, clockError := s.lab.Noise(subject.Name)
		s.run.Nodes = append(s.run.Nodes, reports.Node{Name: subject.Node, Subject: subject.Name, Noise: noise, ClockError: int64(clockError)})
	}
}

// Dir is the run's folder.
func (s *Session) Dir() string { return s.dir }
