package lab

import (
	"context"
	"io"
	"time"

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
