package predict

import (
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/podclock/podclock/harness/rules/formula"
	"github.com/podclock/podclock/harness/rules/lifecycle"
	"github.com/podclock/podclock/harness/rules/podspec"
)

// LostNode is a node that stops answering. Nothing reaches its containers, so none of them is killed.
const LostNode formula.Cause = "lost node"

// The steps of these causes.
const (
	// Turn is when a shutdown comes to the pod's group, TurnOver when it waits for the group no longer.
	Turn     = "turn"
	TurnOver = "turn-over"
	// Tainted is when the control plane gives a lost node the taint that ends its pods.
	Tainted = "tainted"
)

// shutsDown predicts a graceful shutdown of the node. There is none unless the kubelet's configuration has groups.
func (p predictor) shutsDown() []*draft {
	if len(p.kubelet.ShutdownGroups) == 0 {
		return nil
	}
	t := trigger{id: "node-shutdown", cause: formula.ByShutdown, kill: formula.ByShutdown,
		begins: "the announcement of the node's shutdown"}
	if class := assumedClass(p.kubelet, &p.pod.Spec); class != "" {
		t.begins += fmt.Sprintf(", if the priority class %s has the value 0", class)
	}
	in := p.input(t)
	return p.kills(t, func(d *draft) {
		after := lifecycle.Fault
		if before := in.GroupsBefore(); before > 0 {
			after = Turn
			d.within(Turn, "the turn of the pod's group: earlier ones have ended, or used their time", 1,
				lifecycle.Fault, "time of the groups of lower priorities", Span{Latest: before})
		}
		p.killPod(d, t, reason{after: after, rule: &formula.ShutdownStart})
		d.failed()
		d.assume(TurnOver, "the node waits for the pod's group no longer, and may be off", 1, after, in.GroupTime())
		d.value("disruption-target", "condition DisruptionTarget", 1, &formula.DisruptionTarget)
		d.value("reason", "reason Terminated", 1, &formula.ShutdownReason)
		d.endsForGood()
	})
}

// assumedClass returns the pod's priority class if its unknown value decides in which group the pod is. The API server
// accepts values of a user's classes up to HighestUserDefinablePriority (pkg/apis/scheduling/types.go).
func assumedClass(k formula.Kubelet, spec *corev1.PodSpec) string {
	const highest = 1_000_000_000
	if spec.Priority != nil {
		return ""
	}
	possible := 0
	for _, g := range k.ShutdownGroups {
		if g.Priority <= highest {
			possible++
		}
	}
	if possible <= 1 {
		return ""
	}
	return spec.PriorityClassName
}

// losesNode predicts, once for the pod, what the control plane does if its node stops answering.
func (p predictor) losesNode() []*draft {
	if p.Name != p.pod.Spec.Containers[0].Name {
		return nil
	}
	taint := &corev1.Taint{Key: corev1.TaintNodeUnreachable, Effect: corev1.TaintEffectNoExecute}
	t := trigger{id: "lost-node", cause: LostNode, kill: formula.ByDelete, taint: taint,
		begins: "the moment from which the node does not answer: its kubelet has ended, or its network is cut"}
	d := p.draft(t,
		Assumption{Description: "no other node of its zone is lost, and the control plane has the defaults of " +
			"the kubelet's release"})
	limit := unreachableSeconds(&p.pod.Spec, taint)
	d.spec.Kill.TolerationSeconds = limit
	d.step(lifecycle.Unready, "the API shows the node as unreachable and its pods as not ready", 1,
		reason{after: lifecycle.Fault, rule: &formula.NodeLost})
	d.step(Tainted, "the node gets the taint "+taint.ToString(), 1,
		reason{after: lifecycle.Unready, rule: &formula.NodeTainted})
	if limit != nil {
		d.step(lifecycle.DeletionBegan, "the pod is deleted; its object stays until the node answers or is removed", 1,
			reason{after: Tainted, rule: &formula.TaintDeletion})
	}
	return []*draft{d}
}

// unreachableSeconds returns how long a pod stays on a lost node, nil for ever. The API server adds a toleration of
// 300 s to pods that do not name the taint (plugin/pkg/admission/defaulttolerationseconds/admission.go Admit).
func unreachableSeconds(spec *corev1.PodSpec, taint *corev1.Taint) *int64 {
	if t := podspec.Tolerating(spec, taint); t != nil {
		return t.TolerationSeconds
	}
	const defaultUnreachable = 300
	if slices.ContainsFunc(spec.Tolerations, func(t corev1.Toleration) bool {
		return (t.Key == taint.Key || t.Key == "") && (t.Effect == taint.Effect || t.Effect == "")
	}) {
		return new(int64(0)) // it names the taint, but another value
	}
	return new(int64(defaultUnreachable))
}

// daemonTolerations are those of pods that a DaemonSet makes, as far as they bear on evictions
// (pkg/controller/daemon/util/daemonset_util.go AddOrUpdateDaemonPodTolerations).
var daemonTolerations = []corev1.Toleration{
	{Key: corev1.TaintNodeNotReady, Operator: corev1.TolerationOpExists, Effect: corev1.TaintEffectNoExecute},
	{Key: corev1.TaintNodeUnreachable, Operator: corev1.TolerationOpExists, Effect: corev1.TaintEffectNoExecute},
}

// tolerated returns the tolerations of the pods that an object of a kind makes.
func tolerated(kind string, all []corev1.Toleration) []corev1.Toleration {
	if kind != "DaemonSet" {
		return all
	}
	all = slices.Clone(all)
	for _, own := range daemonTolerations {
		all = slices.DeleteFunc(all, func(t corev1.Toleration) bool { return t.MatchToleration(&own) })
	}
	return append(all, daemonTolerations...)
}
