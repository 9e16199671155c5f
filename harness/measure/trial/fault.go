package trial

import (
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
)

// Action is what a fault does.
type Action string

const (
	// DeletePod sends a DELETE of the pod.
	DeletePod Action = "delete"
	// EvictPod creates an Eviction (policy/v1).
	EvictPod Action = "evict"
	// DryDelete asks for a DELETE as a dry run, which changes nothing.
	DryDelete Action = "delete-dry-run"
	// DryEvict asks for an Eviction as a dry run.
	DryEvict Action = "evict-dry-run"
	// TaintNode puts a taint on the node.
	TaintNode Action = "taint"
	// UntaintNode removes the taint TaintKey.
	UntaintNode Action = "untaint"
	// OfferDevice adds one Device to the node's capacity, as an operator does.
	OfferDevice Action = "offer-device"
	// SetImage changes the image of the container Main to victim.OtherImage.
	SetImage Action = "set-image"
	// ResizePod changes resources of running containers (KEP-1287), of the companion Fault.Pod if it is not empty.
	ResizePod Action = "resize"
	// BindPod binds an Unscheduled trial's pod to the node.
	BindPod Action = "bind"
	// CreatePod creates the companion that Fault.Pod names.
	CreatePod Action = "create"
	// CreateConfigMap creates the ConfigMap that containers of the Pod refer to (fixtures.NeedsConfigMap).
	CreateConfigMap Action = "create-config-map"
	// CreateSecret creates the Secret that containers of the Pod (fixtures.NeedsSecret), or the pulls of their images
	// (fixtures.PullSecret), refer to.
	CreateSecret Action = "create-secret"
	// SetCondition writes Fault.Condition with Fault.Status into the pod's status.
	SetCondition Action = "set-condition"
	// RecreatePod creates the pod again when its object is gone. Its containers' lives count on.
	RecreatePod Action = "recreate"
	// RestartKubelet restarts the kubelet. The trial needs a Worker.
	RestartKubelet Action = "restart-kubelet"
	// TuneKubelet merges Fault.Patch into the kubelet's configuration and restarts the kubelet. A trial has at most one
	// such fault; its change is undone after the trial.
	TuneKubelet Action = "tune-kubelet"
	// OrphanPod force-deletes the pod while the kubelet is restarted. The new kubelet knows only its containers.
	OrphanPod Action = "orphan"
	// RebootNode ends the processes of all pods, and restarts the container runtime and the kubelet. The new ones know
	// no end of a container.
	RebootNode Action = "reboot"
	// RemoveManifest removes a static pod's file from the node.
	RemoveManifest Action = "remove-manifest"
	// PlaceManifest writes a static pod's file again, with the Pod or with the companion that Fault.Pod names. Both are
	// pods of one name.
	PlaceManifest Action = "place-manifest"
	// ShutDownNode announces the node's shutdown to the kubelet. After the trial, the kubelet is restarted.
	ShutDownNode Action = "shut-down-node"
	// FailCalls makes the container runtime fail all requests of the call Fault.Call for the time Fault.For, or the
	// next one if it is 0.
	FailCalls Action = "fail-calls"
	// CutOff makes the API server refuse all requests of the kubelet for the time Fault.For. The kubelet's watches end.
	CutOff Action = "cut-off"
	// RemoveContainer removes the dead containers of the name Fault.Container from the runtime, as crictl rm does.
	RemoveContainer Action = "remove-container"
)

// What claims and [Trial.Check] know of an action is its group.
var (
	// deletions make the API server delete the pod.
	deletions = []Action{DeletePod, EvictPod, TaintNode}
	restarts  = []Action{RestartKubelet, TuneKubelet, OrphanPod, RebootNode}
	// creations make a companion of the trial.
	creations = []Action{CreatePod, PlaceManifest}
	// disturbances disturb other trials on the node.
	disturbances = []Action{TaintNode, TuneKubelet, ShutDownNode, RebootNode}
	// virtualOnly are only possible on a virtual node.
	virtualOnly = []Action{FailCalls, CutOff, RemoveContainer}
	// refusable are requests that the API server may refuse as the trial expects.
	refusable = []Action{DeletePod, EvictPod, ResizePod}
	// changes change the spec of the pod, which may kill containers.
	changes = []Action{SetImage, ResizePod}
)

func (a Action) is(group []Action) bool { return slices.Contains(group, a) }

// TaintKey is the key of the taint that UntaintNode removes, and of TaintNode's unless Fault.Taint is another.
const TaintKey = "podclock.dev/trial"

// Device is the extended resource that OfferDevice adds.
const Device = "podclock.dev/offered"

// Fault is one thing that podclock does to the pod.
type Fault struct {
	Action             Action
	GracePeriodSeconds *int64
	// When is the point that the fault waits for. The zero Point is the first start of all containers.
	When  Point
	After time.Duration
	// Refused means that the API server must refuse the request.
	Refused bool
	// Precondition is what a delete or an eviction demands of the pod's object.
	Precondition Precondition `json:",omitempty"`
	// Pod is the companion that CreatePod creates or ResizePod resizes.
	Pod string
	// Resources are those that ResizePod gives to containers, by name. The pod's own have no name.
	Resources map[string]corev1.ResourceRequirements
	// Plain makes ResizePod update the pod itself, not its subresource resize.
	Plain bool `json:",omitempty"`
	// Taint is TaintNode's key, by default TaintKey, and effect, by default NoExecute.
	Taint corev1.Taint
	// Condition and Status are SetCondition's.
	Condition corev1.PodConditionType `json:",omitempty"`
	Status    corev1.ConditionStatus  `json:",omitempty"`
	// Call is FailCalls', For that action's and CutOff's, Container is RemoveContainer's.
	Call      string        `json:",omitempty"`
	For       time.Duration `json:",omitempty"`
	Container string        `json:",omitempty"`
	// Patch is TuneKubelet's merge patch (RFC 7386).
	Patch map[string]any
}

// Precondition is what a request demands of the pod's object.
type Precondition string

const (
	// SamePod is the UID of the trial's pod. Another pod of its name is not meant.
	SamePod Precondition = ""
	// OtherPod is another UID.
	OtherPod Precondition = "other-pod"
	// FirstVersion is the resourceVersion with which the pod was created.
	FirstVersion Precondition = "first-version"
	// NewestVersion is the newest resourceVersion that was seen.
	NewestVersion Precondition = "newest-version"
	// AnyPod demands nothing.
	AnyPod Precondition = "any-pod"
)

// settle is how long a pod runs before a fault, so that the kubelet's pod status is newer than its last sync.
const settle = 3 * time.Second

// Delete deletes the pod without options.
func Delete() Fault { return Fault{Action: DeletePod, After: settle} }

// DeleteWithin deletes the pod with gracePeriodSeconds.
func DeleteWithin(gracePeriodSeconds int64) Fault {
	return Fault{Action: DeletePod, GracePeriodSeconds: &gracePeriodSeconds, After: settle}
}

// Evict evicts the pod through the API.
func Evict() Fault { return Fault{Action: EvictPod, After: settle} }

// Taint taints the node with NoExecute.
func Taint() Fault { return Fault{Action: TaintNode, After: settle} }

// If returns the fault with another precondition.
func (c Fault) If(p Precondition) Fault {
	c.Precondition = p
	return c
}

// Resize gives containers of the pod other resources.
func Resize(resources map[string]corev1.ResourceRequirements) Fault {
	return Fault{Action: ResizePod, Resources: resources, After: settle}
}

// Set writes a condition into the pod's status.
func Set(condition corev1.PodConditionType, status corev1.ConditionStatus) Fault {
	return Fault{Action: SetCondition, Condition: condition, Status: status, After: settle}
}

// At returns the fault at another time: this long after a point.
func (c Fault) At(when Point, after time.Duration) Fault {
	c.When, c.After = when, after
	return c
}

// Deletes reports whether the fault makes the API server delete the pod.
func (c Fault) Deletes() bool { return !c.Refused && c.Action.is(deletions) }
