// Package calls compares the calls that a kubelet makes for a pod with the pod's specification and with each other:
// what it asks the container runtime to make, in which order, and what it writes to the API server. What does not fit
// is a misreport. No time is measured here.
package calls

import (
	"github.com/podclock/podclock/harness/measure/timeline"
)

// Check adds the calls about one pod, in their order.
func Check(k timeline.Checked, pod Pod, calls []timeline.Call) {
	c := &checker{
		Pod: pod, checked: k, stopped: map[string]bool{}, started: map[string]bool{}, removed: map[string]bool{},
		unstarted: map[string]bool{}, unstoppable: map[string]bool{}, has: map[string]resources{},
	}
	for _, call := range calls {
		c.at = call.At
		switch call.What {
		case "RunPodSandbox":
			c.configured(Sandboxes, call, c.runSandbox)
		case "CreateContainer":
			c.configured(Containers, call, c.createContainer)
		case "UpdateContainerResources":
			c.configured(Resizes, call, c.updateContainer)
		case "UpdatePodSandboxResources":
			c.configured(Resizes, call, c.updateSandbox)
		}
		c.as(Orders)
		c.inOrder(call)
		if call.What == "patch pods/status" || call.What == "delete pods" {
			c.as(Writes)
			c.written(call)
		}
	}
	c.settled()
}

// configured checks a call with a configuration. One that can't be read is a fault of the recording, and counts as
// wrong: the claim must not hold by it.
func (c *checker) configured(kind timeline.Report, call timeline.Call, check func(timeline.Call) error) {
	c.as(kind)
	if err := check(call); err != nil {
		c.wrong("the configuration of a call of %s can't be read: %v", call.What, err)
	}
}
