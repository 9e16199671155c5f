package trial

import (
	"fmt"
	"strings"
)

// Check returns what is wrong with the trial as a value, or nil.
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
			"trial %s: its pod has no terminationGracePeriodSeconds; write 30 for the API's default",
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

// checkCues returns what is wrong with the cues, or nil.
func (t Trial) checkCues() error {
	tunes := 0
	for i, c := range t.Cues {
		if c.Action == TuneKubelet {
			tunes++
		}
		if why := t.checkCue(c, tunes); why != "" {
			return fmt.Errorf("trial %s: cue %d (%s) %s", t.ID, i+1, c.Action, why)
		}
	}
	return nil
}

// checkCue returns what is wrong with a cue, or "". Tunes counts the cues so far that tune the kubelet.
func (t Trial) checkCue(c Cue, tunes int) string {
	switch {
	case c.Action.is(restarts) && t.Worker == nil:
		return "disturbs the node, so the trial needs a worker of its own"
	case c.Action.is(disturbances) && (t.Worker == nil || !t.Worker.Alone):
		return "disturbs other trials, so the trial's worker must run them alone"
	case c.Action == TuneKubelet && t.Worker.Tuned():
		return "tunes a worker that is tuned already"
	case tunes > 1:
		return "tunes the kubelet a second time: put all changes into one patch"
	case c.Action == CreatePod && t.companion(c.Pod) == nil:
		return fmt.Sprintf("creates pod %q, which is none of the trial's companions", c.Pod)
	case c.Action == BindPod && !t.Unscheduled:
		return "binds a pod that has a node from the beginning: make the trial Unscheduled"
	case c.Refused && !c.Action.is(refusable):
		return "has no refusal that could be expected"
	}
	return ""
}
