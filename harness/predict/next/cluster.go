// Package next says what happens next to pods that live in a cluster, and when, as far as their status shows it.
//
// It uses the formulas and predictions of package predict. Package live reads what it needs. It knows no client of the
// API, so the web page's program can contain it. Times of Kubernetes v1.37.2 carry their source.
package next

import (
	"encoding/json"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/podclock/podclock/harness/predict"
)

// Cluster is what was read of a cluster.
type Cluster struct {
	// Name is the kubeconfig's context.
	Name string
	// Now is the time of the reading by the API server's clock.
	Now       time.Time
	Workloads []Workload
	// Nodes are those on which the workloads' pods run, by name. One that could not be read has a zero Version.
	Nodes map[string]Node
	// Version is the API server's, for pods whose node is not known.
	Version string
	// Unread are sentences about what could not be read, and what is assumed instead.
	Unread []string
}

// Workload is an object with the pods that it has made. A Pod has itself.
type Workload struct {
	predict.Workload
	Pods []corev1.Pod
	// Jobs are the Jobs of the pods.
	Jobs []batchv1.Job
}

// Node is a node with its kubelet.
type Node struct {
	// Version is the kubelet's release.
	Version string
	// Configz is what the kubelet prints at /configz, nil if it could not be read.
	Configz json.RawMessage
	// Gone is set if the API has no such node.
	Gone   bool
	Taints []corev1.Taint
	// Ready is the node's condition of this type, nil if it has none.
	Ready *corev1.NodeCondition
}

// unready reports whether a node is known not to be ready.
func (n Node) unready() bool { return n.Ready != nil && n.Ready.Status != corev1.ConditionTrue }

// lost reports whether a node's kubelet does not answer, so that its pods' status is old.
func (n Node) lost() bool {
	return n.Gone || n.Ready != nil && n.Ready.Status == corev1.ConditionUnknown
}

// jobOf returns the Job that made a pod, or nil.
func jobOf(pod *corev1.Pod, jobs []batchv1.Job) *batchv1.Job {
	for i := range jobs {
		if metav1.IsControlledBy(pod, &jobs[i]) {
			return &jobs[i]
		}
	}
	return nil
}
