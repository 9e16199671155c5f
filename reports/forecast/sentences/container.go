package sentences

import (
	"slices"
	"strings"

	"github.com/podclock/podclock/harness/formula"
	"github.com/podclock/podclock/harness/predict"
)

// Crashing says under which assumption a crash loop goes on, and what ends it.
func Crashing(c predict.Container) string {
	t := crashLoop(c)
	return "If " + listed(t.Assumes.Says, t.Ends)
}

// Looping says under which assumption a probe's loop goes on, and what ends it.
func Looping(c predict.Container, loop predict.ProbeLoop) string {
	i := slices.IndexFunc(c.Timelines, func(t predict.Timeline) bool {
		return t.Cause == predict.Looping && t.Variant == loop.Probe
	})
	if i < 0 {
		return "If the probe fails from every start on"
	}
	return "If " + listed(c.Timelines[i].Assumes.Says, c.Timelines[i].Ends)
}

// crashLoop returns the timeline of a container's crash loop.
func crashLoop(c predict.Container) (loop predict.Timeline) {
	for _, t := range c.Timelines {
		if t.Cause == predict.Crashing {
			loop = t // the loop is the last of them
		}
	}
	return loop
}

// Hook says what of a kill's grace period the preStop hook takes, or "" without a hook.
func Hook(c predict.Container) string {
	if c.Hook == formula.NoHook {
		return ""
	}
	var inside, outside, never []string
	for _, k := range c.Answers.Kills {
		name := Event{k.Cause, k.Variant}.String()
		switch {
		case !k.HookRuns:
			never = append(never, name)
		case k.HookInside:
			inside = append(inside, name)
		default:
			outside = append(outside, name)
		}
	}
	var parts []string
	if len(inside) > 0 {
		says := "Its time is part of the grace period"
		if len(outside)+len(never) > 0 {
			says += " (" + strings.Join(inside, ", ") + ")"
		}
		parts = append(parts, says+".")
	}
	if len(outside) > 0 {
		parts = append(parts, "The whole grace period begins again after it ("+strings.Join(outside, ", ")+").")
	}
	if len(never) > 0 {
		parts = append(parts, "It is not run at all ("+strings.Join(never, ", ")+").")
	}
	return strings.Join(parts, " ")
}
