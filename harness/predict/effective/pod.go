// Package effective reduces a pod's spec to the fields that predictions read and the kubelet's version knows.
package effective

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/podclock/podclock/harness/rules/formula"
	"github.com/podclock/podclock/harness/rules/podspec"
)

// Pod is a pod as a kubelet of one version sees it.
type Pod struct {
	*corev1.Pod
	// Ignored are the fields that this kubelet does not know, Impossible the probes and hooks that no kubelet can carry
	// out.
	Ignored, Impossible []Ignored
}

// Ignored is a field of a container's spec that has no effect on a kubelet.
type Ignored struct {
	// Field is the path below the container.
	Container, Field string
	// Description is the consequence, and the release that knows the field, if one does.
	Description string
	// Probe is the field of an impossible probe, such as "readinessProbe".
	Probe string
}

// Role is the kind of a container in its pod.
type Role string

const (
	// Main is a container of spec.containers.
	Main Role = "main"
	// Sidecar is an init container with restartPolicy Always.
	Sidecar Role = "sidecar"
	// Init is any other init container.
	Init Role = "init"
)

// Container is a container of a pod with its role.
type Container struct {
	*corev1.Container
	Role Role
}

// Of returns the pod as kubelet k sees it. It does not change p.
func Of(k formula.Kubelet, p *corev1.Pod) Pod {
	pod := Pod{Pod: &corev1.Pod{Spec: copySpec(&p.Spec)}}
	for _, c := range pod.All() {
		pod.dropUnknown(k, c)
		pod.dropImpossible(c)
	}
	return pod
}

func (p *Pod) dropUnknown(k formula.Kubelet, c Container) {
	ignore := func(field string, change formula.Change, consequence string) {
		says := consequence + ": " + k.Lacks(change)
		p.Ignored = append(p.Ignored, Ignored{Container: c.Name, Field: field, Description: says})
	}
	hasPolicy := c.RestartPolicy != nil || len(c.RestartPolicyRules) > 0
	switch {
	case c.Role == Sidecar && !k.Has(formula.Sidecars):
		ignore("restartPolicy", formula.Sidecars,
			"the kubelet treats it as an ordinary init container: it must end before the main containers start, "+
				"and is not probed")
		c.RestartPolicy, c.RestartPolicyRules = nil, nil
		c.LivenessProbe, c.ReadinessProbe, c.StartupProbe = nil, nil, nil
	case hasPolicy && c.Role != Sidecar && !k.Has(formula.ContainerRestartRules):
		ignore("restartPolicy", formula.ContainerRestartRules,
			"the kubelet ignores the container's restart policy and uses the pod's")
		c.RestartPolicy, c.RestartPolicyRules = nil, nil
	}
	if i := slices.IndexFunc(c.RestartPolicyRules, restartsAll); i >= 0 && !k.Has(formula.RestartAll) {
		ignore(fmt.Sprintf("restartPolicyRules[%d].action", i), formula.RestartAll,
			"the kubelet restarts no other container for it, and uses the container's restart policy")
		c.RestartPolicyRules = slices.DeleteFunc(slices.Clone(c.RestartPolicyRules), restartsAll)
	}
	if kind, _ := podspec.Hook(c.Container); kind == formula.SleepHook && !k.Has(formula.SleepAction) {
		ignore("lifecycle.preStop.sleep", formula.SleepAction, "the preStop hook fails at once, without a sleep")
		c.Lifecycle = &corev1.Lifecycle{PostStart: c.Lifecycle.PostStart}
	}
	for _, probe := range probesOf(c) {
		if p := *probe.value; p != nil && p.GRPC != nil && !k.Has(formula.GRPCProbes) {
			ignore(probe.field+".grpc", formula.GRPCProbes, "the kubelet never carries out a gRPC probe")
			*probe.value = nil
		}
	}
}

func restartsAll(r corev1.ContainerRestartRule) bool {
	return r.Action == corev1.ContainerRestartRuleActionRestartAllContainers
}

type probe struct {
	field string
	value **corev1.Probe
	// without is what follows if no probe ever has a result.
	without string
}

const readinessField, startupField = "readinessProbe", "startupProbe"

func probesOf(c Container) []probe {
	return []probe{
		{"livenessProbe", &c.LivenessProbe, "it never kills the container"},
		{readinessField, &c.ReadinessProbe, "the pod is never ready"},
		{startupField, &c.StartupProbe, "the container never counts as started: the pod is never ready, " +
			"and the container's other probes never come"},
	}
}

// dropImpossible drops probes and preStop hooks of a named port that the container does not declare
// (pkg/probe/util.go ResolveContainerPort). Each probe is an error, which counts neither as a failure nor as a success
// (pkg/kubelet/prober/prober.go runProbe). Each hook fails at once (pkg/kubelet/lifecycle/handlers.go Run).
func (p *Pod) dropImpossible(c Container) {
	drop := func(field string, h corev1.ProbeHandler, without string) bool {
		below, port := portOf(h)
		named := func(declared corev1.ContainerPort) bool { return declared.Name == port }
		if port == "" || slices.ContainsFunc(c.Ports, named) {
			return false
		}
		says := fmt.Sprintf("the container declares no port named %q, so %s", port, without)
		p.Impossible = append(p.Impossible, Ignored{Container: c.Name, Field: field + below, Description: says})
		return true
	}
	startup := c.StartupProbe
	for _, probe := range probesOf(c) {
		if *probe.value != nil && drop(probe.field, (*probe.value).ProbeHandler,
			"each probe is an error, which does not count: "+probe.without) {
			*probe.value, p.Impossible[len(p.Impossible)-1].Probe = nil, probe.field
		}
	}
	if startup != nil && c.StartupProbe == nil {
		c.LivenessProbe, c.ReadinessProbe = nil, nil
	}
	if c.Lifecycle == nil {
		return
	}
	if h := c.Lifecycle.PostStart; h != nil {
		drop("lifecycle.postStart", corev1.ProbeHandler{HTTPGet: h.HTTPGet},
			"the hook fails at once: the container is killed after every start")
	}
	if h := c.Lifecycle.PreStop; h != nil && drop("lifecycle.preStop", corev1.ProbeHandler{HTTPGet: h.HTTPGet},
		"the hook fails at once: SIGTERM comes without any delay") {
		c.Lifecycle = &corev1.Lifecycle{PostStart: c.Lifecycle.PostStart}
	}
}

// NeverReady returns the readiness or startup probe that keeps the pod from being ready for ever, or nil.
func (p *Pod) NeverReady() *Ignored {
	i := slices.IndexFunc(p.Impossible, func(i Ignored) bool {
		return i.Probe == readinessField || i.Probe == startupField
	})
	if i < 0 {
		return nil
	}
	return &p.Impossible[i]
}

// portOf returns a handler's named port and its field, or "".
func portOf(h corev1.ProbeHandler) (field, name string) {
	switch {
	case h.HTTPGet != nil:
		return ".httpGet.port", h.HTTPGet.Port.StrVal
	case h.TCPSocket != nil:
		return ".tcpSocket.port", h.TCPSocket.Port.StrVal
	}
	return "", ""
}

// All returns the pod's containers: main containers, then sidecars, then init containers.
func (p Pod) All() []Container {
	all := make([]Container, 0, len(p.Spec.Containers)+len(p.Spec.InitContainers))
	for i := range p.Spec.Containers {
		all = append(all, Container{&p.Spec.Containers[i], Main})
	}
	for _, role := range []Role{Sidecar, Init} {
		for i := range p.Spec.InitContainers {
			if c := &p.Spec.InitContainers[i]; podspec.IsSidecar(p.Pod, c.Name) == (role == Sidecar) {
				all = append(all, Container{c, role})
			}
		}
	}
	return all
}

// NodeCritical is the priority class that no other pod preempts.
const NodeCritical = "system-node-critical"

const clusterCritical = "system-cluster-critical"

// Critical reports whether the kubelet never evicts the pod (pkg/kubelet/types/pod_update.go IsCriticalPod).
func (p Pod) Critical() bool {
	class := p.Spec.PriorityClassName
	return class == NodeCritical || class == clusterCritical
}

// priority returns the pod's priority, nil if it depends on a class of the cluster
// (pkg/apis/scheduling/types.go SystemClusterCritical, SystemNodeCritical).
func priority(spec *corev1.PodSpec) *int32 {
	switch {
	case spec.Priority != nil:
		return spec.Priority
	case spec.PriorityClassName == NodeCritical:
		return new(int32(2_000_001_000))
	case spec.PriorityClassName == clusterCritical:
		return new(int32(2_000_000_000))
	}
	return nil
}

// copySpec copies the fields that predictions read, and shares what they point to.
func copySpec(spec *corev1.PodSpec) corev1.PodSpec {
	s := corev1.PodSpec{
		RestartPolicy:                 spec.RestartPolicy,
		TerminationGracePeriodSeconds: spec.TerminationGracePeriodSeconds,
		ActiveDeadlineSeconds:         spec.ActiveDeadlineSeconds,
		PriorityClassName:             spec.PriorityClassName,
		Priority:                      priority(spec),
		Tolerations:                   spec.Tolerations,
		Containers:                    copyContainers(spec.Containers),
		InitContainers:                copyContainers(spec.InitContainers),
	}
	for i := range spec.Volumes {
		if dir := spec.Volumes[i].EmptyDir; dir != nil {
			s.Volumes = append(s.Volumes, corev1.Volume{VolumeSource: corev1.VolumeSource{EmptyDir: dir}})
		}
	}
	return s
}

func copyContainers(all []corev1.Container) []corev1.Container {
	copies := make([]corev1.Container, len(all))
	for i := range all {
		c := &all[i]
		copies[i] = corev1.Container{
			Name:               c.Name,
			Ports:              c.Ports,
			RestartPolicy:      c.RestartPolicy,
			RestartPolicyRules: c.RestartPolicyRules,
			Lifecycle:          c.Lifecycle,
			LivenessProbe:      c.LivenessProbe,
			ReadinessProbe:     c.ReadinessProbe,
			StartupProbe:       c.StartupProbe,
		}
		if limit, given := c.Resources.Limits[corev1.ResourceEphemeralStorage]; given {
			copies[i].Resources.Limits = corev1.ResourceList{corev1.ResourceEphemeralStorage: limit}
		}
	}
	return copies
}

// Seconds returns n seconds.
func Seconds[N int32 | int64 | int](n N) time.Duration { return time.Duration(n) * time.Second }

// Words writes a duration in seconds with at most three decimals: "30 s", "1.5 s".
func Words(d time.Duration) string {
	return strconv.FormatFloat(math.Round(d.Seconds()*1000)/1000+0, 'f', -1, 64) + " s"
}
