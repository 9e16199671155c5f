// Package podspec reads what formulas may know of a pod before it runs, for verdicts and predictions alike.
package podspec

import (
	"cmp"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/klog/v2"

	"github.com/podclock/podclock/harness/rules/formula"
)

// Question is the kill of a container that a formula is asked about.
type Question struct {
	Pod       *corev1.Pod
	Container string
	// Cause is why it is killed, empty if nothing kills it.
	Cause formula.Cause
	// GracePeriodSeconds is the delete request's option, or nil.
	GracePeriodSeconds *int64
	Taint              *corev1.Taint
	// Probe is the kind of probe in question, empty for the one that kills.
	Probe string
	// Over reports whether a main container that is never restarted has ended before the kill. Nil means none.
	Over func(container string) bool
}

// Input returns all that a spec contains for a formula. The behaviour of processes and hooks is zero.
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
	if spec.Priority != nil {
		in.Kill.Priority = *spec.Priority
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
	in.Probed = c.LivenessProbe != nil || c.ReadinessProbe != nil || c.StartupProbe != nil
	return in
}

// nothingRunsOn reports whether a probe's kill leaves nothing of the pod to run: the container is not restarted,
// and no other main container lives or will live.
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

// Container returns a pod's container by name, init containers included, or its first container.
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

// NeverRestarted reports whether a container's restart policy, its own or the pod's, is Never.
func NeverRestarted(p *corev1.Pod, c *corev1.Container) bool {
	return RestartPolicy(&p.Spec, c) == corev1.RestartPolicyNever
}

// RestartPolicy returns a container's restart policy: its own, else the pod's, else the API's default.
func RestartPolicy(spec *corev1.PodSpec, c *corev1.Container) corev1.RestartPolicy {
	if c.RestartPolicy != nil {
		return corev1.RestartPolicy(*c.RestartPolicy)
	}
	return cmp.Or(spec.RestartPolicy, corev1.RestartPolicyAlways)
}

// TerminationGracePeriodSeconds returns the pod's own grace period. The API server makes a negative one one second
// (pkg/apis/core/v1/conversion.go Convert_v1_Pod_To_core_Pod), a missing one thirty (defaults.go
// SetDefaults_PodSpec).
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
		// only the gate TaintTolerationComparisonOperators, off by default, uses the logger
		if t := &spec.Tolerations[i]; t.ToleratesTaint(klog.Logger{}, taint, false) {
			return t
		}
	}
	return nil
}

// OnWindows reports whether a pod can only run on Windows: by spec.os, its node selector, or its required affinity.
// The label of releases before 1.14 counts, too.
func OnWindows(spec *corev1.PodSpec) bool {
	const old, windows = "beta.kubernetes.io/os", string(corev1.Windows)
	if spec.OS != nil && spec.OS.Name == corev1.Windows ||
		slices.Contains([]string{spec.NodeSelector[corev1.LabelOSStable], spec.NodeSelector[old]}, windows) {
		return true
	}
	if spec.Affinity == nil || spec.Affinity.NodeAffinity == nil ||
		spec.Affinity.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution == nil {
		return false
	}
	terms := spec.Affinity.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution.NodeSelectorTerms
	return len(terms) > 0 && !slices.ContainsFunc(terms, func(t corev1.NodeSelectorTerm) bool {
		return !slices.ContainsFunc(t.MatchExpressions, func(r corev1.NodeSelectorRequirement) bool {
			return (r.Key == corev1.LabelOSStable || r.Key == old) && r.Operator == corev1.NodeSelectorOpIn &&
				slices.Equal(r.Values, []string{windows})
		})
	})
}

// Hook returns a preStop hook's handler, and a sleep action's duration. A tcpSocket hook fails before it begins
// (pkg/kubelet/lifecycle/handlers.go Run).
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

// The kinds of probes.
const (
	Liveness  = "liveness"
	Readiness = "readiness"
	Startup   = "startup"
)

// ProbeOf returns a container's probe of a kind, or nil.
func ProbeOf(c *corev1.Container, kind string) *corev1.Probe {
	switch kind {
	case Readiness:
		return c.ReadinessProbe
	case Startup:
		return c.StartupProbe
	case Liveness:
		return c.LivenessProbe
	}
	return nil
}

// killing returns the probe that kills a container for this cause, or the liveness probe if the cause is no probe.
func killing(c *corev1.Container, cause formula.Cause) *corev1.Probe {
	if cause == formula.ByStartup {
		return c.StartupProbe
	}
	return c.LivenessProbe
}

// Probe reads a probe with the API's defaults (pkg/apis/core/v1/defaults.go SetDefaults_Probe).
func Probe(p *corev1.Probe) formula.Probe {
	return formula.Probe{
		Handler:             handler(p),
		InitialDelaySeconds: int(p.InitialDelaySeconds),
		PeriodSeconds:       PeriodSeconds(p),
		TimeoutSeconds:      withDefault(p.TimeoutSeconds, 1),
		FailureThreshold:    withDefault(p.FailureThreshold, 3),
		SuccessThreshold:    withDefault(p.SuccessThreshold, 1),
	}
}

// PeriodSeconds returns a probe's period with the API's default.
func PeriodSeconds(p *corev1.Probe) int { return withDefault(p.PeriodSeconds, 10) }

func handler(p *corev1.Probe) string {
	switch {
	case p.Exec != nil:
		return "exec"
	case p.TCPSocket != nil:
		return "tcp"
	case p.GRPC != nil:
		return "grpc"
	}
	return "http"
}

func withDefault(v, otherwise int32) int { return int(cmp.Or(v, otherwise)) }

// IsSidecar reports whether a container is one of the pod's restartable init containers.
func IsSidecar(p *corev1.Pod, name string) bool {
	for i := range p.Spec.InitContainers {
		if c := &p.Spec.InitContainers[i]; c.Name == name {
			return restartable(c)
		}
	}
	return false
}

func restartable(c *corev1.Container) bool {
	return c.RestartPolicy != nil && *c.RestartPolicy == corev1.ContainerRestartPolicyAlways
}

// WaitsFor returns the containers whose death a sidecar awaits: all main containers, then the later sidecars.
func WaitsFor(p *corev1.Pod, name string) []string {
	var names []string
	for i := range p.Spec.Containers {
		names = append(names, p.Spec.Containers[i].Name)
	}
	for i := len(p.Spec.InitContainers) - 1; i >= 0 && p.Spec.InitContainers[i].Name != name; i-- {
		if c := &p.Spec.InitContainers[i]; restartable(c) {
			names = append(names, c.Name)
		}
	}
	return names
}

// RestartsAll reports whether an end of the container may restart all containers of its pod (KEP-5532).
func RestartsAll(c corev1.Container) bool {
	return slices.ContainsFunc(c.RestartPolicyRules, func(r corev1.ContainerRestartRule) bool {
		return r.Action == corev1.ContainerRestartRuleActionRestartAllContainers
	})
}
