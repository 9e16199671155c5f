package trial

import (
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/podclock/podclock/harness/measure/calls"
	"github.com/podclock/podclock/harness/measure/event"
	"github.com/podclock/podclock/harness/measure/status"
	"github.com/podclock/podclock/harness/measure/timeline"
	"github.com/podclock/podclock/harness/rules/formula"
)

// Recorded returns the trial's claims without those on companions that joined the trial after the evidence was saved.
func (t Trial) Recorded(tl *timeline.Timeline) []Claim {
	unknown := func(container string) bool {
		return slices.ContainsFunc(t.First()[1:], func(companion string) bool {
			return len(tl.API) > 0 && Created(companion).In(tl) == nil && t.PodOf(container) == t.Companion(companion)
		})
	}
	return slices.DeleteFunc(slices.Clone(t.Claims), func(c Claim) bool {
		m := c.Measure
		return unknown(m.Container()) || m.counted == ended && unknown(m.kind)
	})
}

// Standing returns the claims of every trial: that its containers start and its Pod is shown as running, that the
// kubelet kills, restarts and evicts only with a cause, and that none of its reports contradicts the marks. It leaves
// out those without evidence.
func (t Trial) Standing(tl *timeline.Timeline) []Claim {
	all := []Claim{
		{Measure: misreports(timeline.EndShown), Formula: formula.EndsReported},
		{Measure: misreports(timeline.EndDated), Formula: formula.EndsDated},
		{Measure: misreports(timeline.ExitCodeShown), Formula: formula.ExitCodesReported},
		{Measure: misreports(timeline.FailureCounted), Formula: formula.FailuresCounted},
	}
	if !t.evicts() && !(t.has(RemoveContainer) && t.has(FailCalls)) {
		all = append(all, Claim{
			Measure: misreports(timeline.EndLost), Formula: formula.EndsKnown,
			Needs: []formula.Change{formula.TerminalPhaseLast},
		})
	}
	if t.has(RebootNode) { // a container that the runtime finds dead has no exit code and no time of its own
		all = slices.DeleteFunc(all, func(c Claim) bool {
			return c.Measure.report == timeline.EndDated || c.Measure.report == timeline.ExitCodeShown
		})
	}
	all = slices.DeleteFunc(all, func(c Claim) bool { return tl.Compared[c.Measure.report] == 0 })
	return slices.Concat(t.starts(tl), t.runs(tl), t.uncaused(tl), all, t.reports(tl))
}

// sizes are the resources that faults gave to the containers of a pod, by name.
func (t Trial) sizes(pod string, tl *timeline.Timeline) map[string][]corev1.ResourceRequirements {
	all := map[string][]corev1.ResourceRequirements{}
	for i, f := range t.Faults {
		if f.Action == ResizePod && !f.Refused && f.Pod == pod && i < len(tl.Faults) {
			for name, resources := range f.Resources {
				all[name] = append(all[name], resources)
			}
		}
	}
	return all
}

// reports returns the claims that what the kubelet shows and asks for agrees with itself, with each pod's
// specification, and with its containers' lives: statuses, events and calls.
func (t Trial) reports(tl *timeline.Timeline) (claims []Claim) {
	checked := timeline.NewChecked()
	shared := firstFault(tl, append([]Action{RecreatePod, PlaceManifest, RemoveManifest}, restarts...)...) != nil
	for i, pod := range append([]*corev1.Pod{t.Pod}, t.Companions...) {
		name := pod.Name
		if i == 0 {
			name = ""
		}
		versions := slices.DeleteFunc(slices.Clone(tl.Versions), func(v timeline.Version) bool { return v.Pod != name })
		status.Check(checked, &pod.Spec, versions)
		event.Check(checked, event.Pod{
			Spec: &pod.Spec, Life: tl.Life, Known: tl.Known, Alone: !shared, Versions: versions,
			Events: slices.DeleteFunc(slices.Clone(tl.Events), func(e timeline.Event) bool { return e.Pod != name }),
		})
		of := calls.Pod{
			Pod: pod, Static: t.Static && i == 0, Evicted: t.evicts(), Versions: versions, Lives: tl.Lives,
			Sizes: t.sizes(name, tl),
		}
		calls.Check(checked, of, slices.DeleteFunc(slices.Clone(tl.Calls), func(c timeline.Call) bool {
			return c.Pod != name
		}))
	}
	// Older kubelets may show an ended pod as ready (kubernetes#108594), and others made its last status.
	finished := []formula.Change{formula.FinishedDeletes}
	for _, c := range []struct {
		report timeline.Report
		holds  formula.Formula
		needs  []formula.Change
	}{
		{status.Containers, formula.ContainersReported, nil}, {status.LastEnds, formula.LastEndsReported, nil},
		{status.Conditions, formula.ConditionsReported, finished},
		{status.Transitions, formula.TransitionsReported, nil}, {status.Phases, formula.PhasesReported, finished},
		{status.PhasesAgain, formula.PhasesAgainReported, []formula.Change{formula.PendingAgain}},
		{status.Addresses, formula.AddressesReported, nil}, {status.Class, formula.ClassReported, nil},
		{status.Generations, formula.GenerationsReported, nil},
		{status.Reasons, formula.EndReasonsReported, finished}, {status.Waits, formula.WaitsReported, nil},
		{status.Disruptions, formula.DisruptionsReported, []formula.Change{
			formula.FinishedDeletes, formula.DisruptionConditions, formula.PreemptionCondition,
		}},
		{status.Sandboxes, formula.SandboxesReported, []formula.Change{formula.SandboxCondition}},
		{status.KeptEnds, formula.EndsKept, []formula.Change{formula.RestartAll}},
		{status.Resources, formula.ResourcesReported, []formula.Change{formula.InPlaceResize}},
		{status.Server, formula.ServerReported, nil},
		{event.Forms, formula.EventsFormed, nil}, {event.Order, formula.EventsOrdered, nil},
		{event.Lives, formula.LivesReported, nil}, {event.States, formula.FailuresReported, nil},
		{calls.Sandboxes, formula.SandboxesConfigured, nil}, {calls.Containers, formula.ContainersConfigured, nil},
		{calls.Resizes, formula.ContainersResized, nil},
		{calls.Limits, formula.LimitsFit, []formula.Change{formula.StartsResizePods}},
		{calls.Orders, formula.CallsOrdered, nil}, {calls.Writes, formula.ObjectsWritten, nil},
	} {
		if checked.Count[c.report] > 0 {
			wrong := checked.Wrong[c.report]
			m := misreports(c.report)
			m.found = &wrong
			claims = append(claims, Claim{Measure: m, Formula: c.holds, Needs: c.needs})
		}
	}
	return claims
}

// runs returns the claim that the API shows the Pod as running, if its one container outlives the longest window.
func (t Trial) runs(tl *timeline.Timeline) []Claim {
	all := containersOf(t.Pod)
	if len(tl.API) == 0 || len(all) > 1 || all[0].Lifecycle != nil && all[0].Lifecycle.PostStart != nil {
		return nil
	}
	from := Started.Of(all[0].Name)
	life := tl.Life(from.Container, 1)
	if life == nil || life.Started == nil {
		return nil
	}
	at := life.Started.At + formula.RunningShown.Implemented(formula.Input{}).Latest
	if tl.Known < at || came(life.Gone, at) {
		return nil
	}
	return []Claim{{Measure: Between(from, Phase(string(corev1.PodRunning))), Formula: formula.RunningShown}}
}

// misreports counts the reports of a kind that the marks contradict.
func misreports(r timeline.Report) Measure { return Measure{counted: counted("false-" + r), report: r} }

// OfReports reports whether the measure counts misreports, or what has no cause.
func (m Measure) OfReports() bool { return m.report != "" || m.found != nil }

// Follows reports whether the measure counts reports that contradict the status, the specification or other reports.
func (m Measure) Follows() bool { return m.report != "" && m.found != nil }

func (m Measure) misreports(t *timeline.Timeline) (all []timeline.Misreport) {
	if m.found != nil {
		return *m.found
	}
	for _, wrong := range t.Misreports {
		if wrong.Report == m.report {
			all = append(all, wrong)
		}
	}
	return all
}

// Misreport returns the first one that the measure counts, or "".
func (m Measure) Misreport(t *timeline.Timeline) string {
	if all := m.misreports(t); len(all) > 0 {
		return all[0].Why
	}
	return ""
}
