package predict

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/podclock/podclock/harness/formula"
)

// assumptions are those under which a kill is predicted. Open says that a hook is run of which nobody knows
// how long it takes.
func (o Options) assumptions(open bool) []Assumption {
	processes := []Assumption{{Obeys: true}, {}}
	if o.ExitsAfter != nil {
		processes = []Assumption{{Obeys: true, ExitsAfter: *o.ExitsAfter}}
	}
	all := slices.Clone(processes)
	if open {
		// one that exits at once after a hook that hangs is neither the shortest nor the longest
		hanging := processes[len(processes)-1]
		hanging.HookHangs = true
		all = append(all, hanging)
	}
	return all
}

// named gives assumptions their names: whoever dies soonest is first, whoever dies last, last.
func named(all []Assumption) []Assumption {
	for i := range all {
		all[i].Name = cmp.Or(all[i].Name, "grace-used")
	}
	all[0].Name, all[len(all)-1].Name = "shortest", "longest"
	if len(all) == 1 {
		all[0].Name = "told"
	}
	return all
}

// open says whether a kill runs a hook of which nobody knows how long it takes: neither its spec tells, nor the user.
func (s scene) open(in formula.Input) bool {
	_, told := s.hookTakes(in)
	return !told
}

// hookTakes is how long the hook that a kill runs takes at least, and whether it takes no longer.
func (s scene) hookTakes(in formula.Input) (least time.Duration, told bool) {
	switch {
	case !in.RunsHook():
		return 0, true
	case in.Kill.Hook == formula.SleepHook:
		return in.Kill.HookElapsed.Low, true
	case s.options.HookTakes != nil:
		return *s.options.HookTakes, true
	}
	return hookTakes(s.spec)
}

// assume is an assumption as far as it says something of the container: its hook may be told.
func (s scene) assume(in formula.Input, asked Assumption) Assumption {
	own := asked
	if in.Kill.Cause == "" {
		return own // nothing is killed
	}
	least, told := s.hookTakes(in)
	own.HookTakes, own.HookHangs = 0, asked.HookHangs && !told
	if told && in.Kill.Hook != formula.SleepHook || !told && !own.HookHangs {
		own.HookTakes = least
	}
	if own.Says == "" {
		own.Says = s.words(in, own)
	}
	return own
}

// words is an assumption as a sentence.
func (s scene) words(in formula.Input, a Assumption) string {
	var parts []string
	if in.Kill.Cause == formula.ByLiveness || in.Kill.Cause == formula.ByStartup {
		parts = append(parts, "the probe fails at once")
		if a.ProbeHangs {
			parts[0] = fmt.Sprintf(
				"the probe is not answered within its timeout of %s",
				short(whole(int64(in.Probe.TimeoutSeconds))),
			)
		}
	}
	switch {
	case !in.RunsHook() || in.Kill.Hook == formula.SleepHook:
	case a.HookHangs:
		parts = append(parts, "the preStop hook hangs")
	case a.HookTakes == 0:
		parts = append(parts, "the preStop hook returns at once")
	default:
		parts = append(parts, "the preStop hook takes "+short(a.HookTakes))
	}
	switch {
	case !a.Obeys:
		parts = append(parts, "the process ignores SIGTERM")
	case a.ExitsAfter == 0:
		parts = append(parts, "the process exits on SIGTERM at once")
	default:
		parts = append(parts, fmt.Sprintf("the process exits %s after SIGTERM", short(a.ExitsAfter)))
	}
	says := strings.Join(parts, "; ")
	switch {
	case a.OthersObey:
		says += "; the containers that it waits for exit on SIGTERM at once"
	case s.role == Sidecar && killsPod(in.Kill.Cause):
		says += "; and so for the containers that it waits for"
	}
	return says
}

// hookElapsed bounds what the kubelet will measure as the time of a hook: its start and its return come on
// top of what it takes by itself.
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

// killsPod says whether a cause kills the whole pod, not one container of it.
func killsPod(cause formula.Cause) bool {
	switch cause {
	case formula.ByLiveness, formula.ByStartup, formula.ByPostStart, formula.ByChange:
		return false
	}
	return true
}

// assumed are the lines of a kill, one for each assumption that the kill allows.
func (s scene) assumed(a about, draw func(*line)) []*line {
	open := s.open(s.input(a))
	if s.role != Sidecar || !killsPod(a.kill) {
		return s.lines(a, s.options.assumptions(open), draw)
	}
	for _, other := range s.others() { // whose hooks keep it waiting
		open = open || other.open(other.input(a))
	}
	all := s.options.assumptions(open)
	if s.options.ExitsAfter == nil {
		all = slices.Insert(all, 1, Assumption{Name: "others-obey", OthersObey: true})
	}
	return s.lines(a, all, draw)
}

// failing are the lines of a probe's kill: with a probe that fails at once, but that the longest is never answered.
func (s scene) failing(a about, draw func(*line)) []*line {
	open := s.open(s.input(a))
	all := s.options.assumptions(open)
	if !open {
		all = append(all, all[len(all)-1])
	}
	all[len(all)-1].ProbeHangs = true
	return s.lines(a, all, draw)
}

func (s scene) lines(a about, assumptions []Assumption, draw func(*line)) []*line {
	all := make([]*line, len(assumptions))
	for i, asked := range named(assumptions) {
		all[i] = s.line(a, asked)
		draw(all[i])
	}
	return all
}
