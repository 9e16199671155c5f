package trial

import (
	"fmt"
	"strings"
)

// Check returns what is wrong with the trial as a value, or nil.
func (t Trial) Check() error {
	for _, check := range []func() string{t.checkFields, t.checkClaims, t.checkFaults} {
		if why := check(); why != "" {
			return fmt.Errorf("trial %s: %s", t.ID, why)
		}
	}
	return nil
}

func (t Trial) checkFields() string {
	switch {
	case t.Area() == t.ID || strings.ToLower(t.ID) != t.ID || strings.ContainsAny(t.ID, " _"):
		return "the ID must be area/what, in lower case with dashes"
	case t.About == "":
		return "About is empty"
	case t.Pod == nil || len(t.Pod.Spec.Containers) == 0:
		return "the Pod has no container"
	case t.Lasts <= 0:
		return "Lasts is not positive"
	case len(t.Claims) == 0:
		return "there are no claims"
	case t.Static && t.Worker == nil:
		return "the Pod is static, a file on its node, so the trial needs a worker of its own"
	case t.Service != nil && (t.Worker == nil || t.Worker.Proxy == ""):
		return "no kube-proxy routes the Service, so the trial needs a worker with one"
	case t.Worker != nil && t.Worker.Proxy != "" && t.Worker.TunesKubelet():
		return "the worker has a kube-proxy, so its kubelet can't be tuned"
	case t.Service != nil && t.NodeOnly == "":
		return "a virtual node has no network, so a trial with a Service is for real nodes only"
	case t.Job != nil && t.NodeOnly == "":
		return "a virtual node has no Job controller, so a trial with a Job is for real nodes only"
	}
	return ""
}

func (t Trial) checkClaims() string {
	seen := map[string]bool{}
	for _, c := range t.containers() {
		if seen[c.Name] {
			return "two containers are named " + c.Name
		}
		seen[c.Name] = true
	}
	for _, c := range t.Claims {
		switch {
		case c.Formula.Implemented == nil:
			return "claim " + c.ID() + " has no formula"
		case seen[c.ID()]:
			return "two claims measure " + c.ID()
		}
		seen[c.ID()] = true
		for _, container := range []string{c.Measure.Container(), c.Measure.From.Container} {
			if container != "" && t.container(container) == nil {
				return fmt.Sprintf("claim %s is about container %s, which no pod has", c.ID(), container)
			}
		}
	}
	return ""
}

func (t Trial) checkFaults() string {
	tunes := 0
	for i, c := range t.Faults {
		if c.Action == TuneKubelet {
			tunes++
		}
		if why := t.checkFault(c, tunes); why != "" {
			return fmt.Sprintf("fault %d (%s) %s", i+1, c.Action, why)
		}
	}
	return ""
}

// checkFault checks one fault. tunes counts the faults so far that tune the kubelet.
func (t Trial) checkFault(c Fault, tunes int) string {
	switch {
	case c.Action.is(restarts) && t.Worker == nil:
		return "disturbs the node, so the trial needs a worker of its own"
	case c.Action.is(disturbances) && (t.Worker == nil || !t.Worker.Alone):
		return "disturbs other trials, so the trial's worker must run them alone"
	case c.Action == TuneKubelet && t.Worker.Tuned():
		return "tunes a worker that is tuned already"
	case tunes > 1:
		return "tunes the kubelet a second time: put all changes into one patch"
	case c.Action == CreatePod && t.Companion(c.Pod) == nil:
		return fmt.Sprintf("creates pod %q, which is none of the trial's companions", c.Pod)
	case c.Action == PlaceManifest && c.Pod != "" && t.Companion(c.Pod) == nil:
		return fmt.Sprintf("places pod %q, which is none of the trial's companions", c.Pod)
	case c.Action == PlaceManifest && !t.Static:
		return "places the file of a pod that is not static"
	case c.Action == ResizePod:
		return t.checkResize(c)
	case c.Action == FailCalls && c.Call == "":
		return "names no call"
	case c.Action == CutOff && c.For <= 0:
		return "does not say for how long"
	case c.Action == RemoveContainer && t.container(c.Container) == nil:
		return fmt.Sprintf("removes container %q, which no pod has", c.Container)
	case c.Action == BindPod && !t.Unscheduled:
		return "binds a pod that has a node from the beginning: make the trial Unscheduled"
	case c.Refused && !c.Action.is(refusable):
		return "has no refusal that could be expected"
	}
	return ""
}

func (t Trial) checkResize(c Fault) string {
	pod := t.Pod
	if c.Pod != "" {
		pod = t.Companion(c.Pod)
	}
	if pod == nil {
		return fmt.Sprintf("resizes pod %q, which is none of the trial's companions", c.Pod)
	}
	if len(c.Resources) == 0 {
		return "resizes nothing"
	}
	for name := range c.Resources {
		if name != "" && find(containersOf(pod), name) == nil {
			return fmt.Sprintf("resizes container %q, which the pod has not", name)
		}
	}
	return ""
}
