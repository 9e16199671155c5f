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
)

// inMinutes is from when on a time is told in minutes.
const inMinutes = 10 * time.Minute

// span is a time between two in words: "20 to 41.7 s", or one number where both are the same.
func span(s predict.Span) string {
	unit, name := time.Second, " s"
	if s.Latest >= inMinutes {
		unit, name = time.Minute, " min"
	}
	earliest, latest := number(s.Earliest, unit), number(s.Latest, unit)
	if earliest == latest {
		return latest + name
	}
	return earliest + " to " + latest + name
}

// number is a time in a unit, with a decimal where it says something.
func number(d, unit time.Duration) string {
	n := float64(d) / float64(unit)
	n = math.Round(n*10) / 10
	if math.Abs(n) >= 100 {
		n = math.Round(n)
	}
	return strconv.FormatFloat(n+0, 'f', -1, 64) // + 0 makes 0 of -0
}

// exact is a time in seconds to the millisecond.
func exact(d time.Duration) string {
	return strconv.FormatFloat(math.Round(d.Seconds()*1000)/1000+0, 'f', -1, 64) + " s"
}

// window is a window in its own unit: "0 to 2.55 s", "3".
func window(w formula.Window) string {
	if w.Unit == formula.Nanoseconds {
		earliest, latest := exact(time.Duration(w.Earliest)), exact(time.Duration(w.Latest))
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

// documented is what is promised in the same words, a dash where nothing is.
func documented(w *formula.Window) string {
	if w == nil {
		return "-"
	}
	return window(*w)
}

// address is a workload's kind, namespace and name: "Deployment shop/web".
func address(p predict.Prediction) string {
	if p.Namespace == "" {
		return p.Kind + " " + p.Name
	}
	return p.Kind + " " + p.Namespace + "/" + p.Name
}

// place is where in the manifest a workload stands.
func place(document, line int) string {
	if line == 0 {
		return fmt.Sprintf("document %d", document)
	}
	return fmt.Sprintf("document %d, line %d", document, line)
}

// rules says whose rules hold.
func (f Forecast) rules() string {
	says := "by the rules of kubelet " + f.Kubelet.Version
	if f.Extrapolated {
		says += fmt.Sprintf(
			", which are extrapolated: the sources of %s to %s were read",
			formula.OldestKnown,
			formula.NewestKnown,
		)
	}
	return says
}

// counts are how much a manifest holds: "2 workloads, 3 containers".
func (f Forecast) counts() string {
	containers := 0
	for _, p := range f.Predictions {
		containers += len(p.Containers)
	}
	return plural(len(f.Predictions), "workload") + ", " + plural(containers, "container")
}

// skipped are the objects that make no pods, empty where there are none.
func skipped(all []manifest.Skipped) string {
	parts := make([]string, len(all))
	for i, s := range all {
		parts[i] = fmt.Sprintf("%d %s", s.Count, s.Kind)
	}
	return strings.Join(parts, ", ")
}

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// tally counts findings by level: "1 error, 2 notes".
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
			parts = append(parts, plural(n, string(l)))
		}
	}
	if len(parts) == 0 {
		return "nothing found"
	}
	return strings.Join(parts, ", ")
}

// describes is what a container is, in a few words.
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
		if _, told := podspec.Hook(spec); c.Hook == formula.SleepHook {
			hook = "preStop hook: sleep of " + exact(told.High)
		}
		parts = append(parts, hook)
	}
	return strings.Join(parts, ", ")
}

// cause is what kills or ends a container, with its variant.
func cause(c formula.Cause, variant string) string {
	if variant == "" {
		return string(c)
	}
	return string(c) + " " + variant
}

// after is the step that a step's windows count from, in words.
func after(s predict.Step) string {
	if s.After == predict.Zero {
		return "the beginning"
	}
	return s.After
}

// crashing is what a container's crash loop takes for granted, as a sentence.
func crashing(c predict.Container) string {
	says := ""
	for _, t := range c.Timelines {
		if t.Cause == predict.Crashing {
			says = t.Assumes.Says // the loop is the last of them
		}
	}
	return "Where " + says
}

// hookSays is what a kill has to do with the preStop hook, as a sentence; empty where there is none.
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

// restartSays is what a probe's failure is counted from.
func restartSays(r predict.ProbeRestart) string {
	if r.From == predict.FromStart {
		return r.Probe + ", failing from the start on"
	}
	return r.Probe + ", once healthy"
}

// headline is the timeline that a container is best told by: its delete, at its longest; else whatever it
// has. It is nil where it has none.
func headline(c predict.Container) *predict.Timeline {
	best := -1
	for i, t := range c.Timelines {
		if t.Cause == formula.ByDelete && t.Variant == "" {
			best = i // the last one is the longest
		}
	}
	if best < 0 && len(c.Timelines) > 0 {
		best = len(c.Timelines) - 1
	}
	if best < 0 {
		return nil
	}
	return &c.Timelines[best]
}

// longest are the timelines of a container that are drawn: of every cause and variant the longest.
func longest(c predict.Container) []predict.Timeline {
	var all []predict.Timeline
	for _, t := range c.Timelines {
		i := slices.IndexFunc(
			all,
			func(o predict.Timeline) bool { return o.Cause == t.Cause && o.Variant == t.Variant },
		)
		if i < 0 {
			all = append(all, t)
		} else {
			all[i] = t
		}
	}
	return all
}
