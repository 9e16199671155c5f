package forecast

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/podclock/podclock/harness/predict"
	"github.com/podclock/podclock/harness/predict/effective"
	"github.com/podclock/podclock/harness/predict/findings"
	"github.com/podclock/podclock/harness/predict/manifest"
	"github.com/podclock/podclock/harness/predict/next"
	"github.com/podclock/podclock/harness/rules/formula"
	"github.com/podclock/podclock/harness/rules/lifecycle"
	"github.com/podclock/podclock/harness/rules/podspec"
	"github.com/podclock/podclock/reports/predict/sentences"
)

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
	return sentences.Count(workloads, "workload") + ", " + sentences.Count(containers, "container")
}

// skipped says which objects are not predicted: "Objects without pods: 2 ConfigMap."
func skipped(all []manifest.Skipped) string {
	var none, unknown, files []string
	for _, s := range all {
		part := fmt.Sprintf("%d %s", s.Count, s.Kind)
		switch what, rest, _ := strings.Cut(s.Kind, " "); {
		case s.Files:
			files = append(files, sentences.Count(s.Count, what)+" "+rest)
		case s.Unknown:
			unknown = append(unknown, part)
		default:
			none = append(none, part)
		}
	}
	var says []string
	say := func(what string, parts []string) {
		if len(parts) > 0 {
			says = append(says, what+": "+strings.Join(parts, ", ")+".")
		}
	}
	say("Objects without pods", none)
	say("Skipped, because podclock does not know whether they make pods", unknown)
	say("Skipped, because they are no manifests", files)
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
			parts = append(parts, sentences.Count(n, string(l)))
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

func after(s predict.Step) string {
	if s.After == lifecycle.Fault {
		return "the beginning"
	}
	return s.After
}

func restartText(r predict.ProbeRestart) string {
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
	if t := (sentences.Event{Cause: formula.ByDelete}).Longest(c); t != nil || len(c.Timelines) == 0 {
		return t
	}
	return &c.Timelines[len(c.Timelines)-1]
}

// longest returns the drawn timelines: the longest of every cause and variant.
func longest(c predict.Container) []predict.Timeline {
	var all []predict.Timeline
	for _, e := range eventsOf(c) {
		all = append(all, *e.Longest(c))
	}
	return all
}

func eventOf(t predict.Timeline) sentences.Event {
	return sentences.Event{Cause: t.Cause, Variant: t.Variant}
}

// eventsOf returns the events of a container's timelines, in their order.
func eventsOf(c predict.Container) (all []sentences.Event) {
	for _, t := range c.Timelines {
		if e := eventOf(t); !slices.Contains(all, e) {
			all = append(all, e)
		}
	}
	return all
}
