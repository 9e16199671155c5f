package calls

import (
	"slices"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/podclock/podclock/harness/measure/timeline"
	"github.com/podclock/podclock/harness/rules/podspec"
)

// inOrder checks a call against those before it.
func (c *checker) inOrder(call timeline.Call) {
	if call.Error != "" {
		switch call.What {
		case "StartContainer":
			c.unstarted[call.Container] = false
		case "StopContainer":
			c.unstoppable[call.Container] = true
		}
		return
	}
	switch call.What {
	case "RunPodSandbox":
		for _, one := range c.Spec.InitContainers {
			if left := c.left(one.Name); len(left) > 0 {
				c.wrong("a new sandbox is made while %s is left", left[0])
			}
		}
	case "CreateContainer":
		if left := c.left(call.Container); len(left) > mostLeft {
			c.wrong("container %s is made again while %d older ones are left", call.Container, len(left))
		}
		if c.stopped[call.Instance] {
			c.wrong("container %s is made in a sandbox that was stopped", call.Container)
		}
		if c.unstarted[call.Container] {
			c.wrong("container %s was made and never started", call.Container)
		}
		c.unstarted[call.Container] = true
	case "StartContainer":
		if !c.unstarted[call.Container] || c.started[call.Instance] {
			c.wrong("%s is started, but was not made", call.Instance)
		}
		c.started[call.Instance], c.unstarted[call.Container] = true, false
	case "StopContainer":
		delete(c.unstoppable, call.Container)
	case "RemoveContainer":
		c.remove(call)
	case "StopPodSandbox":
		c.stopped[call.Instance] = true
		for _, one := range slices.Concat(c.Spec.InitContainers, c.Spec.Containers) {
			if c.Lives(one.Name, call.At) && !c.unstoppable[one.Name] {
				c.wrong("the sandbox is stopped while container %s runs", one.Name)
			}
		}
	}
}

// remove checks the removal of an instance. The newest one of an ordinary container is the kubelet's memory of its end
// (pod_container_deletor.go): it stays until the pod ends.
func (c *checker) remove(call timeline.Call) {
	if c.removed[call.Instance] {
		c.wrong("%s is removed twice", call.Instance)
	}
	c.removed[call.Instance] = true
	if c.Lives(call.Container, call.At) && !c.later(call.Instance) {
		c.wrong("%s is removed while it runs", call.Instance)
	}
	spec, init := c.container(call.Container)
	newest := spec != nil && !init && c.started[call.Instance] && !c.later(call.Instance) && !c.resets()
	switch {
	case newest && !c.ends(call.At):
		c.wrong("%s is removed, but it is the newest", call.Instance)
	case newest && !c.Static && !c.Evicted:
		for _, one := range c.Spec.Containers {
			if c.Lives(one.Name, call.At) {
				c.wrong("%s is removed while container %s runs", call.Instance, one.Name)
			}
		}
	}
}

// mostLeft is how many instances of a container may be left when the next one is made. When one dies, the kubelet
// removes all but the newest (kubelet.go syncLoopIteration, cleanUpContainersInPod), but one that it killed itself has
// died before the kubelet notices, and may be replaced first.
const mostLeft = 2

// left returns the instances of a container that were started and not removed.
func (c *checker) left(name string) (left []string) {
	for instance := range c.started {
		if of, _ := split(instance); of == name && !c.removed[instance] {
			left = append(left, instance)
		}
	}
	return left
}

// later reports whether an instance has a later one of its container.
func (c *checker) later(instance string) bool {
	name, number := split(instance)
	for other := range c.started {
		if of, n := split(other); of == name && n > number {
			return true
		}
	}
	return false
}

// split returns the name and the number of an instance such as "victim-2".
func split(instance string) (name string, number int) {
	at := strings.LastIndex(instance, "-")
	number, _ = strconv.Atoi(instance[at+1:])
	return instance[:max(at, 0)], number
}

// ends reports whether the pod ends at an instant: it was deleted, its phase is terminal, or it is evicted, which the
// API shows only when its containers have ended.
func (c *checker) ends(at int64) bool {
	return c.Static || c.Evicted || slices.ContainsFunc(c.Versions, func(v timeline.Version) bool {
		over := v.Status.Phase == corev1.PodSucceeded || v.Status.Phase == corev1.PodFailed
		return v.At.At <= at+sent && (v.Deleted || v.DeletionTimestamp != 0 || over)
	})
}

// resets reports whether a container's end may restart the whole pod, which removes all containers.
func (c *checker) resets() bool {
	return slices.ContainsFunc(slices.Concat(c.Spec.InitContainers, c.Spec.Containers), podspec.RestartsAll)
}
