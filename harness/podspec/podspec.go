// Package podspec reads what formulas may know of a pod before it runs: its spec, and what is to be done to it.
// Verdicts and predictions share it, so both see the same pod.
//
// Fields that the API server fills in are read with its defaults.
package podspec

import (
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/klog/v2"

	"github.com/podclock/podclock/harness/formula"
)

// Question is which kill of which container a formula is asked about.
type Question struct {
	Pod *corev1.Pod
	// Container is one of the pod's containers, init containers included.
	Container string
	// Cause is why it is killed, empty if nothing kills it.
	Cause formula.Cause
	// GracePeriodSeconds is the option of the request that deletes the pod, nil if it has none or no request deletes
	// it.
	GracePeriodSeconds *int64
	// Taint is the taint that deletes the pod, nil for none.
	Taint *corev1.Taint
	// Probe is the kind of probe in question, empty for the one that kills.
	Probe string
	// Over reports whether a main container that is never restarted has ended at the time of the kill. Nil means that
	// none has.
	Over func(container string) bool
}

// Input returns everything that a spec contains for a formula. The rest is zero: what a process and its hooks do, and
// when.
func (q Question) Input(k formula.Kubelet) formula.Input {
	c, spec := Container(q.Pod, q.Container), &q.Pod.Spec
	in := formula.Input{
		Kubelet: k, Sidecar: IsSidecar(q.Pod, c.Name), Neighbours: len(spec.Containers) + len(spec.InitContainers) - 1,
		Kill: formula.Kill{
			Cause:                         q.Cause,
			GracePeriodSeconds:            q.GracePeriodSeconds,
			TerminationGracePeriodSeconds: TerminationGracePeriodSeconds(spec),
		},
	}
	if q.Taint != nil {
		if t := Tolerating(spec, q.Taint); t != nil {
			in.Kill.TolerationSeconds = t.TolerationSeconds
		}
	}
	in.Kill.Hook, in.Kill.HookElapsed = Hook(c)
	if spec.ActiveDeadlineSeconds != nil {
		in.Kill.ActiveDeadlineSeconds = *spec.ActiveDeadlineSeconds
	}
	if p := killing(c, q.Cause); p != nil {
		in.Probe = Probe(p)
		in.Kill.ProbeTerminationGracePeriodSeconds = p.TerminationGracePeriodSeconds
		in.Kill.WholePod = q.nothingRunsOn(c)
	}
	if p := ProbeOf(c, q.Probe); p != nil {
		in.Probe = Probe(p)
		in.Probe.Kind = q.Probe
	}
	if c.StartupProbe != nil {
		in.Startup = Probe(c.StartupProbe)
	}
	return in
}

// nothingRunsOn reports whether nothing of the pod is left to run after a main container's kill by its probe: it is
// not restarted, and no other main container lives or will live.
func (q Question) nothingRunsOn(killed *corev1.Container) bool {
	isMain := false
	for i := range q.Pod.Spec.Containers {
		switch c := &q.Pod.Spec.Containers[i]; {
		case !NeverRestarted(q.Pod, c):
			return false
		case c.Name == killed.Name:
			isMain = true
		case q.Over == nil || !q.Over(c.Name):
			return false
		}
	}
	return isMain
}

// Container returns a pod's container by name, init containers included, or its first container if it has none of
// that name.
func Container(p *corev1.Pod, name string) *corev1.Container {
	for _, all := range [][]corev1.Container{p.Spec.Containers, p.Spec.InitContainers} {
		for i := range all {
			if all[i].Name == name {
				return &all[i]
			}
		}
	}
	return &p.Spec.Containers[0]
}

// NeverRestarted reports whether a container's restart policy, its own or else the pod's, is Never.
func NeverRestarted(p *corev1.Pod, c *corev1.Container) bool {
	if c.RestartPolicy != nil {
		return *c.RestartPolicy == corev1.ContainerRestartPolicyNever
	}
	return p.Spec.RestartPolicy == corev1.RestartPolicyNever
}

// TerminationGracePeriodSeconds returns the pod's own grace period as a kubelet sees it. The API server turns a
// negative one into one second (pkg/apis/core/v1/conversion.go Convert_v1_Pod_To_core_Pod), and a missing one into
// thirty (defaults.go SetDefaults_PodSpec).
func TerminationGracePeriodSeconds(spec *corev1.PodSpec) int64 {
	switch g := spec.TerminationGracePeriodSeconds; {
	case g == nil:
		return corev1.DefaultTerminationGracePeriodSeconds
	case *g < 0:
		return 1
	default:
		return *g
	}
}

// Tolerating returns the pod's first toleration of a taint, or nil (k8s.io/component-helpers scheduling/corev1
// GetMatchingTolerations).
func Tolerating(spec *corev1.PodSpec, taint *corev1.Taint) *corev1.Toleration {
	for i := range spec.Tolerations {
		// Only the feature gate TaintTolerationComparisonOperators uses the logger, and it is off by default.
		if t := &spec.Tolerations[i]; t.ToleratesTaint(klog.Logger{}, taint, false) {
			return t
		}
	}
	return nil
}

// Hook returns the handler of a container's preStop hook, and the duration of a sleep action. A kubelet does not know
// tcpSocket as a handler: such a hook fails before it begins (pkg/kubelet/lifecycle/handlers.go Run).
func Hook(c *corev1.Container) (formula.HookKind, formula.Range) {
	if c.Lifecycle == nil || c.Lifecycle.PreStop == nil {
		return formula.NoHook, formula.Range{}
	}
	switch h := c.Lifecycle.PreStop; {
	case h.Sleep != nil:
		d := time.Duration(h.Sleep.Seconds) * time.Second
		return formula.SleepHook, formula.Range{Low: d, High: d}
	case h.HTTPGet != nil:
		return formula.HTTPHook, formula.Range{}
	case h.Exec != nil:
		return formula.ExecHook, formula.Range{}
	}
	return formula.NoHook, formula.Range{}
}
