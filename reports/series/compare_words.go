package series

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/podclock/podclock/harness/formula"
	"github.com/podclock/podclock/harness/run"
	"github.com/podclock/podclock/reports/view"
)

// mostTold is how many rows a table of a comparison has; all are in its JSON.
const mostTold = 40

// Title is the result in one line.
func (c Comparison) Title() string {
	return c.Sides() + ": " + c.Reason
}

// Sides says what is compared: the two runs, and their subjects where it is one of each that are not the same.
func (c Comparison) Sides() string {
	switch {
	case len(c.Pairs) != 1 || c.Pairs[0].Before == c.Pairs[0].After:
		return fmt.Sprintf("From run %s to run %s", c.Before.ID, c.After.ID)
	case c.Before.Same(c.After):
		return fmt.Sprintf("From %s to %s in run %s", c.Pairs[0].Before, c.Pairs[0].After, c.Before.ID)
	}
	return fmt.Sprintf(
		"From %s in run %s to %s in run %s",
		c.Pairs[0].Before,
		c.Before.ID,
		c.Pairs[0].After,
		c.After.ID,
	)
}

// Size says how much was compared, and what came of it.
func (c Comparison) Size() string {
	var pairs []string
	for _, p := range c.Pairs {
		pairs = append(pairs, p.String())
	}
	s := fmt.Sprintf(
		"%s in common on %s, %d judged on both sides",
		run.Plural(c.Trials, "verdict"),
		cmp.Or(strings.Join(pairs, ", "), "no subject"),
		c.Judged,
	)
	var changed []string
	for _, d := range Directions {
		if n := c.Count(d); n > 0 {
			changed = append(changed, fmt.Sprintf("%d %s", n, d))
		}
	}
	s += ": " + cmp.Or(strings.Join(changed, ", "), "none changed")
	moved := len(c.Unexplained())
	return s + fmt.Sprintf(
		". %s measured on both sides, %d moved beyond chance, %d as the formulas compute; the claims of %s moved together.",
		run.Plural(c.Values, "claim"),
		moved,
		len(c.Moves)-moved,
		run.Plural(len(c.Shifts), "formula"),
	)
}

// Passages are what changed, part by part; those with nothing to tell are left out.
func (c Comparison) Passages() []view.Passage {
	var all []view.Passage
	for _, p := range append(c.changePassages(),
		c.movesPassage(), c.shiftsPassage(), c.predictedPassage(), c.selectionPassage(), c.sidesPassage()) {
		if len(p.Rows)+len(p.Lines) > 0 {
			all = append(all, p)
		}
	}
	return all
}

var directionTitles = map[Direction]string{
	Worse:          "Got worse: deviates now, and did not before",
	Better:         "Got better: deviates no more",
	NoLongerJudged: "No longer judged",
	JudgedNow:      "Judged now, and not before",
	Documentation:  "As the code computes on both sides, and as the documentation says on one of them",
}

// changePassages are the verdicts that changed, by where they went.
func (c Comparison) changePassages() []view.Passage {
	var all []view.Passage
	for _, d := range Directions {
		p := view.Passage{ID: strings.ReplaceAll(string(d), " ", "-"), Title: directionTitles[d]}
		for _, change := range c.Changes {
			if change.Direction == d {
				p.Lines = append(p.Lines, change.line())
			}
		}
		all = append(all, cut(p))
	}
	return all
}

// line is one change in words, its claims beneath it.
func (v VerdictChange) line() view.Line {
	l := view.Line{Text: fmt.Sprintf("%s on %s: %s", v.Trial, v.Subjects, went(string(v.Was), string(v.Now)))}
	for _, claim := range v.Claims {
		l.More = append(
			l.More,
			fmt.Sprintf("%s: %s, measured %s", claim.Claim, went(string(claim.Was), string(claim.Now)),
				went(cmp.Or(claim.MeasuredBefore, "nothing"), cmp.Or(claim.MeasuredAfter, "nothing"))),
		)
	}
	if v.Why != "" {
		l.More = append(l.More, v.Why)
	}
	return l
}

// went is from something to something, or that it stayed.
func went(from, to string) string {
	if from == to {
		return from
	}
	return from + " → " + to
}

// cut leaves as many rows and lines as people read.
func cut(p view.Passage) view.Passage {
	if more := len(p.Rows) - mostTold; more > 0 {
		p.Rows, p.Rest = p.Rows[:mostTold], p.Rest+more
	}
	if more := len(p.Lines) - mostTold; more > 0 {
		p.Lines, p.Rest = p.Lines[:mostTold], p.Rest+more
	}
	return p
}

// MovesPassage is the ID of the passage whose rows are the first of a comparison's Moves.
const MovesPassage = "moves"

func (c Comparison) movesPassage() view.Passage {
	p := view.Passage{
		ID:     MovesPassage,
		Title:  "Moved beyond chance",
		Note:   howFar,
		Header: []string{"claim", "before", "after", "moved", "computed", "rest", "by chance", "drawn from"},
	}
	for _, m := range c.Unexplained() {
		p.Rows = append(p.Rows, []string{
			c.about(m.Trial+": "+m.Claim, m.Subjects), m.Unit.Format(m.Before.Value), m.Unit.Format(m.After.Value),
			m.amount(m.By()), m.amount(m.Predicted), m.amount(m.Rest()), m.atMost(), m.drawnFrom(),
		})
	}
	return cut(p)
}

// about names something, and its subjects where there are several.
func (c Comparison) about(name string, subjects SubjectPair) string {
	if len(c.Pairs) > 1 {
		return name + " on " + subjects.String()
	}
	return name
}

// amount is a difference with its sign, a dash where there is none or the unit knows none, as an exit code.
func (m Move) amount(by int64) string {
	if by == 0 || !m.measures() {
		return "-"
	}
	return signed(m.Unit, by)
}

// measures says whether differences of the unit say anything.
func (m Move) measures() bool {
	return m.Unit == formula.Nanoseconds || m.Unit == formula.Count || m.Unit == formula.Seconds
}

// signed writes a difference with its sign.
func signed(u formula.Unit, v int64) string {
	if v < 0 {
		return "-" + u.Format(-v)
	}
	return "+" + u.Format(v)
}

// atMost is what chance allows.
func (m Move) atMost() string {
	if !m.measures() {
		return "-"
	}
	return m.Unit.Format(m.Scatter)
}

// drawnFrom says what the scatter rests on.
func (m Move) drawnFrom() string {
	if m.Earlier == 0 {
		return "its window"
	}
	return run.Plural(m.Earlier, "earlier value")
}

func (c Comparison) shiftsPassage() view.Passage {
	p := view.Passage{
		ID:     "shifts",
		Title:  "Formulas whose claims moved together",
		Header: []string{"formula", "median", "of windows of", "later", "sooner", "by chance"},
		Note:   howTogether + " A busier host does that as well as another kubelet or runtime.",
	}
	for _, s := range c.Shifts {
		p.Rows = append(p.Rows, []string{
			c.about(s.Formula, s.Subjects), signed(formula.Nanoseconds, s.Median), formula.Nanoseconds.Format(s.Width),
			run.Plural(s.Later, "trial"), run.Plural(s.Sooner, "trial"), fmt.Sprintf("%.1g", s.Chance),
		})
	}
	return cut(p)
}

// predictedPassage tells, by formula, what moved as it computes.
func (c Comparison) predictedPassage() view.Passage {
	type key struct {
		formula  string
		subjects SubjectPair
	}
	grouped := map[key][]Move{}
	for _, m := range c.predicted() {
		k := key{m.Formula, m.Subjects}
		grouped[k] = append(grouped[k], m)
	}
	p := view.Passage{
		ID:     "computed",
		Title:  "Moved as the formulas compute",
		Header: []string{"formula", "claims", "moved", "for example"},
	}
	for _, k := range slices.SortedFunc(maps.Keys(grouped), func(x, y key) int {
		return cmp.Or(cmp.Compare(x.formula, y.formula), cmp.Compare(x.subjects.String(), y.subjects.String()))
	}) {
		group := grouped[k]
		p.Rows = append(
			p.Rows,
			[]string{
				c.about(k.formula, k.subjects),
				fmt.Sprint(len(group)),
				movedBy(group),
				group[0].Trial + ": " + group[0].Claim,
			},
		)
	}
	return cut(p)
}

// movedBy is the least and the most that some claims of a formula moved.
func movedBy(group []Move) string {
	by := func(x, y Move) int { return cmp.Compare(x.By(), y.By()) }
	least, most := slices.MinFunc(group, by), slices.MaxFunc(group, by)
	if least.By() == most.By() {
		return least.amount(least.By())
	}
	return least.amount(least.By()) + " to " + most.amount(most.By())
}

// selectionPassage is what only one side has.
func (c Comparison) selectionPassage() view.Passage {
	p := view.Passage{ID: "one-sided", Title: "On one side only"}
	for _, alone := range c.Alone {
		p.Lines = append(p.Lines, view.Line{Text: fmt.Sprintf("subject %s", alone)})
	}
	add := func(what string, all []OneSided) {
		if len(all) == 0 {
			return
		}
		var names []string
		for _, o := range all {
			names = append(names, fmt.Sprintf("%s on %s (%s)", o.Trial, o.Subject, o.Verdict))
		}
		p.Lines = append(p.Lines, view.Line{Text: fmt.Sprintf("%s %s: %s", run.Plural(len(all), "trial"), what, view.Listed(names))})
	}
	add("went", c.Went)
	add("appeared", c.Appeared)
	return p
}

// sidesPassage is what the runs were and what is not alike about them.
func (c Comparison) sidesPassage() view.Passage {
	p := view.Passage{ID: RunsPassage, Title: "The two runs", Header: []string{"", "before", "after"}, Rows: [][]string{
		{"run", c.Before.ID, c.After.ID},
		{"started", c.Before.Started.UTC().Format(time.DateTime), c.After.Started.UTC().Format(time.DateTime)},
		{"took", c.Before.Took(), c.After.Took()},
	}}
	for _, v := range view.Verdicts() {
		if b, a := c.Before.Verdicts[v], c.After.Verdicts[v]; b+a > 0 {
			p.Rows = append(p.Rows, []string{string(v), fmt.Sprint(b), fmt.Sprint(a)})
		}
	}
	p.Rows = append(p.Rows, []string{"run again", fmt.Sprint(c.Before.Repeated), fmt.Sprint(c.After.Repeated)})
	for _, d := range c.Differences {
		p.Rows = append(p.Rows, []string{d.What, d.Before, d.After})
	}
	for _, side := range []view.RunSummary{c.Before, c.After} {
		for _, problem := range side.Problems {
			p.Lines = append(p.Lines, view.Line{Text: "Problem of run " + side.ID + ": " + problem})
		}
	}
	if c.Earlier > 0 {
		p.Note = fmt.Sprintf("How far claims scatter is drawn from %s before.", run.Plural(c.Earlier, "run"))
	}
	return p
}
