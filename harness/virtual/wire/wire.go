// Package wire is what the lab and a virtual node say to each other: one JSON value per line, requests on
// the node's standard input and answers on its standard output, one for each. The node's clock stands still
// while it waits for a request, so nothing that the lab does takes virtual time.
//
// The package holds types only. Pods and events travel as the API's own types, so that a node of an older
// Kubernetes drops the fields it does not know, as its API server would.
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

// Request is one thing that the lab asks for. Exactly one field is set; the first request is a Start.
type Request struct {
	// Start boots the node.
	Start *Start `json:"start,omitempty"`
	// Create creates a pod, on the node unless it says no nodeName.
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

// Start says what the node is like.
type Start struct {
	// KubeletConfig is a merge patch (RFC 7386) of the kubelet's configuration, kubelet.config.k8s.io/v1beta1.
	KubeletConfig map[string]any `json:"kubeletConfig,omitempty"`
	// NodeFSBytes and NodeFSInodes are the size of the file system under the kubelet's root directory, 0
	// for one that is never full.
	NodeFSBytes  int64 `json:"nodeFSBytes,omitempty"`
	NodeFSInodes int64 `json:"nodeFSInodes,omitempty"`
	// PriorityClasses are those that pods may name, with their values.
	PriorityClasses map[string]int32 `json:"priorityClasses,omitempty"`
	// Images are the references of the images that the node has, with their stop signals, empty for SIGTERM.
	Images map[string]string `json:"images"`
}

// API is a request of the API server. Which requests it knows: package api of the node, Server.Serve.
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

// Restart stops the kubelet and starts it again with the Start's configuration changed by a further merge
// patch, which replaces that of an earlier Restart and is empty for none. It is answered when the kubelet
// has started.
type Restart struct {
	KubeletConfig map[string]any `json:"kubeletConfig,omitempty"`
}

// Advance lets virtual time pass until something was recorded, but no longer than until a time, in
// nanoseconds since 1970.
type Advance struct {
	Until int64 `json:"until"`
}

// Answer is what a request led to, and all that was recorded since the answer before.
type Answer struct {
	// From is the node's clock when the request was begun, To when it was done, in nanoseconds since 1970.
	From int64 `json:"from"`
	To   int64 `json:"to"`
	// Error says why the request failed, Status and Reason are the HTTP status and the reason of an API
	// server's refusal.
	Error  string              `json:"error,omitempty"`
	Status int                 `json:"status,omitempty"`
	Reason metav1.StatusReason `json:"reason,omitempty"`
	// Unsupported says that a Start or Restart failed because this kubelet's version does not know a part
	// of its configuration.
	Unsupported bool `json:"unsupported,omitempty"`
	// Pod is the pod that a Create created.
	Pod *corev1.Pod `json:"pod,omitempty"`
	// Kubelet answers a Start and a Restart.
	Kubelet *Kubelet `json:"kubelet,omitempty"`
	// Counters answers Counters: failed probes by the pod's UID, the container, and the probe's type in lower case.
	Counters map[string]map[string]map[string]int `json:"counters,omitempty"`
	// Marks, Pods, Events and Conditions are what was recorded, each in its order.
	Marks      []mark.Record `json:"marks,omitempty"`
	Pods       []Pod         `json:"pods,omitempty"`
	Events     []Event       `json:"events,omitempty"`
	Conditions []Conditions  `json:"conditions,omitempty"`
	// Frozen says that virtual time stands still, and which goroutines hold it. The node exits after this answer.
	Frozen string `json:"frozen,omitempty"`
}

// Kubelet is what the kubelet says of itself.
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

// Conditions are the conditions of the node that are true, by type, from a time on.
type Conditions struct {
	At   int64    `json:"at"`
	True []string `json:"true,omitempty"`
}

// Tick is how far off every whole second whatever the lab does is kept. The kubelet's own ticks fall on
// whole seconds after its start, and what comes at the same instant as one of them is ordered by chance.
const Tick = 370 * time.Millisecond
