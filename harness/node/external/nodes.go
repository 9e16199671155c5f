package external

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/podclock/podclock/harness/measure/run"
	"github.com/podclock/podclock/harness/measure/trial"
	"github.com/podclock/podclock/harness/rules/formula"
)

// Node is a node to test.
type Node struct {
	Name   string
	System run.System
	// Group describes what nodes have in common whose kubelets should behave alike.
	Group   string
	Kubelet formula.Kubelet
	// Configuration is what the kubelet reports (/configz), nil if that may not be read. Kubelet has its release's
	// defaults then.
	Configuration json.RawMessage
	// Pods is how many pods of podclock may be on the node at one time.
	Pods int
	// Cores are the node's. Nodes of one boot are containers of one host and share its cores.
	Cores float64
	boot  string
}

// Cores returns the cores that nodes have together.
func Cores(nodes []Node) (sum float64) {
	hosts := map[string]float64{}
	for _, n := range nodes {
		sum += max(0, n.Cores-hosts[n.boot])
		hosts[n.boot] = max(hosts[n.boot], n.Cores)
	}
	return sum
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
			return "it has the taint " + t.ToString() + remedy(t)
		}
	}
	return ""
}

// Unfit returns why a node must be left alone while trials run on it, or "". Their own taints are no reason.
func Unfit(n *corev1.Node) string {
	n = n.DeepCopy()
	n.Spec.Taints = slices.DeleteFunc(n.Spec.Taints, ours)
	return unfit(n)
}

// ours reports whether a trial put a taint on a node.
func ours(t corev1.Taint) bool { return strings.HasPrefix(t.Key, trial.TaintKey) }

func remedy(t corev1.Taint) string {
	if !ours(t) {
		return ""
	}
	return ": if no run is under way, `podclock clean` removes it"
}

// groupOf describes what decides how a node's kubelet behaves. Kubelets of one release whose configurations give them
// other times have different numbers.
func groupOf(n *corev1.Node, k formula.Kubelet) (string, error) {
	text, err := json.Marshal(k)
	if err != nil {
		return "", fmt.Errorf("describe the kubelet: %w", err)
	}
	configuration := fmt.Sprintf("configuration %.3x", sha256.Sum256(text))
	if k.Assumed {
		configuration = "configuration not read"
	}
	s := SystemOf(n)
	return strings.Join([]string{
		s.Kubelet, s.Runtime, s.OS, "kernel " + s.Kernel, s.Architecture, configuration,
	}, ", "), nil
}

// SystemOf returns what a Node object says about its node.
func SystemOf(n *corev1.Node) run.System {
	i := n.Status.NodeInfo
	provider, _, _ := strings.Cut(n.Spec.ProviderID, "://")
	return run.System{
		Provider: provider, Kubelet: i.KubeletVersion, Runtime: i.ContainerRuntimeVersion, OS: i.OSImage,
		Kernel: i.KernelVersion, Architecture: i.Architecture,
	}
}
