package predict

import (
	corev1 "k8s.io/api/core/v1"

	"github.com/podclock/podclock/harness/formula"
	"github.com/podclock/podclock/harness/podspec"
)

// ignored is something that a container's spec asks for and its kubelet does not know.
type ignored struct {
	// container is its name, field what is asked for, below the container.
	container, field string
	// says is what becomes of it, and why.
	says string
}

// seenBy is a pod as a kubelet sees it: what predictions read of it, without what that kubelet does not know.
func seenBy(k formula.Kubelet, p *corev1.Pod) (*corev1.Pod, []ignored) {
	seen := &corev1.Pod{Spec: read(&p.Spec)}
	var all []ignored
	for _, c := range (&known{pod: seen}).scenes() {
		ignore := func(field string, change formula.Change, what string) {
			all = append(all, ignored{container: c.spec.Name, field: field, says: what + ": " + k.Lacks(change)})
		}
		switch own := c.spec.RestartPolicy != nil || len(c.spec.RestartPolicyRules) > 0; {
		case c.role == Sidecar && !k.Has(formula.Sidecars):
			ignore(
				"restartPolicy",
				formula.Sidecars,
				"an init container that must end before the main containers start, and is not probed, however it is meant",
			)
			c.spec.RestartPolicy, c.spec.RestartPolicyRules = nil, nil
			c.spec.LivenessProbe, c.spec.ReadinessProbe, c.spec.StartupProbe = nil, nil, nil
		case own && c.role != Sidecar && !k.Has(formula.ContainerRestartRules):
			ignore("restartPolicy", formula.ContainerRestartRules, "its own restart policy is ignored, the pod's holds")
			c.spec.RestartPolicy, c.spec.RestartPolicyRules = nil, nil
		}
		if kind, _ := podspec.Hook(c.spec); kind == formula.SleepHook && !k.Has(formula.SleepAction) {
			ignore("lifecycle.preStop.sleep", formula.SleepAction, "the preStop hook fails at once, nothing is slept")
			c.spec.Lifecycle = &corev1.Lifecycle{PostStart: c.spec.Lifecycle.PostStart}
		}
		for _, p := range []struct {
			field string
			probe **corev1.Probe
		}{{"livenessProbe", &c.spec.LivenessProbe}, {"readinessProbe", &c.spec.ReadinessProbe}, {"startupProbe", &c.spec.StartupProbe}} {
			if *p.probe != nil && (*p.probe).GRPC != nil && !k.Has(formula.GRPCProbes) {
				ignore(p.field+".grpc", formula.GRPCProbes, "a gRPC probe is never carried out")
				*p.probe = nil
			}
		}
	}
	return seen, all
}

// read is what predictions read of a pod's spec, and all that they can read. What it points to it shares with the spec.
func read(spec *corev1.PodSpec) corev1.PodSpec {
	r := corev1.PodSpec{
		RestartPolicy:                 spec.RestartPolicy,
		TerminationGracePeriodSeconds: spec.TerminationGracePeriodSeconds,
		ActiveDeadlineSeconds:         spec.ActiveDeadlineSeconds,
		PriorityClassName:             spec.PriorityClassName,
		Tolerations:                   spec.Tolerations,
		Containers:                    readContainers(spec.Containers),
		InitContainers:                readContainers(spec.InitContainers),
	}
	for i := range spec.Volumes {
		if dir := spec.Volumes[i].EmptyDir; dir != nil {
			r.Volumes = append(r.Volumes, corev1.Volume{VolumeSource: corev1.VolumeSource{EmptyDir: dir}})
		}
	}
	return r
}

func readContainers(all []corev1.Container) []corev1.Container {
	r := make([]corev1.Container, len(all))
	for i := range all {
		c := &all[i]
		r[i] = corev1.Container{
			Name:               c.Name,
			RestartPolicy:      c.RestartPolicy,
			RestartPolicyRules: c.RestartPolicyRules,
			Lifecycle:          c.Lifecycle,
			LivenessProbe:      c.LivenessProbe,
			ReadinessProbe:     c.ReadinessProbe,
			StartupProbe:       c.StartupProbe,
		}
		if limit, given := c.Resources.Limits[corev1.ResourceEphemeralStorage]; given {
			r[i].Resources.Limits = corev1.ResourceList{corev1.ResourceEphemeralStorage: limit}
		}
	}
	return r
}
