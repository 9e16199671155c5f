// Package junit writes a run or a sensitivity report in the JUnit format. It judges nothing.
package junit

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/podclock/podclock/harness/run"
	"github.com/podclock/podclock/harness/trial"
	"github.com/podclock/podclock/reports/view"
)

// Run writes the run in the JUnit format of Jenkins' junit-10 schema: one suite per subject and area, and one
// case per trial. Cases also have properties for the measured numbers, as in pytest's reports. The schema does
// not have these.
//
// Readers find a test's history by the names of suite, class and case. The names never depend on a result:
// suite and class are "podclock.<area>.<subject>", and the case is the trial's ID. Dots in a subject's name
// become underscores, because Jenkins takes everything before the last dot for a package.
//
// TestGrid can show one property of a case in its cell (short_text_metric of a test group,
// testgrid-in-cell-metric of a Prow job). The property margin_ms is made for it.
//
// A deviation is a failure. An inconclusive trial, or one that never ran, is an error. Readers that look only
// for failures and errors would show it green if it were skipped. A divergence passes, and its output has the
// documentation's promise. Only what a subject does not support is skipped. The suite "podclock.run" has one
// case. It is an error if the harness had a problem or nothing to run, so a run without results is never green.
func Run(w io.Writer, v view.Overview) error {
	report, r := Suites{Name: "podclock"}, v.Run
	if !r.Reported.IsZero() {
		report.Time = seconds(r.Reported.Sub(r.Started))
	}
	return report.write(w, "run "+r.ID, func(yield func(suite) bool) {
		more := yield(runSuite(v))
		for _, b := range v.Subjects {
			for _, part := range b.Areas() {
				more = more && yield(areaSuite(r, part, v.Figures.Lanes))
			}
		}
	})
}

// runSuite returns the suite about the run itself.
func runSuite(v view.Overview) suite {
	about, r, f := &properties{}, v.Run, v.Figures
	about.add("run", r.ID)
	about.add("exit-code", fmt.Sprint(r.ExitCode()))
	about.add("profile", r.Profile)
	about.add("trials", fmt.Sprint(f.Trials))
	about.add("subjects", fmt.Sprint(f.Subjects))
	about.add("claims", fmt.Sprint(f.Claims))
	about.add("two-sided-claims", fmt.Sprint(f.TwoSided))
	about.add("sum-of-durations", seconds(f.Sum))
	about.add("ready-to-report", seconds(f.Wall))
	about.add("longest-trial", seconds(f.Longest))
	about.add("wall-over-longest", fmt.Sprintf("%.2f", f.Ratio))
	if v := f.Virtual; v != nil {
		about.add("virtual-wall", seconds(v.Wall))
		about.add("virtual-time", seconds(v.Virtual))
		about.add("virtual-time-over-wall", fmt.Sprintf("%.0f", v.Ratio))
		about.add("virtual-longest-trial", seconds(v.Longest))
		about.add("virtual-claims-of-models", fmt.Sprint(v.Modelled))
	}
	if l := f.Lanes; l != nil {
		about.add("lanes-judged-both", fmt.Sprint(l.Trials.Judged))
		about.add("lanes-agree", fmt.Sprint(l.Trials.Agree))
		about.add("lanes", l.String())
	}
	about.add("podclock", r.Environment.Podclock)
	about.add("kernel", r.Environment.Kernel)
	about.add("engine", r.Environment.Engine)
	about.add("node-image", r.Environment.NodeImage)
	s := suite{Name: "podclock.run", Timestamp: timestamp(r.Started), Properties: about}
	c := testcase{Name: "run/could-judge", Class: "podclock.run", Time: seconds(0), Properties: runNumbers(r)}
	if !r.Ready.IsZero() {
		c.Time = seconds(r.Ready.Sub(r.Started))
	}
	problems := r.Problems
	if len(problems) == 0 && len(r.Outcomes) == 0 {
		problems = []string{"no trial was selected"}
	}
	if len(problems) == 0 && r.ExitCode() == run.ExitUnjudged && len(r.LanesDisagree()) > 0 {
		problems = []string{view.ExitReason(r)}
	}
	if len(problems) > 0 {
		c.Error = &complaint{Type: "problem", Message: problems[0], Text: view.Printable(strings.Join(problems, "\n"))}
	}
	s.Cases, s.Time = []testcase{c}, c.Time
	return s
}

// areaSuite returns the suite of one area on one subject.
func areaSuite(r run.Run, b view.Column, lanes *view.Agreement) suite {
	about := &properties{}
	about.add("subject", b.Name)
	about.add("lane", string(b.RanIn()))
	about.add("kubelet", b.Kubelet.Version)
	about.add("mutation", b.Mutation)
	about.add("binary", b.Path)
	about.add("node", b.Node)
	if b.RanIn() == run.VirtualLane {
		about.add("lane-limits", view.VirtualLimits)
	}
	if b.Extrapolated() {
		about.add("extrapolated", "true")
	}
	s := suite{Name: class(b.Outcomes[0]), Timestamp: timestamp(r.Started), Properties: about}
	if b.RanIn() == run.NodeLane && !r.Ready.IsZero() && !r.Reported.IsZero() {
		s.Time = seconds(r.Reported.Sub(r.Ready)) // all suites run at the same time
	}
	for _, o := range b.Outcomes {
		c := outcomeCase(o)
		c.disagree(lanes.About(o))
		s.Cases = append(s.Cases, c)
	}
	return s
}

// class returns the class of an area on a subject.
func class(o run.Outcome) string { return "podclock." + view.AreaOf(o) + "." + Undotted(o.Subject) }

func outcomeCase(o run.Outcome) testcase {
	c := testcase{Name: o.Trial, Class: class(o), Time: seconds(o.Took()), Properties: numbers(o)}
	switch o.Verdict {
	case trial.Conforms:
	case trial.Divergent:
		c.Output = &output{Text: view.Printable(broken(o))}
	case trial.Unsupported:
		c.Skipped = &complaint{Type: string(o.Verdict), Message: view.ReasonOf(o)}
	case trial.Deviates:
		file := filepath.Join(run.DeviationsFolder, run.DeviationFile(o))
		c.Failure = &complaint{
			Type: string(o.Verdict), Message: view.ReasonOf(o),
			Text: view.Printable(details(o) + "\nits pod, timeline and node log: " + file + "\n"),
		}
	default: // inconclusive, or no known verdict
		c.Error = &complaint{
			Type:    string(trial.Inconclusive),
			Message: view.ReasonOf(o),
			Text:    view.Printable(details(o)),
		}
	}
	return c
}

// details lists every claim that does not conform, with its terms.
func details(o run.Outcome) string {
	var b strings.Builder
	for _, f := range view.FindingsOf(o) {
		if f.Verdict == trial.Conforms {
			continue
		}
		fmt.Fprintf(&b, "\n%s: %s\n", f.Claim, f.Verdict)
		line := func(name, text string) {
			if text != "" {
				fmt.Fprintf(&b, "  %s: %s\n", name, text)
			}
		}
		line("why", f.Why)
		line("measured", view.FormatMeasured(f))
		line("the code computes", f.Implemented.String()+" = "+f.Implemented.Explain())
		line("documented", view.FormatDocumented(f))
		line("formula", f.Formula+", "+f.Says)
		line("source", f.Source)
		if f.Diagnosis != nil {
			line("diagnosis", view.AsIf(*f.Diagnosis)+", "+view.WouldBe(*f.Diagnosis))
		}
	}
	return b.String()
}

// broken returns the documentation's promise and the gap to it, for each divergent claim.
func broken(o run.Outcome) string {
	var b strings.Builder
	for _, f := range view.FindingsOf(o) {
		if f.Verdict != trial.Divergent {
			continue
		}
		fmt.Fprintf(&b, "\n%s: %s\n  the documentation promises: %s\n  page: %s\n", f.Claim, f.Why, f.Promise,
			f.DocumentedAt)
		if f.Issues != "" {
			fmt.Fprintf(&b, "  issues: %s\n", f.Issues)
		}
	}
	return b.String()
}

// Undotted replaces a subject's dots, which Jenkins would take for those of a package.
func Undotted(subject string) string { return strings.ReplaceAll(subject, ".", "_") }
