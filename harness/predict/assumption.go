package predict

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/podclock/podclock/harness/predict/effective"
	"github.com/podclock/podclock/harness/predict/findings"
	"github.com/podclock/podclock/harness/predict/preset"
	"github.com/podclock/podclock/harness/rules/formula"
)

// Options are facts beyond the manifest and the kubelet. Without one, predictions contain the shortest and the
// longest case.
type Options struct {
	// GracePeriodSeconds are options of further delete requests.
	GracePeriodSeconds []int64
	// HookTakes is the duration of preStop hooks that do more than sleep. By default they may return at once or
	// hang.
	HookTakes *time.Duration
	// ExitsAfter is the time from SIGTERM to the exit. By default processes may exit at once or ignore the signal.
	ExitsAfter *time.Duration
	// RunsFor is the duration of a crashing container's lives.
	RunsFor time.Duration
	// Presets are the limits of the nodes that the user chose.
	Presets []preset.Preset
	// Findings is what the user wants of findings.
	Findings findings.Policy
}

// assumptions returns the cases of a kill; open is set if it runs a hook of unknown duration.
func (o Options) assumptions(open bool) []Assumption {
	all := []Assumption{{Obeys: true}, {}}
	if o.ExitsAfter != nil {
		all = []Assumption{{Obeys: true, ExitsAfter: *o.ExitsAfter}}
	}
	if open {
		// An exit at once after a hook that hangs is neither the shortest nor the longest case.
		hanging := all[len(all)-1]
		hanging.HookHangs = true
		all = append(all, hanging)
	}
	return all
}

// name names assumptions that are ordered by death, the shortest first.
func name(all []Assumption) {
	for i := range all {
		all[i].Name = cmp.Or(all[i].Name, "grace-used")
	}
	all[0].Name, all[len(all)-1].Name = "shortest", "longest"
	if len(all) == 1 {
		all[0].Name = "told"
	}
}

// hookTakes returns the shortest duration of a kill's hook, and whether it is exact.
func (o Options) hookTakes(c *corev1.Container, in formula.Input) (least time.Duration, exact bool) {
	switch {
	case !in.RunsHook():
		return 0, true
	case in.Kill.Hook == formula.SleepHook:
		return in.Kill.HookElapsed.Low, true
	case o.HookTakes != nil:
		return *o.HookTakes, true
	}
	return effective.HookTakes(c)
}

// assumed returns what an assumption means for one container, whose hook may have a known duration.
func (o Options) assumed(c effective.Container, in formula.Input, asked Assumption) Assumption {
	own := asked
	if in.Kill.Cause == "" {
		return own // nothing is killed
	}
	least, exact := o.hookTakes(c.Container, in)
	own.HookTakes, own.HookHangs = 0, asked.HookHangs && !exact
	if exact && in.Kill.Hook != formula.SleepHook || !exact && !own.HookHangs {
		own.HookTakes = least
	}
	if own.Description == "" {
		own.Description = own.words(in, c.Role)
	}
	return own
}

func (a Assumption) words(in formula.Input, role effective.Role) string {
	var parts []string
	add := func(format string, args ...any) { parts = append(parts, fmt.Sprintf(format, args...)) }
	if in.Kill.Cause == formula.ByLiveness || in.Kill.Cause == formula.ByStartup {
		if a.ProbeHangs {
			timeout := effective.Seconds(in.Probe.TimeoutSeconds)
			add("the probe is not answered within its timeout of %s", effective.Words(timeout))
		} else {
			add("the probe fails at once")
		}
	}
	switch {
	case !in.RunsHook() || in.Kill.Hook == formula.SleepHook:
	case a.HookHangs:
		add("the preStop hook hangs")
	case a.HookTakes == 0:
		add("the preStop hook returns at once")
	default:
		add("the preStop hook takes %s", effective.Words(a.HookTakes))
	}
	switch {
	case !a.Obeys:
		add("the process ignores SIGTERM")
	case a.ExitsAfter == 0:
		add("the process exits on SIGTERM at once")
	default:
		add("the process exits %s after SIGTERM", effective.Words(a.ExitsAfter))
	}
	switch {
	case a.OthersObey:
		add("the containers that it waits for exit on SIGTERM at once")
	case role == effective.Sidecar && killsPod(in.Kill.Cause):
		add("and so for the containers that it waits for")
	}
	return strings.Join(parts, "; ")
}

// hookElapsed returns the bounds of a hook's duration with its start and return.
func hookElapsed(in formula.Input, own Assumption) formula.Range {
	grace := in.GracePeriod()
	switch {
	case !in.RunsHook():
		return formula.Range{}
	case in.Kill.Hook == formula.SleepHook:
		return in.Kill.HookElapsed
	case own.HookHangs, own.HookTakes >= grace:
		return formula.Range{Low: grace, High: grace}
	}
	start := formula.ExecStart
	if in.Kill.Hook == formula.HTTPHook {
		start = formula.HTTPStart
	}
	return formula.Range{Low: own.HookTakes, High: own.HookTakes + start + formula.HookReturn}
}

// killsPod reports whether a cause ends the pod, so that its sidecars end in turn.
func killsPod(cause formula.Cause) bool {
	alone := []formula.Cause{formula.ByLiveness, formula.ByStartup, formula.ByPostStart, formula.ByChange,
		formula.ByRestartAll}
	return !slices.Contains(alone, cause)
}
