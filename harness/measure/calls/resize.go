package calls

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	apiequality "k8s.io/apimachinery/pkg/api/equality"

	"github.com/podclock/podclock/harness/measure/timeline"
)

// updateContainer checks new resources of a running container. The kubelet changes the memory and the CPU one after the
// other, because they may need another order (kuberuntime_manager.go doPodResizeAction, updatePodContainerResources).
func (c *checker) updateContainer(call timeline.Call) error {
	update, err := read[struct{ Linux resources }](call)
	if err != nil {
		return err
	}
	spec, _ := c.container(call.Container)
	if spec == nil || call.Error != "" {
		return nil
	}
	is := update.Linux
	c.sized(spec, is, false)
	had := c.has[spec.Name]
	if is.MemoryLimit != had.MemoryLimit && (is.CPUShares != had.CPUShares || is.CPUQuota != had.CPUQuota) {
		c.wrong("one call changes the memory and the CPU of container %s", spec.Name)
	}
	c.has[spec.Name] = is
	c.fits(spec.Name)
	return nil
}

// updateSandbox keeps the resources of a sandbox.
func (c *checker) updateSandbox(call timeline.Call) error {
	update, err := read[struct{ Resources resources }](call)
	if err == nil && call.Error == "" {
		if c.has[""] == update.Resources {
			c.wrong("the sandbox gets the resources that it has, %+v", update.Resources)
		}
		c.has[""] = update.Resources
	}
	return err
}

// sized checks that the CPU of a container is that of its specification or of a resize, and its memory limit, too.
func (c *checker) sized(spec *corev1.Container, is resources, created bool) {
	var cpu, memory bool
	for _, pod := range append([]corev1.ResourceRequirements{own(c.Spec.Resources)}, c.Sizes[""]...) {
		for _, of := range append([]corev1.ResourceRequirements{spec.Resources}, c.Sizes[spec.Name]...) {
			for i, want := range resourcesOf(pod, of) {
				if i > 0 && created {
					break
				}
				cpu = cpu || want.CPUShares == is.CPUShares && want.CPUQuota == is.CPUQuota
				memory = memory || want.MemoryLimit == is.MemoryLimit
			}
		}
	}
	if !cpu {
		c.wrong("container %s gets cpu_shares %d and cpu_quota %d, which nobody asked for", spec.Name, is.CPUShares,
			is.CPUQuota)
	}
	if !memory {
		c.wrong("container %s gets the memory limit %d, which nobody asked for", spec.Name, is.MemoryLimit)
	}
}

// settled checks that each container that lives at the end has, and shows, the resources that were asked for last. The
// newest version of the pod must show that the kubelet knows them, and that no resize waits or goes on.
func (c *checker) settled() {
	if len(c.Sizes) == 0 || len(c.Versions) == 0 || c.kind == "" {
		return
	}
	v := c.Versions[len(c.Versions)-1]
	busy := slices.ContainsFunc(v.Status.Conditions, func(one corev1.PodCondition) bool {
		return one.Type == corev1.PodResizePending || one.Type == corev1.PodResizeInProgress
	})
	if busy || v.Deleted || v.DeletionTimestamp != 0 || v.Generation != v.Status.ObservedGeneration {
		return
	}
	c.as(Resizes)
	newest := func(name string, first corev1.ResourceRequirements) corev1.ResourceRequirements {
		if all := c.Sizes[name]; len(all) > 0 {
			return all[len(all)-1]
		}
		return first
	}
	pod := newest("", own(c.Spec.Resources))
	if is, known := c.has[""]; known && c.Spec.Resources != nil {
		if want := resourcesOf(corev1.ResourceRequirements{}, pod)[0]; is != want {
			c.wrong("the sandbox ends with %+v, expected %+v", is, want)
		}
	}
	for _, s := range v.Status.ContainerStatuses {
		if spec, _ := c.container(s.Name); spec != nil && s.State.Running != nil {
			want := newest(s.Name, spec.Resources)
			if !apiequality.Semantic.DeepEqual(s.AllocatedResources, want.Requests) || s.Resources == nil ||
				!apiequality.Semantic.DeepEqual(s.Resources.Limits, want.Limits) ||
				!apiequality.Semantic.DeepEqual(s.Resources.Requests, want.Requests) {
				c.wrong("the status of container %s ends with %v allocated and %+v, expected %+v", s.Name,
					s.AllocatedResources, s.Resources, want)
			}
		}
	}
	for name, is := range c.has {
		if spec, _ := c.container(name); spec != nil && c.Lives(name, v.At.At) {
			if want := resourcesOf(pod, newest(name, spec.Resources)); !slices.Contains(want, is) {
				c.wrong("container %s ends with %+v, expected %+v", name, is, want[0])
			}
		}
	}
}

func own(pod *corev1.ResourceRequirements) corev1.ResourceRequirements {
	if pod == nil {
		return corev1.ResourceRequirements{}
	}
	return *pod
}

// resourcesOf returns what a container may have: first what a new one gets. It is the limits and the share of the cores
// (pkg/kubelet/cm helpers_linux.go MilliCPUToShares, MilliCPUToQuota with the default period). Without a limit, the
// pod's holds (pkg/kubelet/util/util.go GetLimits). Without a request, the share of a new container follows the limit,
// and that of a resized one is the least (kuberuntime_manager.go updatePodContainerResources, which asks for 0).
func resourcesOf(pod, of corev1.ResourceRequirements) []resources {
	request, asked := of.Requests[corev1.ResourceCPU]
	cpu, memory := of.Limits.Cpu(), of.Limits.Memory()
	if cpu.IsZero() {
		cpu = pod.Limits.Cpu()
	}
	if memory.IsZero() {
		memory = pod.Limits.Memory()
	}
	if !asked {
		request = *cpu
	}
	started := resources{
		CPUShares: max(2, request.MilliValue()*1024/1000), CPUQuota: cpu.MilliValue() * 100,
		MemoryLimit: memory.Value(),
	}
	if !cpu.IsZero() {
		started.CPUQuota = max(1000, started.CPUQuota)
	}
	if asked {
		return []resources{started}
	}
	resized := started
	resized.CPUShares = 2
	return []resources{started, resized}
}

// fits checks that the sandbox's limits are no less than those of the containers that live, with one that got others.
func (c *checker) fits(changed string) {
	pod, known := c.has[""]
	if !known || c.Spec.Resources != nil || c.Spec.Overhead != nil {
		return
	}
	c.as(Limits)
	var sum resources
	for name, has := range c.has {
		if name == changed || name != "" && c.Lives(name, c.at) {
			sum.MemoryLimit += has.MemoryLimit
			sum.CPUQuota += has.CPUQuota
		}
	}
	if pod.MemoryLimit > 0 && sum.MemoryLimit > pod.MemoryLimit {
		c.wrong("the memory limits of containers are %d together, more than the sandbox's %d", sum.MemoryLimit,
			pod.MemoryLimit)
	}
	if pod.CPUQuota > 0 && sum.CPUQuota > pod.CPUQuota {
		c.wrong("the cpu_quotas of containers are %d together, more than the sandbox's %d", sum.CPUQuota, pod.CPUQuota)
	}
}
