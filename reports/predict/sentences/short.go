package sentences

import (
	"slices"
	"strings"

	"github.com/podclock/podclock/harness/predict"
	"github.com/podclock/podclock/harness/rules/formula"
	"github.com/podclock/podclock/harness/rules/podspec"
)

// Short answers what an application developer asks first about a workload, in a line of 80 columns if possible. Its
// times are rounded outwards, and one window holds for all containers of a kill. [All] has each container's exact
// windows, what is left out here, and the other questions.
func Short(w predict.Prediction) []Sentence {
	if w.NotCovered != "" {
		return nil
	}
	job, _ := jobText(w)
	loops := each(w, func(c predict.Container) string { return crashLoopText(c, 4) })
	return answered(
		Sentence{"Job", job},
		Sentence{"Delete", killShort(w, Event{Cause: formula.ByDelete})},
		Sentence{"Traffic", trafficShort(w)},
		Sentence{"Hung", hungShort(w)},
		Sentence{"Ready", listed(readyShort(w), postStartText(w), deadlineText(w))},
		Sentence{"Crash loop", listed(loops, restartAllShort(w))},
		Sentence{"Eviction", evictionShort(w)},
		Sentence{"Drain", drainShort(w)},
		Sentence{"Shutdown", shutdownShort(w)},
		Sentence{"Limits", limitsSay(w)},
	)
}

// killShort is about a kill of the whole pod: of its main containers, and the end of its sidecars if that is later.
func killShort(w predict.Prediction, e Event) string {
	k := w.MainKills.Of(e.Cause, e.Variant)
	if k == nil {
		return "never"
	}
	says, sidecars := "SIGTERM "+when(outward(k.SIGTERM)), ""
	if k.SIGKILL == nil {
		says += "; " + exitsInTime
	} else {
		says += ", SIGKILL " + when(outward(*k.SIGKILL)) + " if alive"
	}
	if last := outward(w.Kills.Of(e.Cause, e.Variant).Dead).Latest; last > outward(k.Dead).Latest {
		sidecars = "sidecars are dead by " + Span(predict.Span{Earliest: last, Latest: last})
	}
	return listed(says, sidecars)
}

// killAfter is about a kill of the whole pod, counted from an event that has a name.
func killAfter(w predict.Prediction, e Event, zero string) string {
	k := w.Kills.Of(e.Cause, e.Variant)
	switch {
	case k == nil:
		return "never"
	case k.SIGKILL == nil:
		return "SIGTERM " + Span(outward(k.SIGTERM)) + " after " + zero + "; " + exitsInTime
	}
	return "SIGTERM " + Span(outward(k.SIGTERM)) + ", SIGKILL " + Span(outward(*k.SIGKILL)) + " after " + zero
}

// deadlineText is about a pod that its own activeDeadlineSeconds ends.
func deadlineText(w predict.Prediction) string {
	k := w.Kills.Of(formula.ByDeadline, "")
	if k == nil {
		return ""
	}
	return "the deadline ends it after " + Span(outward(k.SIGTERM))
}

func evictionShort(w predict.Prediction) string {
	if w.Kills.Of(formula.ByHardEviction, "") == nil {
		return neverEvicted
	}
	says := killAfter(w, Event{Cause: formula.ByHardEviction}, "memory runs low")
	if softEviction(w) {
		return listed(says, "at a soft threshold, "+killShort(w, Event{Cause: formula.BySoftEviction}))
	}
	return says
}

func shutdownShort(w predict.Prediction) string {
	if len(w.Kubelet.ShutdownGroups) == 0 {
		return ""
	}
	return listed(killAfter(w, Event{Cause: formula.ByShutdown}, "the announcement"), assumedClass(w))
}

// hungShort includes containers that hang together, and one that hangs from its start on.
func hungShort(w predict.Prediction) string {
	const restarted, stopped = "restarted after ", "stopped after "
	// hangs returns what follows if a container's probe fails. With a liveness probe, it was healthy before.
	hangs := func(c predict.Container, probe string) (verb string, at *predict.Span) {
		for _, r := range c.Answers.Restarts {
			switch {
			case r.Probe != probe || probe == podspec.Liveness && r.From == predict.FromStart:
			case r.Restarted == nil:
				verb, at = stopped, predict.Over(at, r.Signalled)
			default:
				verb, at = restarted, predict.Over(at, *r.Restarted)
			}
		}
		return verb, at
	}
	healthy, starting, who := map[string]bool{}, map[string]*predict.Span{}, map[string][]string{}
	probed, together := 0, false
	for _, c := range answering(w) {
		if verb, at := hangs(c, podspec.Liveness); at != nil {
			healthy[verb] = true
			probed++
		}
		if verb, at := hangs(c, podspec.Startup); at != nil {
			starting[verb], who[verb] = predict.Over(starting[verb], *at), append(who[verb], c.Name)
		}
		together = together || slices.ContainsFunc(c.Answers.Restarts,
			func(r predict.ProbeRestart) bool { return r.From == predict.FromFaults })
	}
	says := each(w, func(c predict.Container) string {
		verb, at := hangs(c, podspec.Liveness)
		switch {
		case probed == 0:
			return unrestarted(w, c)
		case at == nil:
			return "no restart"
		}
		return verb + Span(outward(*at))
	})
	if probed > 1 && !together {
		says += ", or later if several hang"
	}
	for _, verb := range []string{restarted, stopped} {
		if at := starting[verb]; at != nil {
			whose := "it"
			if len(answering(w)) > 1 {
				whose = strings.Join(who[verb], " or ")
			}
			if healthy[verb] {
				verb = "after "
			}
			says += "; if " + whose + " never starts, " + verb + Span(outward(*at))
		}
	}
	return says
}

// readyShort is about the pod. It is empty for a Job's pod without probes, for which no Service waits.
func readyShort(w predict.Prediction) string {
	if never := neverReady(w); never != "" {
		return never
	}
	probed := slices.ContainsFunc(answering(w), func(c predict.Container) bool {
		spec := podspec.Container(w.Pod, c.Name)
		return spec.ReadinessProbe != nil || spec.StartupProbe != nil
	})
	switch {
	case !probed && w.Job != nil:
		return ""
	case !probed:
		return unprobed(w)
	case w.PastDeadline:
		return "never"
	}
	ready := outward(*w.Ready)
	says := Span(ready) + " after its start"
	if ready.Earliest == 0 {
		says = when(ready) + " of its start"
	}
	if w.Unready != nil {
		says += "; not ready " + Span(outward(*w.Unready)) + " after it hangs"
	}
	return says
}

func drainShort(w predict.Prediction) string {
	says, pods := "as a delete, when budgets allow", w.AllPods
	switch {
	case w.Owner == "DaemonSet":
		return leftAlone + needs(w)
	case pods == nil || pods.Drain == nil:
	case len(w.Budgets) > 1:
		return "never: several PodDisruptionBudgets select the pods"
	case w.Budgets[0].Blocks != "":
		return "never: PodDisruptionBudget " + w.Budgets[0].Name + " blocks it"
	case pods.Drain.Never != "":
		return "never, because " + pods.Drain.Never
	default:
		says = drainedShort(pods.Drain, w.Budgets[0])
	}
	return listed(says, needs(w))
}

// restartAllShort is about ends that restart all containers of the pod.
func restartAllShort(w predict.Prediction) string {
	switch ends := w.RestartAll; len(ends) {
	case 0:
		return ""
	case 1:
		return "each " + ends[0] + " restarts all containers"
	default:
		return Count(len(ends), "restart rule") + " restart all containers"
	}
}
