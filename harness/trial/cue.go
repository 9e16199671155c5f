package trial

import (
	"time"

	"github.com/podclock/podclock/harness/timeline"
)

// Action is what a cue does.
type Action string

const (
	// DeletePod sends a DELETE of the pod.
	DeletePod Action = "delete"
	// EvictPod creates an Eviction of the pod (policy/v1).
	EvictPod Action = "evict"
	// TaintNode puts the NoExecute taint TaintKey on the node. The lab gives every pod a toleration of all
	// taints unless it has some of its own. The trial must have a worker of its own, whose trials run one
	// after another.
	TaintNode Action = "taint"
	// UntaintNode takes it away again.
	UntaintNode Action = "untaint"
	// SetImage changes the image of the container Main to victim.OtherImage.
	SetImage Action = "set-image"
	// BindPod gives the trial's pod to the node, as a scheduler does. The trial must be an Unscheduled one,
	// and its pod one that no scheduler takes.
	BindPod Action = "bind"
	// CreatePod creates the companion whose name is the cue's Pod.
	CreatePod Action = "create"
	// RecreatePod waits until the pod's object is gone and creates the same pod again under the same name.
	// Its containers' lives count on.
	RecreatePod Action = "recreate"
	// RestartKubelet restarts the kubelet of the node. The trial must have a worker of its own.
	RestartKubelet Action = "restart-kubelet"
	// TuneKubelet merges Patch into the kubelet's configuration and restarts it. The trial must have a
	// worker of its own that is not tuned already and whose trials run one after another; the lab restores
	// it after the trial. There is one such cue at most.
	TuneKubelet Action = "tune-kubelet"
)

// TaintKey is the key of the taint that TaintNode puts on a node.
const TaintKey = "podclock.dev/trial"

// Cue is one thing the harness does to the pod.
type Cue struct {
	Action Action
	// GracePeriodSeconds is the option of a delete or an eviction, nil for none.
	GracePeriodSeconds *int64
	// When is the point that the cue waits for; the zero Point is the start of the first lives of all containers.
	When Point
	// After is how long after When the cue comes.
	After time.Duration
	// Refused says that the API server is expected to refuse the request.
	Refused bool
	// Pod is the companion that a CreatePod creates.
	Pod string
	// Patch is a TuneKubelet's merge patch of the kubelet's configuration (RFC 7386).
	Patch map[string]any
}

// settle is how long a pod is left alone before a cue, so that its kubelet has a pod status newer than its last sync.
const settle = 3 * time.Second

// Delete is the cue that deletes the pod with no option.
func Delete() Cue { return Cue{Action: DeletePod, After: settle} }

// DeleteWithin is the cue that deletes the pod with gracePeriodSeconds.
func DeleteWithin(gracePeriodSeconds int64) Cue {
	return Cue{Action: DeletePod, GracePeriodSeconds: &gracePeriodSeconds, After: settle}
}

// Evict is the cue that evicts the pod through the API.
func Evict() Cue { return Cue{Action: EvictPod, After: settle} }

// Taint is the cue that taints the node so that no pod but those that tolerate it may run there.
func Taint() Cue { return Cue{Action: TaintNode, After: settle} }

// At says when the cue comes: so long after a point.
func (c Cue) At(when Point, after time.Duration) Cue {
	c.When, c.After = when, after
	return c
}

// deletes says whether the cue makes the API server delete the pod.
func (c Cue) deletes() bool {
	return !c.Refused && (c.Action == DeletePod || c.Action == EvictPod || c.Action == TaintNode)
}

// Missing names the point that the cue waits for while it is not there, for whoever delivers it.
func (c Cue) Missing(t *timeline.Timeline) string {
	if c.When.In(t) == nil {
		return c.When.String()
	}
	return ""
}
