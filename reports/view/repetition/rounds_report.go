package repetition

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/podclock/podclock/harness/measure/run"
	"github.com/podclock/podclock/harness/measure/trial"
	"github.com/podclock/podclock/reports/view"
	"github.com/podclock/podclock/reports/view/series"
)

const (
	// mostDoubted is the number of claims with doubts, mostNear that of claims near each end of their windows.
	mostDoubted, mostNear = 15, 30
	// nearEnd is the part of its window within which a value is near an end.
	nearEnd = 0.10
)

const barKey = "What is left is the smallest distance of any value to that end. The bar is the window: `-` from the " +
	"least to the greatest value, `=` the middle half, `#` the median. `<` and `>` mean that values are outside."

// Report is the rounds in words.
func (r Rounds) Report() view.Report {
	problems := view.Section{ID: "problems", Title: "Problems"}
	for _, round := range r.Rounds {
		if round.Failed != "" {
			problems.AddLine(fmt.Sprintf("Round %s failed: %s", round.ID, round.Failed))
		}
		for _, problem := range round.Problems {
			problems.AddLine(fmt.Sprintf("Problem in round %s: %s", round.ID, problem))
		}
	}
	late := r.nearSection("late", "latest", func(w *WindowSpread) *Nearest { return &w.Late })
	early := r.nearSection("early", "earliest", func(w *WindowSpread) *Nearest { return w.Early })
	late.Note += " " + barKey
	early.Note += " A timer never fires early, so many values are near the beginning of a window that begins with a " +
		"timer. Windows that begin with their cause are not in the table: no value is earlier."
	return view.Report{Title: r.Title(),
		Sections: view.Shown(r.resultSection(), problems, r.unusualSection(), r.doubtedSection(), late, early)}
}

// Title is the result in one line.
func (r Rounds) Title() string {
	var of []string
	for _, k := range r.Kubelets {
		of = append(of, fmt.Sprintf("%d of %s", k.Repeats, k))
	}
	if len(of) == 0 {
		return "No rounds: no trial ran"
	}
	cut := ""
	if r.CutShort > 0 {
		cut = fmt.Sprintf(", %d cut short", r.CutShort)
	}
	return fmt.Sprintf("Repetitions (%s): %s, %s inconclusive%s, %s", strings.Join(of, ", "),
		run.Plural(r.Verdicts[trial.Deviates], "deviation"), view.OfHundred(r.Inconclusive), cut, r.ofAsked())
}

// ExitReason is the meaning of the exit code in one sentence.
func (r Rounds) ExitReason() string {
	_, reason := r.exit()
	return reason
}

func (r Rounds) resultSection() view.Section {
	f := facts{view.Section{ID: "result", Title: "Result", Header: []string{"", ""}}}
	f.add("result", "exit code %d: %s", r.ExitCode, r.ExitReason())
	for _, v := range view.Verdicts() {
		if n := r.Verdicts[v]; n > 0 || v == trial.Deviates || v == trial.Inconclusive {
			f.add(string(v), "%d of %d (%s)", n, r.Outcomes, view.OfHundred(view.RatioOf(n, r.Outcomes)))
		}
	}
	if r.CutShort > 0 {
		f.add("cut short", "%s more, by an interrupt or the loss of the cluster", run.Plural(r.CutShort, "trial"))
	}
	for _, k := range r.Kubelets {
		f.add("repetitions", "%d of each of %s on %s, %s lane, as %s",
			k.Repeats, run.Plural(k.Trials, "trial"), k, k.Lane, strings.Join(k.Subjects, ", "))
	}
	different := 0
	for _, c := range r.Claims {
		if run.Judged(c.Verdicts) > 0 {
			different++
		}
	}
	f.add("claims judged", "%d, %d different ones", r.Judged, different)
	f.add("run again", "%s took more than one attempt (%s); %s in all", run.Plural(r.Repeated, "verdict"),
		view.OfHundred(view.RatioOf(r.Repeated, r.Outcomes)), run.Plural(r.Attempts, "attempt"))
	failed := ""
	if n := r.failed(); n > 0 {
		failed = fmt.Sprintf(", %d failed before a trial ran", n)
	}
	f.add("rounds", "%s%s; %s", r.ofAsked(), failed, r.pace())
	if made := r.madeBy(); made != "" {
		f.add("made by", "%s", made)
	}
	return f.Section
}

func (r Rounds) pace() string {
	var walls []int64
	for _, round := range r.Rounds {
		if round.Failed == "" && round.Wall > 0 {
			walls = append(walls, int64(round.Wall))
		}
	}
	if len(walls) == 0 {
		return "none ended"
	}
	q := series.QuartilesOf(walls)
	short := func(ns int64) string { return view.FormatDuration(time.Duration(ns)) }
	return fmt.Sprintf("one took %s to %s, half of them at most %s", short(q.Min), short(q.Max), short(q.Median))
}

// madeBy has the profile, revision and host of the rounds. Several revisions are a warning: the rounds do not repeat
// the same.
func (r Rounds) madeBy() string {
	var all []string
	for _, round := range r.Rounds {
		made := view.MadeBy(round.Podclock, round.CPUs, round.Profile)
		if round.Failed == "" && round.Podclock != "" && !slices.Contains(all, made) {
			all = append(all, made)
		}
	}
	return strings.Join(all, "; ")
}

func (r Rounds) unusualSection() view.Section {
	p := view.Section{ID: "unusual", Title: "Verdicts that need a look",
		Note:   "All deviations and inconclusive verdicts, and others that differ from the usual one of their trial.",
		Header: []string{"verdict", "trial", "subject", "round", "usual", "times", "attempts", "reason"}}
	for _, u := range r.Unusual {
		times := fmt.Sprintf("%d of %d", u.Times, u.Repeats)
		p.AddRow(u.Verdict, u.Trial, u.Subject, u.Round, u.Usual, times, u.Attempts, u.Reason)
	}
	if len(p.Rows) == 0 {
		p.Note, p.Header = "", nil
		p.AddLine("None: all repetitions of a trial have the same verdict.")
	}
	return p
}

func (r Rounds) doubtedSection() view.Section {
	claims := slices.DeleteFunc(slices.Clone(r.Claims), func(c ClaimSpread) bool { return c.Untrusted == 0 })
	slices.SortStableFunc(claims, func(a, b ClaimSpread) int { return b.Untrusted - a.Untrusted })
	p := view.Section{ID: "doubted", Title: "Inconclusive claims, with attempts that were run again",
		Header: []string{"claim", "inconclusive in attempts", "verdicts"}}
	for _, c := range claims {
		p.AddRow(r.name(c), c.Untrusted, c.Repeats)
	}
	return p.Cut(mostDoubted)
}

// name is the trial and the claim, and the kubelet if there are several.
func (r Rounds) name(c ClaimSpread) string {
	name := c.Trial + ": " + c.Claim
	if len(r.Kubelets) > 1 {
		name += " on " + inLane(c.Kubelet, c.Lane)
	}
	return name
}

// nearSection has the claims with values nearest to one end of the implemented window, as a part of its width.
func (r Rounds) nearSection(id, moment string, end func(*WindowSpread) *Nearest) view.Section {
	var claims []ClaimSpread
	near := 0
	for _, c := range r.Claims {
		if c.Implemented == nil || end(c.Implemented) == nil {
			continue
		}
		claims = append(claims, c)
		if end(c.Implemented).Share < nearEnd {
			near++
		}
	}
	slices.SortStableFunc(claims, func(a, b ClaimSpread) int {
		return cmp.Compare(end(a.Implemented).Share, end(b.Implemented).Share)
	})
	p := view.Section{ID: id, Title: "Nearest to the " + moment + " moment that the code allows", Code: []int{3},
		Note: fmt.Sprintf("%s, %d of them with a value within %.0f %% of this end. All claims are in %s.",
			run.Plural(len(claims), "claim"), near, 100*nearEnd, RoundsClaimsFile),
		Header: []string{"left", "of the window", "claim", "in the window", "median", "least to greatest", "verdicts",
			"nearest in"}}
	for _, c := range claims {
		n := end(c.Implemented)
		extent := view.FormatNumber(c.Unit, c.Measured.Min) + " to " + view.FormatValue(c.Unit, c.Measured.Max)
		p.AddRow(inMilliseconds(n.Margin), fmt.Sprintf("%.1f %%", 100*n.Share), r.name(c), Bar(c.Implemented.Position),
			view.FormatValue(c.Unit, c.Measured.Median), extent, c.Repeats, n.Round+" "+n.Subject)
	}
	return p.Cut(mostNear)
}

// inMilliseconds writes a distance, a small one with its microseconds.
func inMilliseconds(ns int64) string {
	ms := time.Duration(ns).Seconds() * 1000
	if math.Abs(ms) < 10 {
		return fmt.Sprintf("%.2f ms", ms)
	}
	return fmt.Sprintf("%.0f ms", ms)
}

const barWidth = 24

// Bar draws positions in a window: "[..--==#=-...]".
func Bar(p series.Quartiles[float64]) string {
	cells := []byte(strings.Repeat(".", barWidth))
	cell := func(position float64) int { return int(min(max(position*barWidth, 0), barWidth-1)) }
	draw := func(from, to float64, with byte) {
		if to < 0 || from > 1 {
			return
		}
		for i := cell(from); i <= cell(to); i++ {
			cells[i] = with
		}
	}
	draw(p.Min, p.Max, '-')
	draw(p.Q1, p.Q3, '=')
	draw(p.Median, p.Median, '#')
	left, right := "[", "]"
	if p.Min < 0 {
		left = "<"
	}
	if p.Max > 1 {
		right = ">"
	}
	return left + string(cells) + right
}

// ClaimsReport has the distribution of every claim, by area.
func (r Rounds) ClaimsReport() view.Report {
	report := view.Report{Title: "The distribution of every claim", Size: barKey + " The columns \"left\" are the " +
		"smallest distance to the nearer end: of what the code computes, and of what is documented."}
	places := map[string]int{}
	for _, c := range r.byTrial() {
		area := trial.Trial{ID: c.Trial}.Area()
		i := view.Place(places, area, &report.Sections, view.Section{
			ID: area, Title: area, Code: []int{1}, Header: []string{"claim", "in the window", "least", "first quarter",
				"median", "third quarter", "greatest", "left", "left of what is documented", "verdicts"},
		})
		p := &report.Sections[i]
		p.Rows = append(p.Rows, r.claimCells(c))
	}
	return report
}

// claimCells are the row of a claim: the distribution of a time, or the frequencies of anything else.
func (r Rounds) claimCells(c ClaimSpread) []string {
	came := view.Counts(c.Verdicts)
	if c.Never > 0 {
		came = append(came, fmt.Sprintf("%d never came", c.Never))
	}
	cells := []string{r.name(c), "", "", "", "", "", "", "", "", strings.Join(came, ", ")}
	if c.Measured == nil {
		var values []string
		for _, v := range c.Values {
			values = append(values,
				fmt.Sprintf("%s (%s)", view.FormatValue(c.Unit, v.Value), run.Plural(v.Times, "time")))
		}
		cells[2] = strings.Join(values, ", ")
		return cells
	}
	cells[1] = Bar(c.Implemented.Position)
	for i, v := range []int64{c.Measured.Min, c.Measured.Q1, c.Measured.Median, c.Measured.Q3, c.Measured.Max} {
		cells[2+i] = view.FormatValue(c.Unit, v)
	}
	cells[7] = inMilliseconds(c.Implemented.Margin.Min)
	if c.Documented != nil {
		cells[8] = inMilliseconds(c.Documented.Margin.Min)
	}
	return cells
}

// byTrial returns the claims with those of one trial together, otherwise in the order of the runs.
func (r Rounds) byTrial() []ClaimSpread {
	rank := map[string]int{}
	for _, c := range r.Claims {
		if _, seen := rank[c.Trial]; !seen {
			rank[c.Trial] = len(rank)
		}
	}
	sorted := slices.Clone(r.Claims)
	slices.SortStableFunc(sorted, func(a, b ClaimSpread) int { return rank[a.Trial] - rank[b.Trial] })
	return sorted
}
