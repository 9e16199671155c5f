package stage

import (
	"context"
	"errors"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"

	"github.com/podclock/podclock/harness/delay"
	"github.com/podclock/podclock/harness/formula"
	"github.com/podclock/podclock/harness/timeline"
)

// Clock is the time in which a lane's trials run: wall time or virtual time.
type Clock interface {
	// Now returns the present.
	Now() time.Time
	// Sleep waits until a time, whatever is recorded meanwhile.
	Sleep(ctx context.Context, until time.Time) error
	// Wait waits until there is more to see than at the last Look, but not beyond a time. It fails if further
	// waiting is pointless: ctx has ended, or no trial can run on the node any more.
	Wait(ctx context.Context, until time.Time) error
}

// Node is one attempt's view of the node that it runs on. Each lane implements it; [Player] drives it.
type Node interface {
	Clock
	// Do makes one request to the API server. The creation of an object may be retried.
	Do(ctx context.Context, r Request) error
	// AwaitGone waits until the object of a pod has disappeared, at most for [DisappearsWithin].
	AwaitGone(ctx context.Context, pod *corev1.Pod) error
	// Restart restarts the kubelet after it has merged a patch into its configuration. A nil patch changes nothing.
	Restart(ctx context.Context, patch map[string]any) (Restarted, error)
	// Settle waits until everything that was recorded before now is known. If probed is not nil, it first
	// reads the kubelet's count of that pod's probes.
	Settle(ctx context.Context, probed *corev1.Pod) error
	// Look returns what is known of some pods.
	Look(pods []Deployed) Record
	// Instant places a span of the lane's clock on the clock of the marks.
	Instant(from, to time.Time) timeline.Instant
}

// Request is one request to the API server.
type Request struct {
	// Method is an HTTP method.
	Method string
	// Resource is pods, nodes or poddisruptionbudgets. Subresource is empty for the object itself.
	Resource, Subresource string
	// Namespace is empty for a node. Name is empty if Body is an object to create.
	Namespace, Name string
	// Body is what the method sends: an object or, for a DELETE, its options. Patch is that of a PATCH.
	Body  runtime.Object
	Patch Patch
	// Into receives the object of the answer, unless it is nil.
	Into runtime.Object
}

// Patch is a change of an object.
type Patch struct {
	Type types.PatchType
	Text []byte
}

// Restarted describes a restart of the kubelet.
type Restarted struct {
	// Began is before the old kubelet was stopped, Ended after the new one was started.
	Began, Ended time.Time
	// Undo restores the configuration and waits for the kubelet. It is nil if nothing is to be restored.
	Undo func(context.Context) error
}

// Record is what is known of an attempt at one time.
type Record struct {
	// Evidence holds everything but the cues.
	Evidence timeline.Evidence
	// Delays returns the node's delays so far. Only a judgement needs them, and to copy them takes time.
	Delays func() delay.Record
	// Kubelet is the one that runs now.
	Kubelet formula.Kubelet
	// Newest is the newest version of the first pod's object, nil if none was seen.
	Newest *corev1.Pod
}

// ErrUnsupported is wrapped by the error of a configuration that the kubelet's version does not know.
var ErrUnsupported = errors.New("the kubelet's version does not know a part of the configuration")
