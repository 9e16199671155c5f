// Package sample judges the values of one subject together.
//
// A window must allow the rarest path, so a kubelet that always takes the rarest path conforms value by value. Terms
// state where their values usually lie ([formula.Usual]). This package finds too many values in the late part of that
// distribution, or too many random waits in the early part. It knows no run, subject or lane.
package sample

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/podclock/podclock/harness/measure/delay"
	"github.com/podclock/podclock/harness/measure/trial"
	"github.com/podclock/podclock/harness/rules/formula"
)

const (
	// Budget is the probability of a false alarm of all tests of a subject's values.
	Budget = 1e-6
	// rarest is the smallest probability that counts for one value, because terms state no rarer quantiles.
	rarest = 0.05
	// fewest is how many values a test needs.
	fewest = 7
)

// Value is one measured time of a subject.
type Value struct {
	// Attempt identifies the attempt that measured it.
	Attempt string
	// Finding is what the judge decided. Its windows must be those that the formula computed, not saved ones.
	Finding trial.Finding
	// Delays is what the recorder measured of the node, nil for none.
	Delays *delay.Record
}

// Judge tests the values of each formula, and the values that share a term, at a third of the [Budget]. It returns one
// finding for each test, none if all groups are too small.
//
// Values of one attempt that overlap in time can share a step, so a test counts only the first of them. Values that are
// no hit, that were measured while the recorder of the node itself was late, or on slow cores, do not count. What is
// late by the time in which the node waited for its disk is not late.
func Judge(values []Value) []trial.Finding { return judge(values, Budget/3) }

func judge(values []Value, budget float64) []trial.Finding {
	var tests []*test
	for _, g := range groupsOf(values) {
		random := &group{term: g.term}
		for _, p := range g.points {
			if p.random && (g.term == "" || isRandom(p.Finding, g.term)) {
				random.points = append(random.points, p)
			}
		}
		for _, t := range []*test{{group: g, side: late}, {group: random, side: early}} {
			if len(t.points) >= fewest {
				tests = append(tests, t)
			}
		}
	}
	var findings []trial.Finding
	for _, t := range tests {
		t.run(budget / float64(len(tests)))
	}
	for _, t := range tests {
		findings = append(findings, t.finding(tests))
	}
	return findings
}

// point is a value, with the probability that one is at least as late, and that one is at least as early.
type point struct {
	Value
	late, early float64
	// random reports that a term is a random wait, without which early has no meaning.
	random bool
}

// group is the values of one formula, or all values that share a term.
type group struct {
	term   string
	points []point
}

func (g *group) add(p point) {
	if !slices.ContainsFunc(g.points, func(other point) bool { return p.overlaps(other.Value) }) {
		g.points = append(g.points, p)
	}
}

// overlaps reports whether two values of one attempt overlap in time, so that they can share a step.
func (v Value) overlaps(o Value) bool {
	a, b := v.Finding.Measured, o.Finding.Measured
	return v.Attempt == o.Attempt && a.From < b.To && b.From < a.To
}

func groupsOf(values []Value) []*group {
	var order []*group
	groups := map[string]*group{}
	add := func(key, term string, p point) {
		if groups[key] == nil {
			groups[key] = &group{term: term}
			order = append(order, groups[key])
		}
		groups[key].add(p)
	}
	countable(values, usable, func(v Value, l load) {
		if !l.quiet() {
			return
		}
		p := pointOf(v, l.waited)
		add(v.Finding.Formula, "", p)
		for _, name := range usualTerms(v.Finding) {
			add("term "+name, name, p)
		}
	})
	// The values of a term that one formula has are the formula's own, unless only some of them contain it.
	return slices.DeleteFunc(order, func(g *group) bool {
		own := groups[g.points[0].Finding.Formula]
		return g.term != "" && len(own.points) == len(g.points) && !slices.ContainsFunc(g.points, func(p point) bool {
			return p.Finding.Formula != g.points[0].Finding.Formula
		})
	})
}

// countable calls do for each value that can count, with the load of its node.
func countable(values []Value, can func(trial.Finding) bool, do func(v Value, l load)) {
	nodes := map[*delay.Record]node{}
	for _, v := range values {
		if !can(v.Finding) {
			continue
		}
		if _, known := nodes[v.Delays]; !known {
			nodes[v.Delays] = nodeOf(v.Delays)
		}
		do(v, nodes[v.Delays].beside(v.Finding.Measured))
	}
}

// Lateness returns, for each formula, how long after the earliest value of their windows the values came that count,
// less the time for which work waited for the disk. They are sorted.
func Lateness(values []Value) map[string][]int64 {
	of := map[string][]int64{}
	countable(values, usable, func(v Value, l load) {
		if f := v.Finding; l.quiet() {
			of[f.Formula] = append(of[f.Formula], f.Measured.Value-f.Implemented.Earliest-int64(l.waited))
		}
	})
	for _, all := range of {
		slices.Sort(all)
	}
	return of
}

func usable(f trial.Finding) bool {
	return timed(f) && (f.Verdict == trial.Conforms || f.Verdict == trial.Divergent)
}

// timed reports whether a finding is a time with a statement where it usually lies.
func timed(f trial.Finding) bool {
	return f.Measured != nil && f.Measured.Unit == formula.Nanoseconds && len(usualTerms(f)) > 0
}

func pointOf(v Value, waited time.Duration) point {
	f := v.Finding
	terms, value := f.Implemented.Terms, f.Measured.Value
	return point{
		Value: v, random: isRandom(f, ""),
		late:  share(latest(terms), func(at int64) bool { return at >= value-int64(waited) }),
		early: share(earliest(terms), func(at int64) bool { return at <= value+int64(waited+maxLate) }),
	}
}

// isRandom reports whether a term of this name is a random wait, or any term if name is empty.
func isRandom(f trial.Finding, name string) bool {
	return slices.ContainsFunc(f.Implemented.Terms, func(t formula.Term) bool {
		return t.Usual.Even > 0 && (name == "" || name == t.Name)
	})
}

func usualTerms(f trial.Finding) []string {
	var names []string
	for _, t := range f.Implemented.Terms {
		if t.Usual != (formula.Usual{}) && !slices.Contains(names, t.Name) {
			names = append(names, t.Name)
		}
	}
	return names
}

type side string

const (
	late  side = "late"
	early side = "early"
)

// test compares a group with one side of its distribution.
type test struct {
	*group
	side side
	// part is the probability of the part of the distribution that holds found values. At most allowed may lie there.
	part           float64
	found, allowed int
}

// run counts the values in the part whose count is the least probable. The parts are those that end at a value, so the
// probability of any such count is at most the number of values times that of one.
func (t *test) run(budget float64) {
	n := len(t.points)
	parts := make([]float64, n)
	for i, p := range t.points {
		parts[i] = max(rarest, map[side]float64{late: p.late, early: p.early}[t.side])
	}
	slices.Sort(parts)
	least := 2.0
	for i, part := range parts {
		if p := atLeast(n, i+1, part); p <= least {
			least, t.part, t.found = p, part, i+1
		}
	}
	for t.allowed = n; t.allowed > 0 && float64(n)*atLeast(n, t.allowed, t.part) < budget; t.allowed-- {
	}
}

func (t *test) deviates() bool { return t.found > t.allowed }

func (t *test) finding(all []*test) trial.Finding {
	first := t.points[0].Finding
	n := len(t.points)
	f := trial.Finding{
		Claim: strings.ReplaceAll(first.Formula, "/", "-") + "-" + string(t.side), Formula: first.Formula, Of: first.Of,
		Description: "the values of this formula lie where its terms usually lie",
		Source:      first.Source,
		Verdict:     trial.Conforms,
		Measured: &trial.Measured{
			Unit: formula.Count, Value: int64(t.found),
			From: first.Measured.From, To: t.points[n-1].Finding.Measured.To,
		},
		Implemented: formula.Window{Unit: formula.Count}.With(formula.Term{
			Name:   fmt.Sprintf("of %d values, those in the %s part that usually holds %.0f %%", n, t.side, 100*t.part),
			Latest: int64(t.allowed),
		}),
	}
	if t.term != "" {
		slug := slugOf(t.term)
		f.Claim, f.Formula = slug+"-"+string(t.side), "values/"+slug
		f.Of, f.Description = formula.TheKubelet, "the values that contain this step lie where its terms usually lie"
	}
	if !t.deviates() {
		return f
	}
	f.Verdict = trial.Deviates
	f.Why = fmt.Sprintf("%d of %d values are in the %s part that usually holds %.0f %%, at most %d may be; "+
		"the median is %s after the earliest value",
		t.found, n, t.side, 100*t.part, t.allowed, formula.Nanoseconds.Format(t.median()))
	if step := commonTerm(all, t.side); step != "" {
		f.Diagnosis = &trial.Diagnosis{
			Name:      diagnosisOf(t.side, step),
			Reference: f.Source,
			Would: formula.Window{Unit: formula.Count}.With(
				formula.Term{Name: "values in that part", Earliest: int64(t.allowed) + 1, Latest: int64(n)}),
		}
	}
	return f
}

func slugOf(term string) string {
	name, _, _ := strings.Cut(term, ",")
	return strings.ToLower(strings.ReplaceAll(name, " ", "-"))
}

func diagnosisOf(s side, step string) string {
	return fmt.Sprintf("one step is always %s: %s", s, step)
}

// median returns the group's median time after the earliest value of the window.
func (t *test) median() int64 {
	var after []int64
	for _, p := range t.points {
		after = append(after, p.Finding.Measured.Value-p.Finding.Implemented.Earliest)
	}
	slices.Sort(after)
	return after[len(after)/2]
}

// commonTerm returns the one term that all formulas have whose values deviate on a side, and none whose values do not.
// It returns "" if there is no such term, or more than one.
func commonTerm(all []*test, s side) string {
	var common, cleared []string
	first := true
	for _, t := range all {
		names := usualTerms(t.points[0].Finding)
		switch {
		case t.term != "" || t.side != s:
		case !t.deviates():
			cleared = append(cleared, names...)
		case first:
			common, first = names, false
		default:
			common = slices.DeleteFunc(common, func(name string) bool { return !slices.Contains(names, name) })
		}
	}
	common = slices.DeleteFunc(common, func(name string) bool { return slices.Contains(cleared, name) })
	if len(common) != 1 {
		return ""
	}
	return common[0]
}
