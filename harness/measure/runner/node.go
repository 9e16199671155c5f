package runner

import (
	"context"
	"errors"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"

	"github.com/podclock/podclock/harness/measure/delay"
	"github.com/podclock/podclock/harness/measure/timeline"
	"github.com/podclock/podclock/harness/measure/trial"
	"github.com/podclock/podclock/harness/rules/formula"
)

// Clock is the time of a lane: wall time or virtual time.
type Clock interface {
	Now() time.Time
	Sleep(ctx context.Context, until time.Time) error
	// Wait waits until there is more to see than at the last Look, but not beyond a time. It fails if ctx has ended, or
	// no trial can run on the node any more.
	Wait(ctx context.Context, until time.Time) error
}

// Node is one attempt's view of its node. Each lane implements it; [Runner] drives it.
type Node interface {
	Clock
	// Do makes a request to the API server. It may retry the creation of an object.
	Do(ctx context.Context, r Request) error
	// AwaitGone waits until a pod's object has disappeared, at most for [DisappearsWithin].
	AwaitGone(ctx context.Context, pod *corev1.Pod) error
	// Restart merges a patch into the kubelet's configuration and restarts the kubelet. Without a patch, it can make a
	// request to the API server while no kubelet runs. Both may be nil.
	Restart(ctx context.Context, patch map[string]any, meanwhile *Request) (Restarted, error)
	// Reboot ends the processes of all pods, and restarts the container runtime and the kubelet.
	Reboot(ctx context.Context) (Restarted, error)
	// ShutDown announces the node's shutdown to the kubelet. It returns times before and after that.
	ShutDown(ctx context.Context) (began, ended time.Time, err error)
	// Disturb makes the container runtime or the API server fail, or removes containers. Only a virtual node can.
	Disturb(ctx context.Context, c trial.Fault) error
	// Place writes the manifest of a static pod to the node, or removes it if the pod is nil.
	Place(ctx context.Context, name string, pod *corev1.Pod) error
	// Settle waits until everything recorded before now is known. It first reads the kubelet's count of the pod's
	// probes unless probed is nil.
	Settle(ctx context.Context, probed *corev1.Pod) error
	Look(pods []Deployed) Record
	// Instant places a span of the lane's clock on the clock of the marks.
	Instant(from, to time.Time) timeline.Instant
}

// Request is one request to the API server.
type Request struct {
	Method string
	// Resource is pods, nodes, services, jobs or poddisruptionbudgets. Subresource is empty for the object itself.
	Resource, Subresource string
	// Namespace is empty for a node, Name for an object to create.
	Namespace, Name string
	// Body is an object or the options of a DELETE. Patch is that of a PATCH.
	Body  runtime.Object
	Patch Patch
	// Into, if not nil, receives the object of the answer.
	Into runtime.Object
}

// Patch is the body of a PATCH.
type Patch struct {
	Type types.PatchType
	Text []byte
}

// Restarted describes a restart of the kubelet.
type Restarted struct {
	// Began is before the old kubelet was stopped, Ended after the new one was started.
	Began, Ended time.Time
	// Undo restores the configuration and waits for the kubelet. It may be nil.
	Undo func(context.Context) error
}

// Record is what is known of an attempt at one time.
type Record struct {
	Evidence timeline.Evidence
	// Delays copies the node's delays so far. Only a judgement needs them.
	Delays  func() delay.Record
	Kubelet formula.Kubelet
	// Newest is the newest version of the first pod's object, or nil.
	Newest *corev1.Pod
}

// ErrNotRestored is wrapped by the error of a node that is neither as it was nor as it should be.
var ErrNotRestored = errors.New("the node could not be put back as it was")

// ErrUnsupported is wrapped by the error of a configuration that the kubelet's version does not know.
var ErrUnsupported = errors.New("the kubelet's version does not know a part of the configuration")
