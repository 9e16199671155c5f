package sentences

import (
	"strings"

	"github.com/podclock/podclock/harness/predict"
	"github.com/podclock/podclock/harness/rules/formula"
)

// Crashing says under which assumption a crash loop goes on, and what ends it.
func Crashing(c predict.Container) string {
	return "If " + listed(c.Answers.Crash.Assumes.Description, c.Answers.Crash.Ends)
}

// Looping says under which assumption a probe's loop goes on, and what ends it.
func Looping(loop predict.ProbeLoop) string {
	return "If " + listed(loop.Timeline.Assumes.Description, loop.Timeline.Ends)
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
	parts = append(parts, "It is not run before an end without the kubelet: an exit, a crash, or out of memory.")
	return strings.Join(parts, " ")
}
