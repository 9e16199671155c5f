package session

import (
	"context"
	"fmt"
	"io"
	"reflect"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

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
	s.run.Profile = string(c.Profile)
	for _, subject := range c.subjects {
		s.run.Subjects = append(s.run.Subjects, reports.Subject{
			Name: subject.String(), Mutation: subject.Mutation, Path: subject.Path, Reported: subject.Reports(), Kubelet: formula.Kubelet{Version: subject.Version},
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
	image, err := node.Ensure(ctx, node.Options{Request: s.config.NodeImage, KubernetesVersion: newest(), Engine: e, Progress: s.log})
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

	o := s.config.clusterOptions(s.spares())
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
		Config: s.cluster.RESTConfig(), Subjects: subjects, Workers: workers{s.cluster}, Namespace: "podclock-" + s.run.ID, Log: s.log,
		Images: lab.Images{Fault: fault.Ref, FaultOther: fault.Other, FaultStopSignal: fault.StopSignal, Recorder: recorder.Ref},
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

// newest is the version of the node image, and so of the control plane.
func newest() string { return kubelet.Versions()[0] }

// mostSpares is how many spare workers one subject gets at most, mostWorkers how many workers a cluster gets where its subjects can't do with fewer.
const (
	mostSpares  = 7
	mostWorkers = 12
)

// spares is how many spare workers each subject gets: one for each configuration that the selected trials need, as far as the host bears it. With
// fewer, the configurations wait for each other.
func (s *Session) spares() int {
	configurations := map[string]bool{}
	for _, selection := range s.selected {
		if w := selection.Trial.Worker; w != nil {
			configurations[w.Name] = true
		}
	}
	room := max(1, mostWorkers/len(s.config.subjects)-1)
	return min(len(configurations), mostSpares, room)
}

// buildKubelets builds the kubelet of every subject that the node image does not bring along.
func (s *Session) buildKubelets(ctx context.Context) (map[string]string, error) {
	paths := map[string]string{}
	for _, subject := range s.config.subjects {
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
	for _, subject := range s.config.subjects {
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
	for _, selection := range s.selected {
		longest = max(longest, selection.Trial.LongestPeriod())
	}
	return time.Duration(longest)*time.Second + time.Second
}

// inspectKubelets reads back what really runs on each worker, spare ones too. A kubelet that is not the subject is an error: its verdicts would bear a
// wrong name.
func (s *Session) inspectKubelets(ctx context.Context) ([]lab.Subject, error) {
	subjects := make([]lab.Subject, len(s.config.subjects))
	for i, subject := range s.config.subjects {
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
				facts, s.run.Subjects[i].Configuration = there, raw
			} else if !reflect.DeepEqual(there, facts) {
				return nil, fmt.Errorf("the kubelet of node %s is configured as %+v, that of node %s as %+v: both should be the same", nodeName, there, ordinary, facts)
			}
		}
		report := &s.run.Subjects[i]
		report.Node, report.Kubelet = ordinary, facts
		subjects[i] = lab.Subject{Name: subject.String(), Slug: subject.Slug(), Node: ordinary, Spares: spares, Kubelet: facts}
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
	s.forgetOrdinaryKubelets()
	for _, n := range s.lab.Nodes() {
		s.run.Nodes = append(s.run.Nodes, reports.Node{Name: n.Name, Subject: n.Subject, Noise: n.Noise, ClockError: int64(n.ClockError)})
	}
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

// Dir is the run's folder.
func (s *Session) Dir() string { return s.dir }
