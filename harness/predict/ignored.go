package predict

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"

	"github.com/podclock/podclock/harness/formula"
	"github.com/podclock/podclock/harness/podspec"
)

// seenBy is a pod as a kubelet sees it: without what it does not know. Each of these is told in a sentence.
func seenBy(k formula.Kubelet, p *corev1.Pod) (seen *corev1.Pod, ignored []string) {
	seen = p.DeepCopy()
	ignore := func(c *corev1.Container, change formula.Change, what string) {
		ignored = append(ignored, fmt.Sprintf("container %s: %s: %s", c.Name, what, k.Lacks(change)))
	}
	for _, c := range roles(seen) {
		switch {
		case c.spec.RestartPolicy == nil && len(c.spec.RestartPolicyRules) == 0:
		case c.role == Sidecar && !k.Has(formula.Sidecars):
			ignore(c.spec, formula.Sidecars, "an init container that must end before the main containers start, however it is meant")
			c.spec.RestartPolicy, c.spec.RestartPolicyRules = nil, nil
		case c.role != Sidecar && !k.Has(formula.ContainerRestartRules):
			ignore(c.spec, formula.ContainerRestartRules, "its own restart policy is ignored, the pod's holds")
			c.spec.RestartPolicy, c.spec.RestartPolicyRules = nil, nil
		}
		if kind, _ := podspec.Hook(c.spec); kind == formula.SleepHook && !k.Has(formula.SleepAction) {
			ignore(c.spec, formula.SleepAction, "the preStop hook fails at once, nothing is slept")
			c.spec.Lifecycle.PreStop = nil
		}
		for _, probe := range []**corev1.Probe{&c.spec.LivenessProbe, &c.spec.ReadinessProbe, &c.spec.StartupProbe} {
			if *probe != nil && (*probe).GRPC != nil && !k.Has(formula.GRPCProbes) {
				ignore(c.spec, formula.GRPCProbes, "a gRPC probe is never carried out")
				*probe = nil
			}
		}
	}
	return seen, ignored
}
