package external

import (
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/podclock/podclock/fixtures"
	"github.com/podclock/podclock/harness/measure/trial"
	"github.com/podclock/podclock/harness/measure/victim"
)

// Harm is something that trials may do to a node only if its owner allows it.
type Harm string

const (
	// RawSockets are victims that run as root with CAP_NET_RAW, which TCP probes need to be counted.
	RawSockets Harm = "raw-sockets"
	// Taints put a taint on the node, one trial after another.
	Taints Harm = "taints"
	// Fills are victims that write more than they may, at most 30 MiB each.
	Fills Harm = "fills"
)

// harms are all of them, with what their trials do, in words after "it" or "each".
var harms = []struct {
	harm Harm
	does string
}{
	{RawSockets, "runs victims as root with CAP_NET_RAW, to count TCP probes"},
	{Taints, "taints the node, which evicts the pods of others"},
	{Fills, "fills the node's disk beyond its pod's own limit"},
}

// Harms are all kinds of harm that an owner can allow.
func Harms() (all []Harm) {
	for _, h := range harms {
		all = append(all, h.harm)
	}
	return all
}

// Does says what each trial does that needs the owner's permission.
func (h Harm) Does() string { return harms[slices.Index(Harms(), h)].does }

// HarmsOf returns what a trial needs the owner's permission for.
func HarmsOf(t trial.Trial) (all []Harm) {
	if slices.ContainsFunc(podsOf(t), func(p *corev1.Pod) bool { return !fixtures.Restricted(p) }) {
		all = append(all, RawSockets)
	}
	if taints(t) {
		all = append(all, Taints)
	}
	if fills(t) {
		all = append(all, Fills)
	}
	return all
}

var taints = faults(trial.TaintNode)

func fills(t trial.Trial) bool {
	return t.Worker != nil && slices.ContainsFunc(containersOf(t), func(c corev1.Container) bool {
		run, err := victim.ParseRun(c.Args)
		return err == nil && run.FillDir != ""
	})
}

// needsOwnNode reports whether a trial configures or restarts the kubelet, or needs a worker for a reason that no owner
// can allow.
func needsOwnNode(t trial.Trial) bool {
	return t.Worker != nil && (t.Worker.Tuned() || !taints(t) && !fills(t)) ||
		faults(trial.RestartKubelet, trial.TuneKubelet, trial.OrphanPod, trial.RebootNode, trial.ShutDownNode)(t)
}

func faults(actions ...trial.Action) func(trial.Trial) bool {
	return func(t trial.Trial) bool {
		return slices.ContainsFunc(t.Faults, func(c trial.Fault) bool { return slices.Contains(actions, c.Action) })
	}
}

func podsOf(t trial.Trial) []*corev1.Pod { return append([]*corev1.Pod{t.Pod}, t.Companions...) }

func containersOf(t trial.Trial) (all []corev1.Container) {
	for _, p := range podsOf(t) {
		all = slices.Concat(all, p.Spec.InitContainers, p.Spec.Containers)
	}
	return all
}
