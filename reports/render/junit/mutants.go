package junit

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/onsi/ginkgo/v2/types"

	"github.com/podclock/podclock/harness/measure/run"
	"github.com/podclock/podclock/harness/mutants/mutationtest"
	"github.com/podclock/podclock/reports/view/mutants"
)

// Mutants writes one suite per lane and program with a case for each mutant, and one suite per lane with its score
// and its references. The report is green if the exit code is 0. A survivor is a failure if the score is below the
// required one, otherwise it is skipped. Mutants outside the score are skipped as well. A mutant that could not be
// judged is a failure if the score was not reached because of it.
func Mutants(w io.Writer, p mutationtest.Report) error {
	suites := []types.Report{suite("podclock.sensitivity", p.Started, reportCase(p))}
	for _, l := range p.Lanes {
		suites = append(append(suites, laneSuite(p, l)), mutantSuites(p, l)...)
	}
	return write(w, "mutation report "+p.ID, slices.Values(suites))
}

// reportCase returns the case about the report itself.
func reportCase(p mutationtest.Report) types.SpecReport {
	var e entries
	e.add("proof", p.ID)
	e.add("exit-code", p.ExitCode())
	e.add("version", p.Version)
	e.add("profile", p.Profile)
	e.add("catalogue", p.Catalogue)
	e.add("at-least", p.AtLeast)
	e.add("podclock", p.Environment.Podclock)
	c := passed("sensitivity/could-judge", 0, e)
	if p.ExitCode() == run.ExitUnjudged {
		fail(&c, p.Started, slices.Concat([]string{p.ExitReason()}, p.Problems)...)
	}
	return c
}

// laneSuite returns the suite with the lane's score and its references.
func laneSuite(p mutationtest.Report, l mutationtest.LaneReport) types.Report {
	f := l.Figures()
	var e entries
	e.add("lane", string(l.Lane))
	e.add("mutants", f.Mutants)
	e.add("caught", f.Killed)
	e.add("score", math.Round(1e4*f.Score)/1e4)
	e.add("compared", f.Compared)
	e.add("different", f.Different)
	e.add("caught-by-own-formula", f.Own)
	e.add("diagnoses", f.Diagnoses)
	e.add("right-diagnoses", f.Right)
	e.add("known-faults", f.Known)
	e.add("known-faults-diagnosed", f.Diagnosed)
	e.add("false-alarms", f.FalseAlarms)
	e.add("control-not-judged", f.Unjudged)
	e.add("wall", seconds(f.Wall))
	e.add("mean-cost", seconds(f.Mean))
	e.add("most-cost", seconds(f.Most))
	score := passed("sensitivity/score", f.Wall, e)
	if end := l.Conclude(p.AtLeast); end.Code == run.ExitDeviates && f.FalseAlarms == 0 {
		fail(&score, l.Started, end.Why)
	}
	cases := []types.SpecReport{score}
	for i, control := range l.References {
		c := passed(fmt.Sprintf("control/%d", i+1), control.Run, nil)
		if len(control.FalseAlarms) > 0 {
			first := control.FalseAlarms[0]
			fail(&c, l.Started, fmt.Sprintf("false alarm: %s on %s, %s %s: %s",
				mutationtest.Deviate(len(control.FalseAlarms)), control.Subject, first.Trial, first.Claim, first.Why))
		} else if control.Trials == 0 {
			fail(&c, l.Started, "no trial was judged on "+control.Subject)
		}
		cases = append(cases, c)
	}
	return suite("podclock.sensitivity."+string(l.Lane), l.Started, cases...)
}

// mutantSuites returns the suites of a lane's mutants, one for each program.
func mutantSuites(p mutationtest.Report, l mutationtest.LaneReport) (all []types.Report) {
	var programs []string
	cases := map[string][]types.SpecReport{}
	code := l.Conclude(p.AtLeast).Code
	for _, m := range l.Mutants {
		if cases[m.Component] == nil {
			programs = append(programs, m.Component)
		}
		cases[m.Component] = append(cases[m.Component], mutantCase(m, l.Started, code))
	}
	for _, name := range programs {
		all = append(all, suite("podclock.sensitivity."+string(l.Lane)+"."+name, l.Started, cases[name]...))
	}
	return all
}

// mutantCase returns the case of one mutant. code is the exit code of its lane.
func mutantCase(m mutationtest.Mutant, at time.Time, code int) types.SpecReport {
	var e entries
	e.add("breaks", m.Formula)
	e.add("verdict", string(m.Verdict))
	e.add("reference", m.Reference)
	if len(m.Kills) > 0 {
		first := m.Kills[0]
		e.add("caught-by", mutants.By(m))
		e.add("clearest", first.Trial+" "+first.Claim)
		e.add("measured", mutants.Measured(first))
		e.add("outside", mutants.Outside(first))
		e.add("diagnosis", mutants.Called(m))
	}
	c := passed(m.Name, m.Cost(), e)
	verdict := string(m.Verdict) + ": " + m.Why
	switch {
	case m.Misclassified():
		fail(&c, at, "the catalogue of mutations says that it cannot be killed, but it was killed: "+
			mutants.By(m), "the catalogue's reason: "+m.Equivalent)
	case !m.Counts():
		end(&c, types.SpecStateSkipped, m.Equivalent, mutationtest.MarkdownFile, at)
	case m.Verdict == mutationtest.Killed:
	case m.Verdict == mutationtest.Survived && code == run.ExitDeviates,
		m.Verdict != mutationtest.Survived && code != run.ExitConforms:
		fail(&c, at, verdict, "the mutation: "+m.Breaks)
	default:
		end(&c, types.SpecStateSkipped, verdict, mutationtest.MarkdownFile, at)
	}
	return c
}

// fail lets a case fail for a reason of one or more lines.
func fail(c *types.SpecReport, at time.Time, why ...string) {
	end(c, types.SpecStateFailed, strings.Join(why, "\n"), mutationtest.MarkdownFile, at)
}
