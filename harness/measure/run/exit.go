package run

import (
	"fmt"
	"slices"
	"strings"

	"github.com/podclock/podclock/harness/measure/judge"
	"github.com/podclock/podclock/harness/measure/trial"
)

// Exit codes of a run.
const (
	// ExitConforms: every verdict is conforms, divergent or unsupported, or few are inconclusive ([Run.Unjudged]).
	ExitConforms = 0
	// ExitDeviates: at least one trial deviates.
	ExitDeviates = 1
	// ExitUnjudged: the harness could not judge. The input was bad, a set-up failed, an interrupt came, too
	// much is inconclusive, or the lanes disagree.
	ExitUnjudged = 2
	// ExitChanged: something changed that a person must look at. No run ends with it.
	ExitChanged = 3
)

// ExitCode returns the exit code of the run.
func (r Run) ExitCode() int {
	switch {
	case r.Count(trial.Deviates) > 0:
		return ExitDeviates
	case len(r.Problems) > 0, r.Count(trial.Conforms)+r.Count(trial.Divergent) == 0,
		slices.ContainsFunc(r.Unjudged(), func(u Unjudged) bool { return u.Fails }):
		return ExitUnjudged
	case len(r.LanesDisagree()) > 0:
		return ExitUnjudged
	}
	return ExitConforms
}

// TooMuchInconclusive is the share of inconclusive trials above which a subject, or an area on a subject, counts as
// unjudged. Unsupported trials do not count. A single trial is no share of an area: areas have as few as nine trials,
// and one can be unlucky. It counts if it is all that the area has.
const TooMuchInconclusive = 0.10

// Unjudged is what is inconclusive of an area on a subject.
type Unjudged struct {
	Subject string
	// Area is empty for the sum of a subject's areas.
	Area string
	// Inconclusive is the number of inconclusive trials, Trials that of all supported ones.
	Inconclusive, Trials int
	// Always are the reasons for which trials were inconclusive in every attempt, without the node's own delay.
	Always []string
	// Fails reports whether this fails the run.
	Fails bool
}

func (u Unjudged) String() string {
	s := u.Subject
	if u.Area != "" {
		s += ", " + u.Area
	}
	s += fmt.Sprintf(": %d of %s", u.Inconclusive, Plural(u.Trials, "trial"))
	if len(u.Always) > 0 {
		s += " (in every attempt: " + strings.Join(u.Always, ", ") + ")"
	}
	return s
}

// Unjudged returns what is inconclusive, by subject and area in the order of the outcomes.
func (r Run) Unjudged() []Unjudged {
	var areas, subjects []Unjudged
	for _, o := range r.Outcomes {
		if o.Verdict == trial.Unsupported {
			continue
		}
		area := count(&areas, o.Subject, trial.Trial{ID: o.Trial}.Area())
		for _, u := range []*Unjudged{area, count(&subjects, o.Subject, "")} {
			u.Trials++
			if o.Verdict == trial.Inconclusive {
				u.Inconclusive++
			}
		}
		for _, reason := range always(o) {
			if !slices.Contains(area.Always, reason) {
				area.Always = append(area.Always, reason)
			}
		}
	}
	failing := map[string]bool{}
	for i := range areas {
		u := &areas[i]
		u.Fails = len(u.Always) > 0 || u.tooMuch() && (u.Inconclusive > 1 || u.Trials == 1)
		failing[u.Subject] = failing[u.Subject] || u.Fails
	}
	for _, u := range subjects {
		if u.Fails = u.tooMuch() && !failing[u.Subject]; u.Fails {
			areas = append(areas, u)
		}
	}
	return slices.DeleteFunc(areas, func(u Unjudged) bool { return u.Inconclusive == 0 })
}

// Fails reports whether an outcome of the run fails it: whether it deviates, has no known verdict, or is inconclusive
// where too much is ([Run.Unjudged]). It looks at the outcome's subject only.
func (r Run) Fails(o Outcome) bool {
	switch o.Verdict {
	case trial.Conforms, trial.Divergent, trial.Unsupported:
		return false
	case trial.Inconclusive:
		r.Outcomes = slices.DeleteFunc(slices.Clone(r.Outcomes), func(x Outcome) bool { return x.Subject != o.Subject })
		return slices.ContainsFunc(r.Unjudged(), func(u Unjudged) bool {
			return u.Fails && (u.Area == "" || u.Area == trial.Trial{ID: o.Trial}.Area())
		})
	}
	return true
}

func (u Unjudged) tooMuch() bool {
	return float64(u.Inconclusive) > TooMuchInconclusive*float64(u.Trials)
}

func count(all *[]Unjudged, subject, area string) *Unjudged {
	i := slices.IndexFunc(*all, func(u Unjudged) bool { return u.Subject == subject && u.Area == area })
	if i < 0 {
		i = len(*all)
		*all = append(*all, Unjudged{Subject: subject, Area: area})
	}
	return &(*all)[i]
}

// always returns the reasons that an inconclusive trial had in every attempt, without the node's own delay: the names
// of the judge's rules. A trial without an attempt has a reason, too. A file of an older revision names no rules.
func always(o Outcome) []string {
	if o.Verdict != trial.Inconclusive {
		return nil
	}
	if len(o.Attempts) == 0 {
		return []string{"never tried"}
	}
	common := reasons(o.Attempts[0])
	for _, a := range o.Attempts[1:] {
		again := reasons(a)
		common = slices.DeleteFunc(common, func(reason string) bool { return !slices.Contains(again, reason) })
	}
	return common
}

func reasons(a Attempt) []string {
	if len(a.Result.Findings) == 0 {
		return []string{"no finding"}
	}
	var all []string
	for _, f := range a.Result.Findings {
		if f.Verdict == trial.Inconclusive && f.Rule != "" && !judge.OfDelay(f.Rule) && !slices.Contains(all, f.Rule) {
			all = append(all, f.Rule)
		}
	}
	return all
}
