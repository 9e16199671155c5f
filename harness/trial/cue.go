package trial

import (
	"slices"
	"time"
)

// Action is what a cue does.
type Action string

const (
	// DeletePod sends a DELETE of the pod.
	DeletePod Action = "delete"
	// EvictPod creates an Eviction of the pod (policy/v1).
	EvictPod Action = "evict"
	// TaintNode puts the NoExecute taint TaintKey on the node. The trial's worker must be Alone. Pods without
	// tolerations get one for all taints when they are deployed.
	TaintNode Action = "taint"
	// UntaintNode removes the taint.
	UntaintNode Action = "untaint"
	// SetImage changes the image of the container Main to victim.OtherImage.
	SetImage Action = "set-image"
	// BindPod binds the pod of an Unscheduled trial to the node.
	BindPod Action = "bind"
	// CreatePod creates the companion that the cue's Pod names.
	CreatePod Action = "create"
	// RecreatePod waits until the pod's object is gone, and creates the pod again with the same name. The lives of its
	// containers count on.
	RecreatePod Action = "recreate"
	// RestartKubelet restarts the node's kubelet. The trial must have a Worker.
	RestartKubelet Action = "restart-kubelet"
	// TuneKubelet merges Patch into the kubelet's configuration and restarts the kubelet. The trial's worker must be
	// Alone and not Tuned. A trial has at most one such cue; its change is undone after the trial.
	TuneKubelet Action = "tune-kubelet"
)

// A new action belongs into those of these groups whose property it has. They are all that claims and
// [Trial.Check] know of an action; package stage injects it.
var (
	// deletions make the API server delete the pod.
	deletions = []Action{DeletePod, EvictPod, TaintNode}
	// restarts restart the kubelet, so the trial needs a worker of its own.
	restarts = []Action{RestartKubelet, TuneKubelet}
	// disturbances disturb other trials on the node, so the worker must run its trials alone.
	disturbances = []Action{TaintNode, TuneKubelet}
	// refusable are requests that the API server may refuse as the trial expects.
	refusable = []Action{DeletePod, EvictPod}
)

// is reports whether the action is in a group.
func (a Action) is(group []Action) bool { return slices.Contains(group, a) }

// TaintKey is the key of the taint of TaintNode.
const TaintKey = "podclock.dev/trial"

// Cue is one thing that podclock does to the pod.
type Cue struct {
	Action Action
	// GracePeriodSeconds is the option of a delete or an eviction, nil for none.
	GracePeriodSeconds *int64
	// When is the point that the cue waits for. The zero Point is the start of the first lives of all containers.
	When Point
	// After is how long after When the cue comes.
	After time.Duration
	// Refused means that the API server is expected to refuse the request.
	Refused bool
	// Pod is the companion that CreatePod creates.
	Pod string
	// Patch is TuneKubelet's merge patch (RFC 7386) of the kubelet's configuration.
	Patch map[string]any
}

// settle is how long a pod runs before a cue, so that the kubelet has a pod status newer than its last sync.
const settle = 3 * time.Second

// Delete returns the cue that deletes the pod without options.
func Delete() Cue { return Cue{Action: DeletePod, After: settle} }

// DeleteWithin returns the cue that deletes the pod with gracePeriodSeconds.
func DeleteWithin(gracePeriodSeconds int64) Cue {
	return Cue{Action: DeletePod, GracePeriodSeconds: &gracePeriodSeconds, After: settle}
}

// Evict returns the cue that evicts the pod through the API.
func Evict() Cue { return Cue{Action: EvictPod, After: settle} }

// Taint returns the cue that taints the node with NoExecute.
func Taint() Cue { return Cue{Action: TaintNode, After: settle} }

// At returns the cue at another time: this long after a point.
func (c Cue) At(when Point, after time.Duration) Cue {
	c.When, c.After = when, after
	return c
}

// deletes reports whether the cue makes the API server delete the pod.
func (c Cue) deletes() bool {
	return !c.Refused && c.Action.is(deletions)
}
