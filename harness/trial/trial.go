// Package trial says what a trial is, and judges it.
//
// A Trial is a value: an ID, a pod, what is done to it, and the claims its timeline must meet. Judging
// compares each claim's measured value with the windows that package formula derives, and ends in a
// verdict. Nothing here waits, polls or talks to a cluster, so the same trial serves a run, the judging of
// a saved run, and the catalogue's documentation.
package trial

import (
	"fmt"
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
	// Pod is the victim. Name, namespace, node and the recorder's address are filled in when it is deployed.
	Pod *corev1.Pod
	// Companions are further pods of the trial, on the same node. Their names are those that cues and
	// claims know them by; their containers have names of their own. Those that no cue creates are deployed
	// with the Pod.
	Companions []*corev1.Pod
	// Unscheduled leaves the pod without a node: no scheduler is to find one for it. It starts where a cue
	// binds it, or never.
	Unscheduled bool
	// Budget makes a PodDisruptionBudget that allows no eviction of the pod.
	Budget bool
	// Worker is the node configuration the trial needs, nil for the subject's ordinary worker.
	Worker *Worker
	// Needs are the changes of Kubernetes without which the trial has no meaning: a kubelet that lacks one
	// is unsupported.
	Needs []formula.Change
	// Cues are what the harness does to the pod, in order; none where the victim's own behaviour is the cue.
	Cues []Cue
	// KillCause is why the containers die, where no cue deletes the pod or something else kills them first.
	KillCause formula.Cause
	// Lasts is how long the trial is expected to take from its pod's start to its last fact.
	Lasts time.Duration
	// Nightly keeps the trial out of the quick profile though it is short: its worker is one of many that
	// wait for each other.
	Nightly bool
	// NodeOnly is why the trial can't run in the virtual lane, empty when it can.
	NodeOnly string
	// Claims are what must be true of the timeline.
	Claims []Claim
}

// Area is the first part of the ID.
func (t Trial) Area() string {
	area, _, _ := strings.Cut(t.ID, "/")
	return area
}

// Bound is how long after the start of its containers a trial is given up: twice what it should take, and
// half a minute.
func (t Trial) Bound() time.Duration { return 2*t.Lasts + 30*time.Second }

// Claim is one sentence that can be measured.
type Claim struct {
	// Measure says what is measured.
	Measure Measure
	// Formula predicts it.
	Formula formula.Formula
	// Rivals are wrong predictions that make a deviation a diagnosis.
	Rivals []formula.Rival
	// KillCause is why the life that the claim speaks of is killed, where it is another reason than the trial's.
	KillCause formula.Cause
	// Needs are the changes of Kubernetes without which the claim has no meaning: a kubelet that lacks one
	// is not held to it.
	Needs []formula.Change
}

// ID names the claim within its trial. It is stable.
func (c Claim) ID() string { return c.Measure.String() }

// Lacks says why a kubelet is not held to the claim, empty when it is.
func (c Claim) Lacks(k formula.Kubelet) string { return lacks(k, c.Needs) }

// Check says what is wrong with a trial as a value, nil when nothing is. The catalogue's own test calls it
// for every trial.
func (t Trial) Check() error {
	seen := map[string]bool{}
	switch {
	case t.Area() == t.ID || strings.ToLower(t.ID) != t.ID || strings.ContainsAny(t.ID, " _"):
		return fmt.Errorf("trial %q: the ID must be area/what, in lower case with dashes", t.ID)
	case t.About == "":
		return fmt.Errorf("trial %s: it does not say what it is about", t.ID)
	case t.Pod == nil || len(t.Pod.Spec.Containers) == 0:
		return fmt.Errorf("trial %s: it has no victim", t.ID)
	case t.Pod.Spec.TerminationGracePeriodSeconds == nil:
		return fmt.Errorf(
			"trial %s: its pod does not say terminationGracePeriodSeconds; write the API's default of 30 if it is meant",
			t.ID,
		)
	case t.Lasts <= 0:
		return fmt.Errorf("trial %s: it does not say how long it lasts", t.ID)
	case len(t.Claims) == 0:
		return fmt.Errorf("trial %s: it claims nothing", t.ID)
	}
	for _, c := range t.containers() {
		if seen[c.Name] {
			return fmt.Errorf("trial %s: two containers are named %s", t.ID, c.Name)
		}
		seen[c.Name] = true
	}
	for _, c := range t.Claims {
		if c.Formula.Implemented == nil {
			return fmt.Errorf("trial %s: claim %s has no formula", t.ID, c.ID())
		}
		if seen[c.ID()] {
			return fmt.Errorf("trial %s: two claims measure %s", t.ID, c.ID())
		}
		seen[c.ID()] = true
		for _, container := range []string{c.Measure.Container(), c.Measure.From.container} {
			if container != "" && t.container(container) == nil {
				return fmt.Errorf(
					"trial %s: claim %s speaks of container %s, which the pod has not",
					t.ID,
					c.ID(),
					container,
				)
			}
		}
	}
	return t.checkCues()
}

// checkCues says what is wrong with the cues, nil when nothing is.
func (t Trial) checkCues() error {
	tunes := 0
	for i, c := range t.Cues {
		if c.Action == TuneKubelet {
			tunes++
		}
		switch {
		case (c.Action == RestartKubelet || c.Action == TuneKubelet) && t.Worker == nil:
			return fmt.Errorf(
				"trial %s: cue %d (%s) disturbs the node, so the trial needs a worker of its own",
				t.ID,
				i+1,
				c.Action,
			)
		case (c.Action == TaintNode || c.Action == TuneKubelet) && (t.Worker == nil || !t.Worker.Alone):
			return fmt.Errorf(
				"trial %s: cue %d (%s) disturbs other trials, so the trial's worker must run them alone",
				t.ID,
				i+1,
				c.Action,
			)
		case c.Action == TuneKubelet && t.Worker.Tuned():
			return fmt.Errorf("trial %s: cue %d tunes a worker that is tuned already", t.ID, i+1)
		case tunes > 1:
			return fmt.Errorf("trial %s: cue %d tunes the kubelet a second time: say all of it in one patch", t.ID, i+1)
		case c.Action == CreatePod && t.companion(c.Pod) == nil:
			return fmt.Errorf("trial %s: cue %d creates pod %q, which is none of its companions", t.ID, i+1, c.Pod)
		case c.Action == BindPod && !t.Unscheduled:
			return fmt.Errorf(
				"trial %s: cue %d binds a pod that has a node from the beginning: make it an Unscheduled one",
				t.ID,
				i+1,
			)
		case c.Refused && c.Action != EvictPod && c.Action != DeletePod:
			return fmt.Errorf("trial %s: cue %d (%s) has no refusal that could be expected", t.ID, i+1, c.Action)
		}
	}
	return nil
}

// companion returns one of the trial's companions by its name, nil when there is none.
func (t Trial) companion(name string) *corev1.Pod {
	i := slices.IndexFunc(t.Companions, func(p *corev1.Pod) bool { return p.Name == name })
	if i < 0 {
		return nil
	}
	return t.Companions[i]
}

// containers are the containers of all pods of the trial, init containers included, the Pod's own ones first.
func (t Trial) containers() []corev1.Container {
	all := slices.Concat(t.Pod.Spec.Containers, t.Pod.Spec.InitContainers)
	for _, p := range t.Companions {
		all = slices.Concat(all, p.Spec.Containers, p.Spec.InitContainers)
	}
	return all
}

// container returns one of the trial's containers by name, nil when there is none.
func (t Trial) container(name string) *corev1.Container {
	all := t.containers()
	i := slices.IndexFunc(all, func(c corev1.Container) bool { return c.Name == name })
	if i < 0 {
		return nil
	}
	return &all[i]
}

// LongestPeriod is the longest periodSeconds of the trial's probes, 0 where it has none.
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

// podOf is the pod that a container belongs to: the trial's Pod unless it is a companion's.
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

// Unsupported says why the trial has no meaning on a kubelet, empty when it has.
func (t Trial) Unsupported(k formula.Kubelet) string { return lacks(k, t.Needs) }

func lacks(k formula.Kubelet, needs []formula.Change) string {
	for _, n := range needs {
		if why := k.Lacks(n); why != "" {
			return why
		}
	}
	return ""
}
