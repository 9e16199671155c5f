package forecast

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/podclock/podclock/harness/formula"
	"github.com/podclock/podclock/harness/manifest"
	"github.com/podclock/podclock/harness/podspec"
	"github.com/podclock/podclock/harness/predict"
	"github.com/podclock/podclock/harness/predict/effective"
	"github.com/podclock/podclock/harness/predict/findings"
	"github.com/podclock/podclock/harness/predict/next"
	"github.com/podclock/podclock/harness/run"
)

const inMinutes = 10 * time.Minute

// span writes a time between two bounds: "20 to 41.7 s", or one number if both are equal.
func span(s predict.Span) string {
	unit, name := time.Second, " s"
	if s.Latest >= inMinutes {
		unit, name = time.Minute, " min"
	}
	earliest, latest := number(s.Earliest, unit), number(s.Latest, unit)
	if unit == time.Minute && s.Earliest >= time.Second && s.Earliest < time.Minute {
		return number(s.Earliest, time.Second) + " s to " + latest + name
	}
	if earliest == latest {
		return latest + name
	}
	return earliest + " to " + latest + name
}

func number(d, unit time.Duration) string {
	n := float64(d) / float64(unit)
	n = math.Round(n*10) / 10
	if math.Abs(n) >= 100 {
		n = math.Round(n)
	}
	return strconv.FormatFloat(n+0, 'f', -1, 64) // + 0 makes 0 of -0
}

// window writes a window in its own unit: "0 to 2.55 s", "3".
func window(w formula.Window) string {
	if w.Unit == formula.Nanoseconds {
		earliest, latest := effective.Words(time.Duration(w.Earliest)), effective.Words(time.Duration(w.Latest))
		if earliest == latest {
			return latest
		}
		return strings.TrimSuffix(earliest, " s") + " to " + latest
	}
	if w.Earliest == w.Latest {
		return w.Unit.Format(w.Latest)
	}
	return fmt.Sprintf("%d to %s", w.Earliest, w.Unit.Format(w.Latest))
}

func documented(w *formula.Window) string {
	if w == nil {
		return "-"
	}
	return window(*w)
}

func address(p predict.Prediction) string {
	if p.Namespace == "" {
		return p.Kind + " " + p.Name
	}
	return p.Kind + " " + p.Namespace + "/" + p.Name
}

// place says where a workload is, with its file if there are several.
func (f Forecast) place(p predict.Prediction) string {
	if p.Where != "" {
		return p.Where
	}
	says := fmt.Sprintf("document %d", p.Document)
	if p.File != f.Manifest {
		says = p.File + ", " + says
	}
	if p.Line > 0 {
		says += fmt.Sprintf(", line %d", p.Line)
	}
	return says
}

func (f Forecast) rules() string {
	says := "by the rules of kubelet " + f.Kubelet.Version
	if slices.ContainsFunc(f.Live, func(g next.Group) bool { return g.Kubelet.Version != f.Kubelet.Version }) {
		says = "by the rules of each pod's kubelet"
	}
	if f.Extrapolated {
		says += ", which are extrapolated: nobody read all rules in the sources of this release (docs/versions.md)"
	}
	return says
}

func (f Forecast) counts() string {
	workloads, containers := 0, 0
	for i, p := range f.Predictions {
		if f.Live != nil && i > 0 && address(p) == address(f.Predictions[i-1]) {
			continue // by other rules
		}
		workloads, containers = workloads+1, containers+len(p.Containers)
	}
	return run.Plural(workloads, "workload") + ", " + run.Plural(containers, "container")
}

// skipped says which objects are not predicted: "Skipped, because they make no pods: 2 ConfigMap."
func skipped(all []manifest.Skipped) string {
	var none, unknown []string
	for _, s := range all {
		part := fmt.Sprintf("%d %s", s.Count, s.Kind)
		if s.Unknown {
			unknown = append(unknown, part)
		} else {
			none = append(none, part)
		}
	}
	var says []string
	if len(none) > 0 {
		says = append(says, "Skipped, because they make no pods: "+strings.Join(none, ", ")+".")
	}
	if len(unknown) > 0 {
		says = append(says, "Skipped, because podclock does not know them, or their pods: "+
			strings.Join(unknown, ", ")+".")
	}
	return strings.Join(says, " ")
}

func tally(all []findings.Finding) string {
	var parts []string
	for _, l := range []findings.Level{findings.Error, findings.Warning, findings.Note} {
		n := 0
		for _, f := range all {
			if f.Level == l {
				n++
			}
		}
		if n > 0 {
			parts = append(parts, run.Plural(n, string(l)))
		}
	}
	if len(parts) == 0 {
		return "nothing found"
	}
	return strings.Join(parts, ", ")
}

func describes(p predict.Prediction, c predict.Container) string {
	parts := []string{
		map[effective.Role]string{effective.Main: "main container", effective.Sidecar: "sidecar",
			effective.Init: "init container"}[c.Role],
	}
	if grace := p.Pod.Spec.TerminationGracePeriodSeconds; grace != nil {
		parts = append(parts, fmt.Sprintf("grace period %d s", *grace))
	}
	if spec := podspec.Container(p.Pod, c.Name); c.Hook != formula.NoHook {
		hook := "preStop hook: " + string(c.Hook)
		if _, takes := podspec.Hook(spec); c.Hook == formula.SleepHook {
			hook = "preStop hook: sleep of " + effective.Words(takes.High)
		}
		parts = append(parts, hook)
	}
	return strings.Join(parts, ", ")
}

// Event is what happens to a pod in a timeline.
type Event struct {
	Cause   formula.Cause
	Variant string
}

func (e Event) String() string { return cause(e.Cause, e.Variant) }

func cause(c formula.Cause, variant string) string {
	if variant == "" {
		return string(c)
	}
	return string(c) + " " + variant
}

func after(s predict.Step) string {
	if s.After == predict.Zero {
		return "the beginning"
	}
	return s.After
}

// listed joins the parts of a sentence that are not empty.
func listed(parts ...string) string {
	return strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), "; ")
}

// crashing says under which assumption a crash loop goes on, and what ends it.
func crashing(c predict.Container) string {
	t := crashLoop(c)
	return "If " + listed(t.Assumes.Says, t.Ends)
}

// looping says under which assumption a probe's loop goes on, and what ends it.
func looping(c predict.Container, loop predict.ProbeLoop) string {
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

func hookSays(c predict.Container) string {
	if c.Hook == formula.NoHook {
		return ""
	}
	var inside, outside, never []string
	for _, k := range c.Answers.Kills {
		name := cause(k.Cause, k.Variant)
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

func restartSays(r predict.ProbeRestart) string {
	switch r.From {
	case predict.FromStart:
		return r.Probe + ", failing from the start on"
	case predict.FromFaults:
		return r.Probe + ", of all containers at once"
	}
	return r.Probe + ", once healthy"
}

// headline returns a container's longest delete, else its last timeline, or nil.
func headline(c predict.Container) *predict.Timeline {
	if t := longestOf(c, Event{Cause: formula.ByDelete}); t != nil || len(c.Timelines) == 0 {
		return t
	}
	return &c.Timelines[len(c.Timelines)-1]
}

// longestOf returns a container's longest timeline of an event, or nil.
func longestOf(c predict.Container, e Event) (longest *predict.Timeline) {
	for i, t := range c.Timelines {
		if (Event{t.Cause, t.Variant}) == e {
			longest = &c.Timelines[i] // the longest is the last
		}
	}
	return longest
}

// longest returns the drawn timelines: the longest of every cause and variant.
func longest(c predict.Container) []predict.Timeline {
	var all []predict.Timeline
	for _, e := range eventsOf(c) {
		all = append(all, *longestOf(c, e))
	}
	return all
}

// eventsOf returns the events of a container's timelines, in their order.
func eventsOf(c predict.Container) (all []Event) {
	for _, t := range c.Timelines {
		if e := (Event{t.Cause, t.Variant}); !slices.Contains(all, e) {
			all = append(all, e)
		}
	}
	return all
}
