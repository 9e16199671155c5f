// Package reach measures which code of Kubernetes the trials execute. It is about the code that decides how pods die
// and restart: what no trial executes, no trial can judge.
package reach

import (
	"path"
	"regexp"
	"slices"
)

// Part is a package of Kubernetes with lifecycle code.
type Part struct {
	// Package is its import path.
	Package string
	// Files are the files of the package that belong to it, all without any.
	Files []string
	// Why is what of a pod's life the code decides.
	Why string
}

const kubelet = "k8s.io/kubernetes/pkg/kubelet"

// Lifecycle returns the code that decides how pods die and restart: the functions in which formulas were read, and
// what surrounds them. Code that starts a node, mounts volumes or serves the kubelet's own API is not part of it.
func Lifecycle() []Part {
	return []Part{
		{kubelet, []string{"kubelet.go", "kubelet_pods.go", "pod_workers.go", "active_deadline.go",
			"pod_container_deletor.go", "reason_cache.go"}, "each sync of a pod, its phase and its end"},
		{kubelet + "/prober", nil, "when probes run"},
		{kubelet + "/prober/results", nil, "what follows a probe's result"},
		{
			"k8s.io/kubernetes/pkg/probe",
			[]string{"util.go"},
			"the port of a probe",
		}, // a virtual node replaces its dialer
		{"k8s.io/kubernetes/pkg/probe/exec", nil, "exec probes"},
		{"k8s.io/kubernetes/pkg/probe/grpc", nil, "gRPC probes"},
		{"k8s.io/kubernetes/pkg/probe/http", nil, "HTTP probes and hooks"},
		{"k8s.io/kubernetes/pkg/probe/tcp", nil, "TCP probes"},
		{kubelet + "/kuberuntime", []string{"kuberuntime_manager.go", "kuberuntime_container.go",
			"kuberuntime_termination_order.go", "kuberuntime_gc.go", "kuberuntime_sandbox.go", "helpers.go", "labels.go"},
			"starts, kills and back-offs of containers"},
		{kubelet + "/lifecycle", nil, "hooks, and whether a pod is admitted"},
		{kubelet + "/allocation", nil, "which pods are admitted, and which resizes are granted"},
		{
			kubelet + "/status",
			[]string{"generate.go", "status_manager.go"},
			"the phase and conditions that the API shows",
		},
		{
			kubelet + "/eviction",
			[]string{"eviction_manager.go", "helpers.go", "memory_threshold_notifier.go"},
			"evictions",
		},
		{
			kubelet + "/nodeshutdown",
			[]string{"nodeshutdown_manager.go", "nodeshutdown_manager_linux.go"},
			"graceful shutdowns",
		},
		{kubelet + "/preemption", nil, "pods that end for a critical one"},
		{kubelet + "/pleg", []string{"generic.go", "pleg.go"}, "when the kubelet notices that a container ended"},
		{kubelet + "/container", []string{"cache.go", "container_gc.go", "helpers.go", "runtime.go", "sync_result.go",
			"ref.go"}, "what the kubelet knows of a pod's containers"},
		{kubelet + "/pod", nil, "which pods the kubelet knows"},
		{kubelet + "/images", []string{"image_manager.go", "helpers.go"}, "pulls and their back-off"},
		{kubelet + "/types", nil, "static and critical pods, and conditions that the kubelet owns"},
		{kubelet + "/util/queue", nil, "when a pod is synced again"},
		{"k8s.io/kubernetes/pkg/api/v1/pod", nil, "pods, as the kubelet reads them"},
		{"k8s.io/client-go/util/flowcontrol", []string{"backoff.go"}, "back-offs"},
		{"k8s.io/kubernetes/pkg/registry/core/pod", []string{"strategy.go"}, "grace periods of deletes"},
		{"k8s.io/apiserver/pkg/registry/rest", []string{"delete.go"}, "deletes with and without a grace period"},
		{"k8s.io/kubernetes/pkg/registry/core/pod/storage", []string{"eviction.go"}, "evictions by the API"},
	}
}

// Matching returns the parts whose package has a matching path.
func Matching(parts []Part, path *regexp.Regexp) []Part {
	return slices.DeleteFunc(slices.Clone(parts), func(p Part) bool { return !path.MatchString(p.Package) })
}

// Packages returns the import paths of the parts.
func Packages(parts []Part) []string {
	var all []string
	for _, p := range parts {
		all = append(all, p.Package)
	}
	return slices.Compact(all)
}

// holds reports whether a file is in one of the parts.
func holds(parts []Part, file string) bool {
	return slices.ContainsFunc(parts, func(p Part) bool {
		return p.Package == path.Dir(file) && (len(p.Files) == 0 || slices.Contains(p.Files, path.Base(file)))
	})
}
