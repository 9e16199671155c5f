// Package junit writes a run or a mutation report with Ginkgo's JUnit reporter. It judges nothing.
package junit

import (
	"cmp"
	"io"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/onsi/ginkgo/v2/types"

	"github.com/podclock/podclock/harness/measure/run"
	"github.com/podclock/podclock/harness/measure/trial"
	"github.com/podclock/podclock/reports/view"
)

// Run writes one suite per subject and area, and one case per trial. The measured numbers are properties of cases.
//
// Readers find a test's history by the names of suite, class and case. The names never depend on a result:
// suite and class are "podclock.<area>.<subject>", and the case is the trial's ID. Dots in a subject's name
// become underscores, because Jenkins takes everything before the last dot for a package.
//
// TestGrid can show one property of a case in its cell (short_text_metric of a test group,
// testgrid-in-cell-metric of a Prow job). The property margin_ms is made for it.
//
// A deviation is a failure. An inconclusive trial is a failure if it fails the run ([run.Run.Fails]), else it is
// skipped, as what a subject does not support. A divergence passes. The suite "podclock.run" has one case. It fails
// if the harness had a problem or could not judge, so a run without results is never green.
func Run(w io.Writer, v view.Overview) error {
	r := v.Run
	return write(w, "run "+r.ID, func(yield func(types.Report) bool) {
		if !yield(suite("podclock.run", r.Started, runCase(v))) {
			return
		}
		for _, b := range v.Subjects {
			about := subjectEntries(b)
			for _, part := range b.Areas() {
				var cases []types.SpecReport
				for _, o := range part.Outcomes {
					e := append(slices.Clone(about), Entries(o)...)
					for _, d := range v.Figures.Lanes.About(o) {
						e.add("lanes-disagree."+cmp.Or(d.Claim, "trial"), d.Opinions())
					}
					cases = append(cases, Case(o, b.Outcomes, e, cmp.Or(r.Reported, r.Started)))
				}
				name := "podclock." + view.AreaOf(part.Outcomes[0]) + "." + Undotted(b.Name)
				if !yield(suite(name, r.Started, cases...)) {
					return
				}
			}
		}
	})
}

// Undotted replaces a subject's dots, which Jenkins would take for those of a package.
func Undotted(subject string) string { return strings.ReplaceAll(subject, ".", "_") }

// runCase returns the case about the run itself. It has the narrowest margin of all trials, and the number of verdicts
// of each kind.
func runCase(v view.Overview) types.SpecReport {
	r, f := v.Run, v.Figures
	var e entries
	e.add("run", r.ID)
	e.add("exit-code", r.ExitCode())
	e.add("profile", r.Profile)
	e.add("trials", f.Trials)
	e.add("subjects", f.Subjects)
	e.add("claims", f.Claims)
	e.add("two-sided-claims", f.TwoSided)
	e.add("sum-of-durations", seconds(f.Sum))
	e.add("ready-to-report", seconds(f.Wall))
	e.add("longest-trial", seconds(f.Longest))
	e.add("wall-over-longest", math.Round(100*f.Ratio)/100)
	if v := f.Virtual; v != nil {
		e.add("virtual-wall", seconds(v.Wall))
		e.add("virtual-time", seconds(v.Virtual))
		e.add("virtual-time-over-wall", math.Round(v.Ratio))
		e.add("virtual-longest-trial", seconds(v.Longest))
		e.add("virtual-claims-of-models", v.Modelled)
	}
	if l := f.Lanes; l != nil {
		e.add("lanes-judged-both", l.Trials.Judged)
		e.add("lanes-agree", l.Trials.Agree)
		e.add("lanes", l.String())
	}
	e.add("podclock", r.Environment.Podclock)
	e.add("kernel", r.Environment.Kernel)
	e.add("engine", r.Environment.Engine)
	e.add("node-image", r.Environment.NodeImage)
	var all []trial.Finding
	for _, o := range r.Outcomes {
		all = append(all, view.FindingsOf(o)...)
	}
	e.margin(all)
	for _, v := range view.Verdicts() {
		e.add(string(v), r.Count(v))
	}
	c := passed("run/could-judge", max(0, r.Ready.Sub(r.Started)), e) // 0 if it never was ready
	why := strings.Join(r.Problems, "\n")
	if why == "" && r.ExitCode() == run.ExitUnjudged {
		why = view.ExitReason(r)
	}
	if why != "" {
		end(&c, types.SpecStateFailed, why, run.MarkdownFile, cmp.Or(r.Reported, r.Started))
	}
	return c
}

// subjectEntries are at each case of a subject, because Ginkgo's suites have properties of their own only.
func subjectEntries(b view.Column) (e entries) {
	e.add("subject", b.Name)
	e.add("lane", string(b.RanIn()))
	e.add("kubelet", b.Kubelet.Version)
	e.add("mutation", b.Mutation)
	e.add("binary", b.Path)
	e.add("node", b.Node)
	if b.RanIn() == run.VirtualLane {
		e.add("lane-limits", view.VirtualLimits)
	}
	if b.Extrapolated() {
		e.add("extrapolated", true)
	}
	return e
}

// Case returns the case of one outcome with its properties. Whether an inconclusive one fails depends on all outcomes
// of its subject. at is the end of the run.
func Case(o run.Outcome, subject []run.Outcome, e []types.ReportEntry, at time.Time) types.SpecReport {
	c := passed(o.Trial, o.Took(), e)
	if last := o.Last(); last != nil {
		at = last.Started.Add(last.Took)
	}
	reason := view.ReasonOf(o)
	switch {
	case o.Verdict == trial.Deviates:
		file := run.DeviationsFolder + "/" + run.DeviationFile(o)
		end(&c, types.SpecStateFailed, cmp.Or(explained(o), reason), file, at)
	case run.Run{Outcomes: subject}.Fails(o):
		why := strings.TrimSpace(string(o.Verdict) + ": " + reason + "\n" + explained(o))
		end(&c, types.SpecStateFailed, why, run.MarkdownFile, at)
	case o.Verdict == trial.Inconclusive:
		end(&c, types.SpecStateSkipped, string(o.Verdict)+": "+reason, run.MarkdownFile, at)
	case o.Verdict == trial.Unsupported:
		end(&c, types.SpecStateSkipped, reason, run.MarkdownFile, at)
	}
	return c
}

// explained explains the claims that have the outcome's verdict.
func explained(o run.Outcome) string {
	var all []string
	for _, f := range view.FindingsOf(o) {
		if f.Verdict == o.Verdict {
			all = append(all, view.Explain(f))
		}
	}
	return strings.Join(all, "\n")
}
