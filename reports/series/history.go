package series

import (
	"github.com/podclock/podclock/harness/formula"
	"github.com/podclock/podclock/harness/trial"
	"github.com/podclock/podclock/reports/view"
)

// HistorySchema names the format of a history as JSON; it changes when a reader of an older one would misunderstand it.
const HistorySchema = "podclock.history/v1"

// History is what many runs say of the same trials and subjects, one after another. A subject is the same
// in all of them where it has the same name.
type History struct {
	Schema string `json:"schema"`
	// Runs are the runs, the oldest first. Left is how many older ones were left out, PassedOver which
	// saved ones could not be read, and why.
	Runs       []view.RunSummary `json:"runs"`
	Left       int               `json:"left,omitempty"`
	PassedOver []string          `json:"passedOver,omitempty"`
	// Trials are those of all runs on each subject, as the newest run has them, and then what only older ones had.
	Trials []TrialHistory `json:"trials"`
}

// TrialHistory is one trial on one subject.
type TrialHistory struct {
	Trial   string `json:"trial"`
	Subject string `json:"subject"`
	// Runs are the runs that came to a verdict of it, by their place in the history's. One that was cut
	// short, or in which no trial ran at all, is none of them.
	Runs []TrialRun `json:"runs"`
	// Changes is how often the verdict was another one than that of the run before. Flakes is in how many
	// runs it was worse than before and after, and FlakeRate the same as a share of the Runs. Again is in
	// how many runs the trial had to be run more than once.
	Changes   int     `json:"changes,omitempty"`
	Flakes    int     `json:"flakes,omitempty"`
	FlakeRate float64 `json:"flakeRate,omitempty"`
	Again     int     `json:"again,omitempty"`
	// Claims are those of any run, as the newest one has them first.
	Claims []ClaimHistory `json:"claims,omitempty"`
}

// TrialRun is what a trial came to in one run.
type TrialRun struct {
	// Run is the place of the run in the history's.
	Run      int           `json:"run"`
	Verdict  trial.Verdict `json:"verdict"`
	Attempts int           `json:"attempts,omitempty"`
	// Why is the reason of a verdict that is not as it should be: it deviates, or is inconclusive.
	Why string `json:"why,omitempty"`
}

// ClaimHistory is what was measured of one claim.
type ClaimHistory struct {
	Claim   string            `json:"claim"`
	Formula string            `json:"formula"`
	Of      formula.Component `json:"of,omitempty"`
	Unit    formula.Unit      `json:"unit"`
	// Points are the runs that judged it.
	Points []Point `json:"points"`
	// Spread is the distribution of the values that can be relied on, nil where there is none.
	Spread *Quartiles[int64] `json:"spread,omitempty"`
}

// Point is what one run measured of a claim.
type Point struct {
	// Run is the place of the run in the history's.
	Run     int           `json:"run"`
	Verdict trial.Verdict `json:"verdict"`
	// Value is what was measured, nil where it never came.
	Value *int64 `json:"value,omitempty"`
	// Earliest and Latest are the ends of what the code computes, the observer's error included; Documented
	// is what is documented, nil where that is nothing.
	Earliest   int64 `json:"earliest"`
	Latest     int64 `json:"latest"`
	Documented *Ends `json:"documented,omitempty"`
	// Less and More are how much smaller or larger the true value may be, and Waited how long the node kept
	// work waiting meanwhile.
	Less   int64 `json:"less,omitempty"`
	More   int64 `json:"more,omitempty"`
	Waited int64 `json:"waited,omitempty"`
}

// Ends are the earliest and latest value of a window.
type Ends struct {
	Earliest int64 `json:"earliest"`
	Latest   int64 `json:"latest"`
}

// Flaked says whether in this run, one of those of a trial, the verdict was part of an episode: what was
// before it was better, and so is what came after.
func (t TrialHistory) Flaked(i int) bool {
	v := t.Runs[i].Verdict
	first, last := i, i
	for first > 0 && t.Runs[first-1].Verdict == v {
		first--
	}
	for last < len(t.Runs)-1 && t.Runs[last+1].Verdict == v {
		last++
	}
	return first > 0 && last < len(t.Runs)-1 && worse(v, t.Runs[first-1].Verdict) && worse(v, t.Runs[last+1].Verdict)
}

// worse says whether a verdict is more severe than another one.
func worse(v, than trial.Verdict) bool { return v != than && trial.Worse(v, than) == v }

// Steady says whether a trial came to the same verdict whenever it was run.
func (t TrialHistory) Steady() bool { return t.Changes == 0 }

// count works out how steady the trial was, and how its claims spread.
func (t *TrialHistory) count() {
	for i := range t.Runs {
		if i > 0 && t.Runs[i].Verdict != t.Runs[i-1].Verdict {
			t.Changes++
		}
		if t.Flaked(i) {
			t.Flakes++
		}
		if t.Runs[i].Attempts > 1 {
			t.Again++
		}
	}
	t.FlakeRate = view.RatioOf(t.Flakes, len(t.Runs))
	for i := range t.Claims {
		var values []int64
		for _, v := range t.Claims[i].reliable() {
			values = append(values, v.value)
		}
		if len(values) > 0 {
			q := QuartilesOf(values)
			t.Claims[i].Spread = &q
		}
	}
}

// pointOf is what stays of a finding.
func pointOf(f trial.Finding) Point {
	p := Point{
		Verdict:  f.Verdict,
		Earliest: f.Implemented.Earliest,
		Latest:   f.Implemented.Latest,
		Waited:   int64(f.Delay),
	}
	if f.Measured != nil {
		value := f.Measured.Value
		p.Value, p.Less, p.More = &value, f.Measured.Less, f.Measured.More
	}
	if f.Documented != nil {
		p.Documented = &Ends{f.Documented.Earliest, f.Documented.Latest}
	}
	return p
}

// sample is the point as it can be compared with others, false for one without a value to rely on.
func (p Point) sample() (sample, bool) {
	if p.Value == nil || p.Verdict == trial.Inconclusive {
		return sample{}, false
	}
	return sample{
		value:  *p.Value,
		anchor: p.Earliest + p.More,
		width:  p.Latest - p.Earliest,
		less:   p.Less,
		more:   p.More,
		waited: p.Waited,
	}, true
}

// reliable is a value of a claim that can be relied on, and the place of its run in the history's.
type reliable struct {
	run int
	sample
}

// reliable are the claim's values that can be relied on, in the order of their runs.
func (c ClaimHistory) reliable() []reliable {
	var all []reliable
	for _, p := range c.Points {
		if s, relied := p.sample(); relied {
			all = append(all, reliable{p.Run, s})
		}
	}
	return all
}

// valueKey is a claim of a trial on a subject.
type valueKey struct{ trial, claim, subject string }

// earlierValues are the offsets of claims in their windows, in runs before those that are compared, of
// which there are so many.
type earlierValues struct {
	runs    int
	offsets map[valueKey][]int64
}

// earlier are the values of the runs that began before both of two others.
func (h History) earlier(one, other view.RunSummary) earlierValues {
	e := earlierValues{offsets: map[valueKey][]int64{}}
	for e.runs < len(h.Runs) && h.Runs[e.runs].Before(one) && h.Runs[e.runs].Before(other) {
		e.runs++
	}
	for _, t := range h.Trials {
		for _, c := range t.Claims {
			for _, v := range c.reliable() {
				if v.run < e.runs {
					key := valueKey{t.Trial, c.Claim, t.Subject}
					e.offsets[key] = append(e.offsets[key], v.offset())
				}
			}
		}
	}
	return e
}

// Newest are the moves and shifts in the last run: each claim beside the run before in which it was
// measured, be there others in between, as far as those that are earlier still tell how far it scatters.
func (h History) Newest() (moved []Move, shifted []Shift) {
	var measured []pairedClaim
	for _, t := range h.Trials {
		for _, c := range t.Claims {
			values := c.reliable()
			last := len(values) - 1
			if last < 1 || values[last].run != len(h.Runs)-1 {
				continue
			}
			pair := pairOf(
				Move{
					Trial:    t.Trial,
					Claim:    c.Claim,
					Formula:  c.Formula,
					Subjects: SubjectPair{t.Subject, t.Subject},
					Unit:     c.Unit,
				},
				values[last-1].sample,
				values[last].sample,
			)
			for _, v := range values[:last-1] {
				pair.earlier = append(pair.earlier, v.offset())
			}
			measured = append(measured, pair)
		}
	}
	return moves(measured), shifts(measured)
}
