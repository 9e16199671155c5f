package lab

import (
	"context"
	"io"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/rest"

	"github.com/podclock/podclock/harness/measure/run"
	"github.com/podclock/podclock/harness/measure/runner"
	"github.com/podclock/podclock/harness/measure/trial"
	"github.com/podclock/podclock/harness/rules/formula"
)

// Placement is where a subject runs: its ordinary worker, and spare ones that are tuned and restored. A subject without
// a node is played on the pool.
type Placement struct {
	Name, Slug string
	Node       string
	Spares     []string
	Kubelet    formula.Kubelet
}

// Workers changes a cluster's nodes and looks at them from outside.
type Workers interface {
	// Tune configures a node. It returns the kubelet that then runs, and a function that restores the node.
	Tune(ctx context.Context, node string, w trial.Worker) (formula.Kubelet, func(context.Context) error, error)
	// Become makes a node of the pool that of a subject, and returns its kubelet.
	Become(ctx context.Context, node, subject string) (formula.Kubelet, error)
	// RestartKubelet returns times before the old kubelet was stopped and after the new one was started. In between it
	// calls meanwhile, which may be nil.
	RestartKubelet(ctx context.Context, node string, meanwhile func(context.Context) error) (
		stopping, started time.Time, err error)
	// EndPods ends the processes of all pods but that of a UID, and restarts the container runtime, while no kubelet
	// runs. The runtime has not seen them end.
	EndPods(ctx context.Context, node, uid string) error
	// AnnounceShutdown tells the kubelet that the node shuts down, which it does not. It returns times before and
	// after that.
	AnnounceShutdown(ctx context.Context, node string) (began, ended time.Time, err error)
	// PlaceManifest writes the file of a static pod, RemoveManifest removes it.
	PlaceManifest(ctx context.Context, node, name string, manifest []byte) error
	RemoveManifest(ctx context.Context, node, name string) error
	AwaitKubelet(ctx context.Context, node string, started time.Time) error
	AwaitNoPressure(ctx context.Context, node string) error
	// Health identifies the processes of a node's kubelet and container runtime. It fails if one does not answer.
	Health(ctx context.Context, node string) (string, error)
	// Removals returns when the container runtime was asked to remove containers, by the beginning of their IDs.
	Removals(ctx context.Context, node string, since, until time.Time, ids []string) (map[string]time.Time, error)
	// NodeLog returns the lines of the node's kubelet and container runtime that contain one of the texts.
	NodeLog(ctx context.Context, node string, since, until time.Time, containing ...string) ([]string, error)
}

// Images are the references of images that every node has.
type Images struct {
	runner.Images
	Recorder string
}

// Options configure a lab.
type Options struct {
	Config   *rest.Config
	Subjects []Placement
	// Pool are nodes that run one subject after another.
	Pool []string
	// Workers may be nil, if no trial needs a worker of its own.
	Workers Workers
	Images  Images
	// Namespace has the lab's pods. The lab creates it on nodes of others only. Close deletes it.
	Namespace string
	// StartsAtOnce bounds the pods that start at one time on all nodes, one on each core. 0 are the cores of this host.
	StartsAtOnce int
	// Slower is that of [delay.Record], of the host of all nodes.
	Slower float64
	// Attempts bounds the attempts of an inconclusive trial. 0 is DefaultAttempts.
	Attempts int
	// External reports that podclock did not make the cluster: recorders and victims are ordinary pods, with an owner
	// that ends them if podclock dies.
	External bool
	// Security is the Pod Security Standard that the namespace of a guest enforces.
	Security string
	// PullSecret is the docker configuration (kubernetes.io/dockerconfigjson) that a guest's nodes pull with, or nil.
	PullSecret []byte
	// Room is how many pods of the lab may be on each node at one time, by its name. 0 is no bound.
	Room map[string]int
	// Unfit returns why a guest's node must be left alone now, or "". It may be nil.
	Unfit func(*corev1.Node) string
	// Unsupported returns why a trial can't run in the cluster, or "". It may be nil.
	Unsupported func(trial.Trial) string
	// Observe is the observer of [runner.NewSelections].
	Observe func(runner.State)
	// Ended gets each judged outcome with its subject's node when its trial ends. It may be nil.
	Ended func(trial.Outcome, run.Node)
	// Left are namespaces that this run left when it was killed. They are deleted.
	Left []string
	Log  io.Writer
}

const (
	// lastAttempts of an inconclusive trial are made when no other trial waits to start.
	lastAttempts = 4
	// DefaultAttempts are three beside other trials and the last ones.
	DefaultAttempts = 3 + lastAttempts
)
