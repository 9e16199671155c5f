// Package lab runs many trials on many subjects at once.
//
// Trials spend their lives waiting, so the lab runs them all at once: longest first, their starts spread
// over the time that the longest takes, with a bound on the pods being started at one time. It delivers
// each one's cues when they are due. Trials that need a worker of their own get a spare one, tuned for them
// and put back afterwards. It collects what the recorders, the API watch and the kubelets tell, ends a
// trial when everything its claims measure is there or when its bound is over, judges it, and runs an
// inconclusive one again, a bounded number of times. Every wait has a bound and a name.
//
// The lab knows clusters but no formula: what is right or wrong is package trial's to say.
package lab

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"sync"
	"time"

	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"github.com/podclock/podclock/harness/formula"
	"github.com/podclock/podclock/harness/stage"
	"github.com/podclock/podclock/harness/trial"
)

// Subject is a kubelet under test: a worker node of the cluster, and spare ones for trials that need
// another configuration.
type Subject struct {
	// Name is what the user called it, Slug the same as part of a pod's name.
	Name, Slug string
	// Node is the ordinary worker, Spares are those that are tuned and restored.
	Node   string
	Spares []string
	// Kubelet is the same on all of them.
	Kubelet formula.Kubelet
}

// Workers is what the lab needs of a cluster to change its nodes and to look at them from outside.
type Workers interface {
	// Tune gives a node a configuration, says what its kubelet then is, and how to put everything back.
	Tune(ctx context.Context, node string, w trial.Worker) (formula.Kubelet, func(context.Context) error, error)
	// RestartKubelet restarts a node's kubelet, and says when: before the old one was stopped, and after
	// the new one was started.
	RestartKubelet(ctx context.Context, node string) (stopping, started time.Time, err error)
	// AwaitKubelet waits until a kubelet that was started at a time is Ready.
	AwaitKubelet(ctx context.Context, node string, started time.Time) error
	// AwaitUnpressed waits until a node is under no pressure.
	AwaitUnpressed(ctx context.Context, node string) error
	// Health names what runs on a node, kubelet and container runtime; another answer than before means
	// that one of them was started anew. It fails when one of them is dead or does not answer.
	Health(ctx context.Context, node string) (string, error)
	// Removals says when a node's container runtime was asked to remove containers, by what their IDs begin
	// with; those that were not are not in it.
	Removals(ctx context.Context, node string, since, until time.Time, ids []string) (map[string]time.Time, error)
	// NodeLog is what a node's kubelet and container runtime logged between two instants, the lines that
	// contain one of the texts.
	NodeLog(ctx context.Context, node string, since, until time.Time, containing ...string) ([]string, error)
}

// Images are the references of the images that are present on every node.
type Images struct {
	stage.Images
	Recorder string
}

// Options are what a lab needs.
type Options struct {
	Config   *rest.Config
	Subjects []Subject
	// Workers changes and watches the nodes. Without it no trial that needs a worker of its own can run.
	Workers Workers
	Images  Images
	// Namespace is created, and deleted again by Close.
	Namespace string
	// StartsAtOnce bounds the pods being started at one time, on all subjects together: a kind cluster's
	// nodes share one host's cores. 0 is DefaultStartsAtOnce.
	StartsAtOnce int
	// Attempts bounds how often a trial is run while it is inconclusive; 0 is DefaultAttempts.
	Attempts int
	// Observe gets every new state of a selection; see [stage.NewRuns].
	Observe func(stage.State)
	Log     io.Writer
}

const (
	// DefaultStartsAtOnce lets 32 pods start within 15 s on two cores. With twice as many, victims that
	// already ran had to wait for cores, and more trials had to be run again.
	DefaultStartsAtOnce = 2
	// DefaultAttempts is one run and three more: the last waits for calm nodes.
	DefaultAttempts = 4
)

// Lab is a cluster ready for trials.
type Lab struct {
	*stage.Runs
	options Options
	client  *kubernetes.Clientset
	nodes   map[string]*node // by name
	pods    *podWatch
	events  *eventWatch
	// conditions are those of the nodes.
	conditions *conditionWatch
	api        *apiAnswers
	logs       sync.Mutex // one search of a node's log at a time
	// ends with Close, with the context given to Open, or when the cluster can't be reached any more
	ctx      context.Context
	stop     context.CancelCauseFunc
	running  sync.WaitGroup
	watching sync.WaitGroup
}

// Open puts a recorder on every node and starts to collect. The lab lives until Close or until ctx ends.
func Open(ctx context.Context, o Options) (*Lab, error) {
	o.StartsAtOnce = cmp.Or(o.StartsAtOnce, DefaultStartsAtOnce)
	o.Attempts = cmp.Or(o.Attempts, DefaultAttempts)
	config := rest.CopyConfig(o.Config)
	config.QPS, config.Burst = 200, 400
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return nil, fmt.Errorf("make a client of the cluster: %w", err)
	}
	l := &Lab{options: o, client: client, nodes: map[string]*node{}, api: newAPIAnswers(), Runs: stage.NewRuns(o.Observe)}
	l.ctx, l.stop = context.WithCancelCause(ctx)
	if err := l.open(l.ctx); err != nil {
		// A recorder left behind would hold its ports against the next run on a kept cluster.
		if closing := l.Close(ctx); closing != nil {
			err = fmt.Errorf("%w; and then: %w", err, closing)
		}
		return nil, err
	}
	return l, nil
}

func (l *Lab) open(ctx context.Context) error {
	if err := l.deleteLeftNamespaces(ctx); err != nil {
		return err
	}
	if err := l.createNamespace(ctx); err != nil {
		return err
	}
	if err := l.createPriorityClasses(ctx); err != nil {
		return err
	}
	for _, s := range l.options.Subjects {
		l.nodes[s.Node] = newNode(s, s.Node)
		for _, spare := range s.Spares {
			l.nodes[spare] = newNode(s, spare)
		}
	}
	if err := l.watch(ctx); err != nil {
		return err
	}
	if err := l.startRecorders(ctx); err != nil {
		return err
	}
	l.watching.Go(func() { l.guard(ctx) })
	if l.options.Workers != nil {
		for i, name := range slices.Sorted(maps.Keys(l.nodes)) {
			// all at once would be a stall of their own
			first := time.Duration(i) * healthEvery / time.Duration(len(l.nodes))
			l.watching.Go(func() { l.watchHealth(ctx, l.nodes[name], first) })
		}
	}
	return nil
}

// Nodes are the nodes that trials ran on, in order of their names.
func (l *Lab) Nodes() []stage.NodeReport {
	var nodes []stage.NodeReport
	for _, name := range slices.Sorted(maps.Keys(l.nodes)) {
		n := l.nodes[name]
		nodes = append(
			nodes,
			stage.NodeReport{Name: name, Subject: n.subject.Name, Delays: n.delays(), ClockError: n.clockError()},
		)
	}
	return nodes
}

// Err returns why the lab ended before it was closed, nil if it did not: the API server was away for too long,
// or the run was interrupted.
func (l *Lab) Err() error { return stage.Ended(l.ctx) }

// closing bounds the removal of the lab's namespace.
const closing = 30 * time.Second

// Stop ends what is running: it is judged by what was recorded of it so far. Everything that runs obeys the
// lab's context, so this is quick.
func (l *Lab) Stop() {
	l.stop(stage.ErrClosed)
	l.running.Wait()
	l.watching.Wait()
}

// Close stops the lab and deletes its namespace without waiting for its pods. It works after ctx has ended, too.
func (l *Lab) Close(ctx context.Context) error {
	l.Stop()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), closing)
	defer cancel()
	return l.deleteNamespace(ctx)
}
