package junit

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/podclock/podclock/harness/detection"
	"github.com/podclock/podclock/harness/run"
	"github.com/podclock/podclock/reports/sensitivity"
	"github.com/podclock/podclock/reports/view"
)

// Sensitivity writes the report in the JUnit format. It has one suite per lane and program with a case for each
// mutant, and one suite per lane with its score and its references. It is green if the report's exit code is 0.
// A survivor is a failure if the score is below the required one, otherwise it is skipped. Mutants outside the
// score are skipped as well. A mutant that could not be judged is an error if the score was not reached because
// of it.
func Sensitivity(w io.Writer, p detection.Report) error {
	suites := []suite{reportSuite(p)}
	for _, l := range p.Lanes {
		suites = append(append(suites, laneSuite(p, l)), mutantSuites(p, l)...)
	}
	return Suites{Name: "podclock sensitivity"}.write(w, "sensitivity report "+p.ID, slices.Values(suites))
}

// reportSuite returns the suite about the report itself.
func reportSuite(p detection.Report) suite {
	about := &properties{}
	about.add("proof", p.ID)
	about.add("exit-code", fmt.Sprint(p.ExitCode()))
	about.add("version", p.Version)
	about.add("profile", p.Profile)
	about.add("catalogue", fmt.Sprint(p.Catalogue))
	about.add("at-least", fmt.Sprint(p.AtLeast))
	about.add("podclock", p.Environment.Podclock)
	s := suite{Name: "podclock.sensitivity", Timestamp: timestamp(p.Started), Properties: about}
	c := testcase{Name: "sensitivity/could-judge", Class: s.Name, Time: seconds(0)}
	if p.ExitCode() == run.ExitUnjudged {
		c.Error = &complaint{
			Type:    "problem",
			Message: p.ExitReason(),
			Text:    view.Printable(strings.Join(p.Problems, "\n")),
		}
	}
	s.Cases = []testcase{c}
	return s
}

// laneSuite returns the suite with the lane's score and its references.
func laneSuite(p detection.Report, l detection.LaneReport) suite {
	f, about := l.Figures(), &properties{}
	about.add("lane", string(l.Lane))
	about.add("mutants", fmt.Sprint(f.Mutants))
	about.add("caught", fmt.Sprint(f.Caught))
	about.add("score", fmt.Sprintf("%.4f", f.Score))
	about.add("compared", fmt.Sprint(f.Compared))
	about.add("different", fmt.Sprint(f.Different))
	about.add("caught-by-own-formula", fmt.Sprint(f.Own))
	about.add("diagnoses", fmt.Sprint(f.Diagnoses))
	about.add("right-diagnoses", fmt.Sprint(f.Right))
	about.add("known-faults", fmt.Sprint(f.Known))
	about.add("known-faults-diagnosed", fmt.Sprint(f.Diagnosed))
	about.add("false-alarms", fmt.Sprint(f.FalseAlarms))
	about.add("control-not-judged", fmt.Sprint(f.Unjudged))
	about.add("wall", seconds(f.Wall))
	about.add("mean-cost", seconds(f.Mean))
	about.add("most-cost", seconds(f.Most))
	s := suite{Name: "podclock.sensitivity." + string(l.Lane), Timestamp: timestamp(l.Started), Properties: about}
	score := testcase{Name: "sensitivity/score", Class: s.Name, Time: seconds(f.Wall)}
	if end := l.Conclude(p.AtLeast); end.Code == run.ExitDeviates && f.FalseAlarms == 0 {
		score.Failure = &complaint{Type: "score", Message: end.Why}
	}
	s.Cases = append(s.Cases, score)
	for i, control := range l.References {
		c := testcase{Name: fmt.Sprintf("control/%d", i+1), Class: s.Name, Time: seconds(control.Run)}
		if len(control.FalseAlarms) > 0 {
			first := control.FalseAlarms[0]
			c.Failure = &complaint{
				Type: "false alarm",
				Message: fmt.Sprintf("%s on %s, %s %s: %s", detection.Deviate(len(control.FalseAlarms)),
					control.Subject, first.Trial, first.Claim, first.Why),
			}
		} else if control.Trials == 0 {
			c.Error = &complaint{
				Type:    string(detection.Undecided),
				Message: "no trial was judged on " + control.Subject,
			}
		}
		s.Cases = append(s.Cases, c)
	}
	return s
}

// mutantSuites returns the suites of a lane's mutants, one for each program.
func mutantSuites(p detection.Report, l detection.LaneReport) []suite {
	var all []suite
	index := map[string]int{}
	code := l.Conclude(p.AtLeast).Code
	for _, m := range l.Mutants {
		name := "podclock.sensitivity." + string(l.Lane) + "." + m.Component
		i := view.Place(index, m.Component, &all, suite{Name: name, Timestamp: timestamp(l.Started)})
		all[i].Cases = append(all[i].Cases, mutantCase(m, all[i].Name, code))
	}
	return all
}

// mutantCase returns the case of one mutant. code is the exit code of its lane.
func mutantCase(m detection.Mutant, class string, code int) testcase {
	c := testcase{Name: m.Name, Class: class, Time: seconds(m.Cost())}
	about := &properties{}
	about.add("breaks", m.Formula)
	about.add("verdict", string(m.Verdict))
	about.add("reference", m.Reference)
	if len(m.Catches) > 0 {
		first := m.Catches[0]
		about.add("caught-by", sensitivity.By(m))
		about.add("clearest", first.Trial+" "+first.Claim)
		about.add("measured", sensitivity.Measured(first))
		about.add("outside", sensitivity.Outside(first))
		about.add("diagnosis", sensitivity.Called(m))
	}
	c.Properties = about
	said := func() *complaint {
		return &complaint{Type: string(m.Verdict), Message: m.Why, Text: view.Printable(m.Breaks)}
	}
	switch {
	case m.Misfiled():
		c.Failure = &complaint{
			Type: "misfiled",
			Message: "the catalogue of mutations says that it cannot be caught, but it was caught: " +
				sensitivity.By(m),
			Text: view.Printable(m.Unseen),
		}
	case !m.Counts():
		c.Skipped = &complaint{Type: "unseen", Message: m.Unseen}
	case m.Verdict == detection.Caught:
	case m.Verdict == detection.Survived && code == run.ExitDeviates:
		c.Failure = said()
	case m.Verdict != detection.Survived && code != run.ExitConforms:
		c.Error = said()
	default:
		c.Skipped = said()
	}
	return c
}
