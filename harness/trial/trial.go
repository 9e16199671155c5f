// Package trial says what a trial is, and judges it.
//
// A Trial is a value: an ID, a pod, what is done to it, and the claims its timeline must meet. Judging compares each claim's
// measured value with the windows that package formula derives, and ends in a verdict. Nothing here waits, polls or talks to a
// cluster, so the same trial serves a run, the judging of a saved run, and the catalogue's documentation.
package trial

import (
	"fmt"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/podclock/podclock/harness/formula"
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
	// Cues are what the harness does to the pod, in order; none where the victim's own behaviour is the cue.
	Cues []Cue
	// Killed is why the containers die. With a delete among the cues it is formula.ByDelete for the life that the delete ends.
	Killed formula.Cause
	// Obeys says that the victim exits on SIGTERM, after OwnDelay with OwnExitCode; otherwise it ignores the signal.
	Obeys       bool
	OwnDelay    time.Duration
	OwnExitCode int
	// Lasts is how long the trial is expected to take from its pod's start to its last fact.
	Lasts time.Duration
	// Claims are what must be true of the timeline.
	Claims []Claim
}

// Area is the first part of the ID.
func (t Trial) Area() string {
	area, _, _ := strings.Cut(t.ID, "/")
	return area
}

// Bound is how long after the start of its containers a trial is given up: twice what it should take, and half a minute.
func (t Trial) Bound() time.Duration { return 2*t.Lasts + 30*time.Second }

// Action is what a cue does.
type Action string

const (
	// DeletePod sends a DELETE of the pod.
	DeletePod Action = "delete"
)

// Cue is one thing the harness does to the pod.
type Cue struct {
	Action Action
	// GracePeriodSeconds is the option of a delete, nil for none.
	GracePeriodSeconds *int64
	// After is how long after the last of the pod's containers started its first life the cue comes.
	After time.Duration
}

// settle is how long a pod is left alone before a cue, so that its kubelet has a pod status newer than its last sync.
const settle = 3 * time.Second

// Delete is the cue that deletes the pod with no option.
func Delete() Cue { return Cue{Action: DeletePod, After: settle} }

// DeleteWithin is the cue that deletes the pod with gracePeriodSeconds.
func DeleteWithin(gracePeriodSeconds int64) Cue {
	return Cue{Action: DeletePod, GracePeriodSeconds: &gracePeriodSeconds, After: settle}
}

// Claim is one sentence that can be measured.
type Claim struct {
	// Measure says what is measured.
	Measure Measure
	// Formula predicts it.
	Formula formula.Formula
	// Rivals are wrong predictions that make a deviation a diagnosis.
	Rivals []formula.Rival
}

// ID names the claim within its trial. It is stable.
func (c Claim) ID() string { return c.Measure.String() }

// Check says what is wrong with a trial as a value, nil when nothing is. The catalogue's own test calls it for every trial.
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
		return fmt.Errorf("trial %s: its pod does not say terminationGracePeriodSeconds; write the API's default of 30 if it is meant", t.ID)
	case t.Lasts <= 0:
		return fmt.Errorf("trial %s: it does not say how long it lasts", t.ID)
	case len(t.Claims) == 0:
		return fmt.Errorf("trial %s: it claims nothing", t.ID)
	}
	for _, c := range t.Claims {
		if c.Formula.Implemented == nil {
			return fmt.Errorf("trial %s: claim %s has no formula", t.ID, c.ID())
		}
		if seen[c.ID()] {
			return fmt.Errorf("trial %s: two claims measure %s", t.ID, c.ID())
		}
		seen[c.ID()] = true
		for _, container := range []string{c.Measure.container(), c.Measure.From.container} {
			if container != "" && t.container(container) == nil {
				return fmt.Errorf("trial %s: claim %s speaks of container %s, which the pod has not", t.ID, c.ID(), container)
			}
		}
	}
	return nil
}

// container returns one of the pod's containers by name, nil when there is none.
func (t Trial) container(name string) *corev1.Container {
	for i := range t.Pod.Spec.Containers {
		if t.Pod.Spec.Containers[i].Name == name {
			return &t.Pod.Spec.Containers[i]
		}
	}
	return nil
}
