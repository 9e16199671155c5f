package calls

import (
	"encoding/json"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/podclock/podclock/harness/measure/timeline"
)

// The kinds of calls that the package checks. Each is a formula's: see harness/rules/formula.
const (
	// Sandboxes are the configurations of the pod's sandboxes.
	Sandboxes timeline.Report = "sandbox-configurations"
	// Containers are the configurations of its containers.
	Containers timeline.Report = "container-configurations"
	// Resizes are the resources that running containers and sandboxes get.
	Resizes timeline.Report = "resizes"
	// Limits are those of the containers together, beside those of their sandbox.
	Limits timeline.Report = "limits"
	// Orders are the orders of its calls.
	Orders timeline.Report = "orders-of-calls"
	// Writes are the kubelet's writes of the pod's object.
	Writes timeline.Report = "writes"
)

// sent is longer than a new version takes to a virtual node's watch (harness/virtual/_node/api watchLatency, 1.313 ms).
const sent = int64(2 * time.Millisecond)

// Pod is what a check must know of a pod.
type Pod struct {
	*corev1.Pod
	// Static pods have an object that the kubelet makes, and a file that may become another pod of the name.
	Static bool
	// Evicted pods are evicted or preempted by the kubelet at some time.
	Evicted bool
	// Lives reports whether a process of the container lives at an instant.
	Lives func(container string, at int64) bool
	// Versions are those of its object.
	Versions []timeline.Version
	// Sizes are the resources that the trial gives to containers while they run, by name. The pod's own have no name.
	Sizes map[string][]corev1.ResourceRequirements
}

// checker is a check under way.
type checker struct {
	Pod
	checked timeline.Checked
	kind    timeline.Report
	at      int64
	// sandbox is the configuration of the newest sandbox.
	sandbox *sandbox
	// stopped are the sandboxes that were stopped, started and removed the containers' instances.
	stopped, started, removed map[string]bool
	// has are the resources of the newest instance of each container, and the sandbox's, without a name.
	has map[string]resources
	// unstarted are the containers that were created and not started, until the next call about them.
	unstarted map[string]bool
	// unstoppable are the containers that the runtime failed to stop once.
	unstoppable map[string]bool
}

func (c *checker) wrong(format string, args ...any) {
	c.checked.Add(timeline.Misreport{Report: c.kind, At: c.at, Why: fmt.Sprintf(format, args...)})
}

func (c *checker) as(kind timeline.Report) {
	c.kind = kind
	c.checked.Count[kind]++
}

// container returns a container of the pod by name, and whether it is an init container.
func (c *checker) container(name string) (spec *corev1.Container, init bool) {
	for i, all := range [][]corev1.Container{c.Spec.Containers, c.Spec.InitContainers} {
		for j := range all {
			if all[j].Name == name {
				return &all[j], i == 1
			}
		}
	}
	return nil, false
}

func read[T any](call timeline.Call) (*T, error) {
	config := new(T)
	return config, json.Unmarshal(call.Argument, config)
}
