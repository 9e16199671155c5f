package sentences

import (
	"github.com/podclock/podclock/harness/predict"
	"github.com/podclock/podclock/harness/rules/formula"
	"github.com/podclock/podclock/harness/rules/lifecycle"
)

// Has says how long a workload's main containers have after a delete, in a few words. It is empty if nothing is
// predicted.
func Has(w predict.Prediction) string {
	k := w.MainKills.Of(formula.ByDelete, "")
	switch {
	case k == nil:
		return ""
	case k.SIGKILL == nil:
		return "exits before SIGKILL, " + Span(outward(k.Dead)) + " after the delete"
	case k.HookInside:
		return Span(outward(*k.SIGKILL)) + " until SIGKILL, the preStop hook included"
	}
	return Span(outward(*k.SIGKILL)) + " until SIGKILL"
}

// Happens says what an event does to a workload's containers, or "" if it kills and starts nothing.
func Happens(w predict.Prediction, e Event) string {
	return each(w, func(c predict.Container) string { return happens(c, e) })
}

func happens(c predict.Container, e Event) string {
	if e.Cause == predict.Crashing {
		return crashLoopText(c, len(c.Answers.CrashLoop))
	}
	var says string
	if c.Answers.Kills.Of(e.Cause, e.Variant) != nil {
		says = killText(c, e)
	}
	var again *predict.Span
	for _, t := range c.Timelines {
		for _, s := range t.Steps {
			if (Event{t.Cause, t.Variant}) == e && s.Life == 2 && s.Point == lifecycle.Started {
				again = predict.Over(again, s.At)
			}
		}
	}
	if again != nil {
		says = listed(says, "started again "+when(*again))
	}
	return says
}
