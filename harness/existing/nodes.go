package existing

import (
	"encoding/json"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/podclock/podclock/harness/formula"
)

// Node is a node to test.
type Node struct {
	Name string
	// Architecture is as GOARCH.
	Architecture string
	// Group describes what nodes have in common whose kubelets should behave alike.
	Group   string
	Kubelet formula.Kubelet
	// Configuration is what the kubelet reports (/configz), nil if that may not be read. Kubelet has its release's
	// defaults then.
	Configuration json.RawMessage
	// Pods is how many pods of podclock may be on the node at one time.
	Pods int
}

// mostPods bounds the pods of podclock on a node. Room is left for the node's owner.
const (
	mostPods  = 60
	spareRoom = 10
)

// unfit returns why a node is left alone, or "".
func unfit(n *corev1.Node) string {
	if n.Spec.Unschedulable {
		return "it is cordoned"
	}
	if os := n.Status.NodeInfo.OperatingSystem; os != "linux" {
		return "its operating system is " + os
	}
	ready := false
	for _, c := range n.Status.Conditions {
		switch {
		case c.Type == corev1.NodeReady:
			ready = c.Status == corev1.ConditionTrue
		case strings.HasSuffix(string(c.Type), "Pressure") && c.Status == corev1.ConditionTrue:
			return "it has " + string(c.Type)
		}
	}
	if !ready {
		return "it is not Ready"
	}
	for _, t := range n.Spec.Taints {
		if t.Effect != corev1.TaintEffectPreferNoSchedule {
			return "it has the taint " + t.ToString()
		}
	}
	return ""
}

// groupOf describes a node without its configuration, which costs a request to each kubelet.
func groupOf(n *corev1.Node) string {
	i := n.Status.NodeInfo
	return strings.Join([]string{
		i.KubeletVersion, i.ContainerRuntimeVersion, i.OSImage, "kernel " + i.KernelVersion, i.Architecture,
	}, ", ")
}
