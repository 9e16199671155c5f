// Package wire defines the messages between the virtual lane and a virtual node: requests on its standard input, one
// answer each on its standard output, one JSON value per line. Pods and events are the API's own types: an older node
// drops unknown fields, as its API server would.
package wire

import (
	"encoding/json"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/podclock/podclock/harness/measure/mark"
)

// NodeName is the virtual node's name.
const NodeName = "virtual"

// LogBegins is the line in a process's log that comes before what a node writes.
const LogBegins = "podclock: a node starts"

// Request is one request of the lane. Exactly one field is set.
type Request struct {
	// Start makes a new node. It comes first. A later one is the end of the node before.
	Start *Start `json:"start,omitempty"`
	// Create creates a pod, unscheduled without a nodeName.
	Create *corev1.Pod `json:"create,omitempty"`
	// API is any other request of the API server.
	API *API `json:"api,omitempty"`
	// Manifest writes or removes the file of a static pod.
	Manifest *Manifest `json:"manifest,omitempty"`
	Restart  *Restart  `json:"restart,omitempty"`
	Advance  *Advance  `json:"advance,omitempty"`
	// Runtime disturbs the container runtime.
	Runtime *Runtime `json:"runtime,omitempty"`
	// CutOff is for how long the API server refuses the kubelet's requests.
	CutOff time.Duration `json:"cutOff,omitempty"`
	// ShutDown announces the node's shutdown.
	ShutDown bool `json:"shutDown,omitempty"`
	// Counters asks for the kubelet's prober_probe_total.
	Counters bool `json:"counters,omitempty"`
	// Trace asks for everything that happened since the start.
	Trace bool `json:"trace,omitempty"`
	// Coverage is a folder for what of the node's code was executed since the start, in Go's format (go tool covdata).
	// The program must have been built with -cover.
	Coverage string `json:"coverage,omitempty"`
}

// Start describes the node.
type Start struct {
	// Seed decides all random numbers of the node, such as the kubelet's jitter.
	Seed uint64 `json:"seed,omitempty"`
	// KubeletConfig is a merge patch (RFC 7386) of kubelet.config.k8s.io/v1beta1.
	KubeletConfig map[string]any `json:"kubeletConfig,omitempty"`
	// NodeFSBytes and NodeFSInodes bound the kubelet's file system; 0 is unlimited.
	NodeFSBytes  int64 `json:"nodeFSBytes,omitempty"`
	NodeFSInodes int64 `json:"nodeFSInodes,omitempty"`
	// PriorityClasses are values by class.
	PriorityClasses map[string]int32 `json:"priorityClasses,omitempty"`
	// ContainerStart is how long the runtime takes to start a created container, 0 for an ordinary runtime.
	ContainerStart time.Duration `json:"containerStart,omitempty"`
	// Images are the images' stop signals by reference, by default SIGTERM.
	Images map[string]string `json:"images"`
}

// API is a request of the node's API server. See the node's api/requests.go.
type API struct {
	Method      string `json:"method"`
	Resource    string `json:"resource"`
	Subresource string `json:"subresource,omitempty"`
	// Namespace is empty for a node, Name for an object to create.
	Namespace string          `json:"namespace,omitempty"`
	Name      string          `json:"name,omitempty"`
	PatchType types.PatchType `json:"patchType,omitempty"`
	// Body is an object, a patch, or the options of a DELETE.
	Body json.RawMessage `json:"body"`
}

// Manifest is the file of a static pod. Without a Pod it is removed.
type Manifest struct {
	Name string      `json:"name"`
	Pod  *corev1.Pod `json:"pod,omitempty"`
}

// Restart restarts the kubelet. Its merge patch of the Start's configuration replaces an earlier one. Meanwhile is a
// request while no kubelet runs. A Reboot ends the processes of all pods first. The answer comes when the kubelet has
// started.
type Restart struct {
	KubeletConfig map[string]any `json:"kubeletConfig,omitempty"`
	Meanwhile     *API           `json:"meanwhile,omitempty"`
	Reboot        bool           `json:"reboot,omitempty"`
}

// Runtime makes the container runtime fail, or removes containers from it.
type Runtime struct {
	// Fails is a call, such as StopPodSandbox. All its requests fail for a time, or only the next one if it is 0.
	Fails string        `json:"fails,omitempty"`
	For   time.Duration `json:"for,omitempty"`
	// Removes is a name of containers. Dead ones are removed.
	Removes string `json:"removes,omitempty"`
}

// Advance lets time pass until something is recorded, at most until a time in nanoseconds since 1970.
type Advance struct {
	Until int64 `json:"until"`
}

// Answer is the result of a request, and everything recorded since the answer before.
type Answer struct {
	// From and To are when the request began and ended, in nanoseconds since 1970.
	From int64 `json:"from"`
	To   int64 `json:"to"`
	// Error is why the request failed. Status and Reason are set if the API server refused it.
	Error  string              `json:"error,omitempty"`
	Status int                 `json:"status,omitempty"`
	Reason metav1.StatusReason `json:"reason,omitempty"`
	// Unsupported means that this kubelet's version does not know a part of its configuration.
	Unsupported bool `json:"unsupported,omitempty"`
	// Pod answers a Create, Kubelet a Start or a Restart.
	Pod     *corev1.Pod `json:"pod,omitempty"`
	Kubelet *Kubelet    `json:"kubelet,omitempty"`
	// Counters are failed probes by the pod's UID, the container, and the lower-case probe type.
	Counters   map[string]map[string]map[string]int `json:"counters,omitempty"`
	Marks      []mark.Record                        `json:"marks,omitempty"`
	Pods       []Pod                                `json:"pods,omitempty"`
	Events     []Event                              `json:"events,omitempty"`
	Conditions []Conditions                         `json:"conditions,omitempty"`
	Trace      []Entry                              `json:"trace,omitempty"`
	// Frozen lists the goroutines that stopped virtual time. The node exits after this answer.
	Frozen string `json:"frozen,omitempty"`
}

// Kubelet is what the kubelet reports of itself.
type Kubelet struct {
	Version string          `json:"version"`
	Gates   map[string]bool `json:"gates"`
	// Configuration is its effective one, kubelet.config.k8s.io/v1beta1.
	Configuration json.RawMessage `json:"configuration"`
	// Given is what the node sets of it.
	Given json.RawMessage `json:"given"`
}

// Pod is one version of a pod.
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

// Tick is how far off a whole second the lane makes its requests. The kubelet ticks on whole seconds, and simultaneous
// events have a random order.
const Tick = 370 * time.Millisecond
