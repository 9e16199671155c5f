// Package wire defines the messages between the virtual lane and a virtual node: requests on the node's
// standard input, one answer each on its standard output, one JSON value per line. The node's clock only
// runs during a request, so nothing that the lane does takes virtual time.
//
// The package holds types only. Pods and events are the API's own types: a node of an older Kubernetes
// drops unknown fields, as its API server would.
package wire

import (
	"encoding/json"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/podclock/podclock/harness/mark"
)

// NodeName is the virtual node's name.
const NodeName = "virtual"

// Request is one request of the lane. Exactly one field is set. The first request is a Start.
type Request struct {
	// Start boots the node.
	Start *Start `json:"start,omitempty"`
	// Create creates a pod. It stays unscheduled if it has no nodeName.
	Create *corev1.Pod `json:"create,omitempty"`
	// API is any other request of the API server.
	API *API `json:"api,omitempty"`
	// Restart restarts the kubelet.
	Restart *Restart `json:"restart,omitempty"`
	// Advance lets time pass.
	Advance *Advance `json:"advance,omitempty"`
	// Counters asks for the kubelet's prober_probe_total.
	Counters bool `json:"counters,omitempty"`
}

// Start describes the node.
type Start struct {
	// KubeletConfig is a merge patch (RFC 7386) of the kubelet's configuration, kubelet.config.k8s.io/v1beta1.
	KubeletConfig map[string]any `json:"kubeletConfig,omitempty"`
	// NodeFSBytes and NodeFSInodes are the size of the file system under the kubelet's root directory; 0 is unlimited.
	NodeFSBytes  int64 `json:"nodeFSBytes,omitempty"`
	NodeFSInodes int64 `json:"nodeFSInodes,omitempty"`
	// PriorityClasses are the classes that pods may name, with their values.
	PriorityClasses map[string]int32 `json:"priorityClasses,omitempty"`
	// Images are the references of the node's images, with their stop signals. Empty means SIGTERM.
	Images map[string]string `json:"images"`
}

// API is a request of the node's API server. Package api of the node lists those that it knows (requests.go).
type API struct {
	// Method is an HTTP method.
	Method string `json:"method"`
	// Resource is pods, nodes or poddisruptionbudgets. Subresource is empty for the object itself.
	Resource    string `json:"resource"`
	Subresource string `json:"subresource,omitempty"`
	// Namespace is empty for a node, Name for an object to create.
	Namespace string `json:"namespace,omitempty"`
	Name      string `json:"name,omitempty"`
	// PatchType is set if Body is a patch.
	PatchType types.PatchType `json:"patchType,omitempty"`
	// Body is an object, a patch, or the options of a DELETE.
	Body json.RawMessage `json:"body"`
}

// Restart stops the kubelet and starts it again. A further merge patch of the Start's configuration
// replaces that of an earlier Restart. The answer comes when the kubelet has started.
type Restart struct {
	KubeletConfig map[string]any `json:"kubeletConfig,omitempty"`
}

// Advance lets virtual time pass until something is recorded, at most until a time in nanoseconds since 1970.
type Advance struct {
	Until int64 `json:"until"`
}

// Answer is the result of a request, and everything recorded since the answer before.
type Answer struct {
	// From is the node's clock when the request began, To when it ended, in nanoseconds since 1970.
	From int64 `json:"from"`
	To   int64 `json:"to"`
	// Error is why the request failed. Status and Reason are set if the API server refused it.
	Error  string              `json:"error,omitempty"`
	Status int                 `json:"status,omitempty"`
	Reason metav1.StatusReason `json:"reason,omitempty"`
	// Unsupported means that this kubelet's version does not know a part of the configuration of a Start or Restart.
	Unsupported bool `json:"unsupported,omitempty"`
	// Pod is the pod that a Create created.
	Pod *corev1.Pod `json:"pod,omitempty"`
	// Kubelet answers a Start and a Restart.
	Kubelet *Kubelet `json:"kubelet,omitempty"`
	// Counters answers Counters: failed probes by the pod's UID, the container, and the probe's type in lower case.
	Counters map[string]map[string]map[string]int `json:"counters,omitempty"`
	// Marks, Pods, Events and Conditions are what was recorded, each in order.
	Marks      []mark.Record `json:"marks,omitempty"`
	Pods       []Pod         `json:"pods,omitempty"`
	Events     []Event       `json:"events,omitempty"`
	Conditions []Conditions  `json:"conditions,omitempty"`
	// Frozen lists the goroutines that stop virtual time, if it stopped. The node exits after this answer.
	Frozen string `json:"frozen,omitempty"`
}

// Kubelet is what the kubelet reports of itself.
type Kubelet struct {
	Version string `json:"version"`
	// Gates are its feature gates.
	Gates map[string]bool `json:"gates"`
	// Configuration is its effective configuration, kubelet.config.k8s.io/v1beta1.
	Configuration json.RawMessage `json:"configuration"`
}

// Pod is one version of a pod's object.
type Pod struct {
	At      int64       `json:"at"`
	Deleted bool        `json:"deleted,omitempty"`
	Pod     *corev1.Pod `json:"pod"`
}

// Event is one arrival of an event.
type Event struct {
	At    int64         `json:"at"`
	Event *corev1.Event `json:"event"`
}

// Conditions are the node's true conditions, by type, from a time on.
type Conditions struct {
	At   int64    `json:"at"`
	True []string `json:"true,omitempty"`
}

// Tick is how far off a whole second the lane makes its requests. The kubelet's own ticks are on whole
// seconds after its start, and the order of what happens at the same instant is random.
const Tick = 370 * time.Millisecond
