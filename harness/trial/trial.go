// Package trial holds what a trial is, what it measures, and what becomes of it.
//
// A Trial is a value: an ID, a pod, what is done to the pod, and the claims that its timeline must meet. The package
// measures claims on timelines; package judge decides verdicts. Nothing here waits, polls or talks to a cluster, so the
// same trial serves a run, a saved run that is judged again, and the catalogue.
package trial

import (
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/podclock/podclock/harness/formula"
	"github.com/podclock/podclock/harness/podspec"
)

// Trial is one experiment.
type Trial struct {
	// ID is "area/what", in lower case with dashes. It is stable: renaming it loses its history.
	ID string
	// About is one sentence: what is done, and what it shows.
	About string
	// Labels are words to select trials by, beside the area.
	Labels []string
	// Pod is the victim. Its name, namespace, node and recorder are filled in when it is deployed.
	Pod *corev1.Pod
	// Companions are further pods on the same node. Cues and claims use their names; no two containers of a trial have
	// the same name. Companions that no cue creates are deployed with the Pod.
	Companions []*corev1.Pod
	// Unscheduled leaves the pod without a node until a cue binds it.
	Unscheduled bool
	// Budget adds a PodDisruptionBudget that allows no eviction of the pod.
	Budget bool
	// Worker is the node configuration that the trial needs, nil for the subject's ordinary worker.
	Worker *Worker
	// Needs are changes of Kubernetes. On a kubelet that lacks one, the trial is unsupported.
	Needs []formula.Change
	// Cues are what podclock does to the pod, in order. They are empty if the victim ends by itself.
	Cues []Cue
	// KillCause is what kills the containers, if no cue deletes the pod or something else kills them first.
	KillCause formula.Cause
	// Lasts is the expected time from the pod's start to its last fact.
	Lasts time.Duration
	// Nightly keeps a short trial out of the quick profile, because its worker is one of many that wait for each other.
	Nightly bool
	// NodeOnly is why the trial can't run in the virtual lane, or empty.
	NodeOnly string
	// Claims are what must be true of the timeline.
	Claims []Claim
}

// Claim is one sentence about a trial that can be measured.
type Claim struct {
	Measure Measure
	// Formula predicts the measured value.
	Formula formula.Formula
	// Rivals are predictions of known faults. They diagnose deviations.
	Rivals []formula.Rival
	// KillCause is what kills the claim's life, if it is not the trial's.
	KillCause formula.Cause
	// Needs are changes of Kubernetes. A kubelet that lacks one is not judged by the claim.
	Needs []formula.Change
}

// Worker is a node configuration. Trials that name the same worker share one: podclock tunes a node for them, runs
// them, and restores the node.
type Worker struct {
	// Name is in lower case with dashes.
	Name string
	// KubeletConfig is a merge patch (RFC 7386) of the kubelet's configuration, or nil.
	KubeletConfig map[string]any
	// NodeFSMiB and NodeFSInodes give the kubelet's root directory a small file system, which the kubelet watches as
	// nodefs. 0 means none.
	NodeFSMiB, NodeFSInodes int
	// Alone runs the worker's trials one after another, because they disturb each other.
	Alone bool
}

// Tuned reports whether the worker differs from an ordinary one.
func (w Worker) Tuned() bool {
	return w.KubeletConfig != nil || w.NodeFSMiB > 0 || w.NodeFSInodes > 0
}

// Area returns the first part of the ID.
func (t Trial) Area() string {
	area, _, _ := strings.Cut(t.ID, "/")
	return area
}

// Bound returns how long after the start of its containers a trial is given up: twice Lasts plus 30 seconds.
func (t Trial) Bound() time.Duration { return 2*t.Lasts + 30*time.Second }

// Unsupported returns what the kubelet lacks that the trial needs, or "".
func (t Trial) Unsupported(k formula.Kubelet) string { return lacks(k, t.Needs) }

// LongestPeriod returns the longest periodSeconds of the trial's probes, 0 without probes.
func (t Trial) LongestPeriod() int32 {
	longest := int32(0)
	for _, c := range t.containers() {
		for _, p := range []*corev1.Probe{c.LivenessProbe, c.ReadinessProbe, c.StartupProbe} {
			if p != nil {
				longest = max(longest, int32(podspec.PeriodSeconds(p)))
			}
		}
	}
	return longest
}

func (t Trial) companion(name string) *corev1.Pod {
	i := slices.IndexFunc(t.Companions, func(p *corev1.Pod) bool { return p.Name == name })
	if i < 0 {
		return nil
	}
	return t.Companions[i]
}

func (t Trial) containers() []corev1.Container {
	all := slices.Concat(t.Pod.Spec.Containers, t.Pod.Spec.InitContainers)
	for _, p := range t.Companions {
		all = slices.Concat(all, p.Spec.Containers, p.Spec.InitContainers)
	}
	return all
}

func (t Trial) container(name string) *corev1.Container {
	all := t.containers()
	i := slices.IndexFunc(all, func(c corev1.Container) bool { return c.Name == name })
	if i < 0 {
		return nil
	}
	return &all[i]
}

func (t Trial) podOf(container string) *corev1.Pod {
	for _, p := range t.Companions {
		for _, c := range slices.Concat(p.Spec.Containers, p.Spec.InitContainers) {
			if c.Name == container {
				return p
			}
		}
	}
	return t.Pod
}

// ID returns the claim's name, which is stable and unique within its trial.
func (c Claim) ID() string { return c.Measure.String() }

// Lacks returns what the kubelet lacks that the claim needs, or "".
func (c Claim) Lacks(k formula.Kubelet) string { return lacks(k, c.Needs) }

func lacks(k formula.Kubelet, needs []formula.Change) string {
	for _, n := range needs {
		if why := k.Lacks(n); why != "" {
			return why
		}
	}
	return ""
}
