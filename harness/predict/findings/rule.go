package findings

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/podclock/podclock/harness/predict/effective"
	"github.com/podclock/podclock/harness/predict/manifest"
	"github.com/podclock/podclock/harness/predict/preset"
	"github.com/podclock/podclock/harness/predict/replicas"
	"github.com/podclock/podclock/harness/rules/formula"
	"github.com/podclock/podclock/harness/rules/podspec"
)

// Level is how certain it is that a finding is a mistake.
type Level string

const (
	// Error is for a spec that cannot work as its author probably meant.
	Error Level = "error"
	// Warning is for a spec that probably works differently than its author meant, or not always.
	Warning Level = "warning"
	// Note is for a fact that the author may not know.
	Note Level = "note"
)

func (l Level) rank() int { return slices.Index([]Level{Note, Warning, Error}, l) }

// AtLeast reports whether l is as high as other, or higher.
func (l Level) AtLeast(other Level) bool { return l.rank() >= other.rank() }

// Workload is what rules read of a workload.
type Workload struct {
	manifest.Object
	// Pod is the object's, as the kubelet understands it.
	Pod     effective.Pod
	Kubelet formula.Kubelet
	// Budgets and Services are those that select the workload's pods.
	Budgets  []replicas.Budget
	Services []manifest.Service
	// HookTakes is the assumed duration of preStop hooks that do more than sleep, nil if it is not known.
	HookTakes *time.Duration
	// Presets are the limits of the pod's node that the user chose.
	Presets []preset.Preset
}

// Rule is one mistake that a spec can make.
type Rule struct {
	// ID is stable: users ignore rules by it.
	ID string `json:"id"`
	// Level is that of most findings.
	Level       Level  `json:"level"`
	Description string `json:"says"`
	// Fix is what to do, unless a finding has a better one with numbers.
	Fix string `json:"fix"`
	// Example is a pod's spec with such a finding, as YAML, or whole objects.
	Example      string `json:"example"`
	DocumentedAt string `json:"documentedAt"`

	// exactly one is set
	pod, container func(target) []found
}

// hookTakes returns the shortest duration of a container's preStop hook, and whether it is exact.
func (w Workload) hookTakes(c *corev1.Container) (least time.Duration, exact bool) {
	if l := c.Lifecycle; w.HookTakes != nil && l != nil && l.PreStop != nil && l.PreStop.Sleep == nil {
		return *w.HookTakes, true
	}
	return effective.HookTakes(c)
}

// example returns a pod's spec with further fields of its own and of its container.
func example(spec, container string) string {
	text := "containers:\n- name: app\n  image: app:1\n"
	if spec != "" {
		text = spec + "\n" + text
	}
	for line := range strings.Lines(container) {
		text += "  " + strings.TrimRight(line, "\n") + "\n"
	}
	return text
}

type target struct {
	Workload
	container *corev1.Container
	// of the pod's spec, or of the container
	path string
}

// found is what a rule finds. An empty level, fix or page is the rule's own. Of is the object that has the field, if it
// is not the rule's.
type found struct {
	field, says, fix, documentedAt string
	level                          Level
	of                             part
}

// part is an object within a workload.
type part string

const (
	// ofController is the spec of a controller, ofTemplate its pod template. Of a bare pod both are the pod.
	ofController part = ".template.spec"
	ofTemplate   part = ".spec"
)

// report returns one finding about a field below the target's path, with durations in words.
func report(field, format string, args ...any) []found {
	for i, a := range args {
		if d, ok := a.(time.Duration); ok {
			args[i] = effective.Words(d)
		}
	}
	return []found{{field: field, says: fmt.Sprintf(format, args...)}}
}

// fixed adds a fix to findings.
func fixed(all []found, format string, args ...any) []found {
	for i := range all {
		all[i].fix = fmt.Sprintf(format, args...)
	}
	return all
}

// graceFor returns the seconds of the shortest grace period that leaves a process two seconds after a hook.
func graceFor(hook time.Duration) int64 { return int64(math.Ceil(hook.Seconds())) + 2 }

func (w Workload) containers() []target {
	var all []target
	add := func(name string, containers []corev1.Container) {
		for i := range containers {
			path := fmt.Sprintf("%s.%s[%d]", w.PodPath, name, i)
			all = append(all, target{Workload: w, container: &containers[i], path: path})
		}
	}
	add("containers", w.Pod.Spec.Containers)
	add("initContainers", w.Pod.Spec.InitContainers)
	return all
}

func (t target) killed(cause formula.Cause) formula.Input {
	return podspec.Question{Pod: t.Pod.Pod, Container: t.container.Name, Cause: cause}.Input(t.Kubelet)
}

// probed returns the input about the container's probe of a kind, and about its kill.
func (t target) probed(kind string) formula.Input {
	q := podspec.Question{Pod: t.Pod.Pod, Container: t.container.Name, Cause: formula.Cause(kind), Probe: kind}
	return q.Input(t.Kubelet)
}

// probe returns a probe with the API's defaults, if the container has it.
func (t target) probe(kind string) (formula.Probe, bool) {
	p := podspec.ProbeOf(t.container, kind)
	if p == nil {
		return formula.Probe{}, false
	}
	return podspec.Probe(p), true
}

// killedBy returns when a probe that is never answered kills the container after its start: earliest if each probe
// fails at once, latest if each takes its timeout.
func (t target) killedBy(kind string) (earliest, latest time.Duration) {
	w := t.within(kind, &formula.ProbeKills)
	return time.Duration(w.Earliest), time.Duration(w.Latest)
}

// within returns the window of what follows if a probe is never answered: earliest if each probe fails at once, latest
// if each takes its timeout.
func (t target) within(kind string, f *formula.Formula) formula.Window {
	in := t.probed(kind)
	all := f.Implemented(in)
	in.Probe.Takes = effective.Seconds(in.Probe.TimeoutSeconds)
	all.Latest = f.Implemented(in).Latest
	return all
}

func (t target) delay(kind string) time.Duration {
	p, _ := t.probe(kind)
	return effective.Seconds(p.InitialDelaySeconds)
}

func (t target) grace() time.Duration {
	return effective.Seconds(podspec.TerminationGracePeriodSeconds(&t.Pod.Spec))
}

// first returns the first main container, for questions with one answer for all containers.
func (t target) first() target {
	t.container = &t.Pod.Spec.Containers[0]
	return t
}

func given(in formula.Input, takes time.Duration) formula.Input {
	in.Kill.HookElapsed = formula.Range{Low: takes, High: takes}
	return in
}

func left(in formula.Input) string {
	r := in.Left()
	if r.Low == r.High {
		return effective.Words(r.Low)
	}
	return effective.Words(r.Low) + " to " + effective.Words(r.High)
}
