package calls

import (
	"github.com/podclock/podclock/harness/measure/timeline"
)

// written checks one write of the pod's object. The API server sends no event of a write that changes nothing.
func (c *checker) written(call timeline.Call) {
	if call.Error != "" || c.Static {
		return
	}
	if call.What == "delete pods" {
		deletion, err := read[struct {
			GracePeriodSeconds *int64
			Preconditions      struct{ UID string }
		}](call)
		switch {
		case err != nil:
			c.wrong("the options of a delete can't be read: %v", err)
		case deletion.GracePeriodSeconds == nil || *deletion.GracePeriodSeconds != 0:
			c.wrong("the kubelet deletes the pod's object with a grace period")
		case deletion.Preconditions.UID == "":
			c.wrong("the kubelet deletes the pod's object whatever its UID is")
		}
		return
	}
	for _, v := range c.Versions {
		if v.At.At >= call.At && v.At.At <= call.At+sent {
			return
		}
	}
	c.wrong("a write of the status changes nothing")
}
