package series

import (
	"fmt"
	"slices"

	"github.com/podclock/podclock/harness/measure/run"
	"github.com/podclock/podclock/harness/measure/trial"
	"github.com/podclock/podclock/harness/rules/formula"
	"github.com/podclock/podclock/reports/view"
)

// HistorySchema names the format of a history as JSON.
const HistorySchema = "podclock.history/v1"

// MostRuns is the default number of runs in a history: two months of nights.
const MostRuns = 60

// History is what many runs found of the same trials and subjects. Subjects are the same if their names are.
type History struct {
	Schema string `json:"schema"`
	// Runs are the runs, the oldest first. Left is the number of older runs that are not in the history.
	// PassedOver are the saved runs that could not be read, with the error.
	Runs       []view.RunSummary `json:"runs"`
	Left       int               `json:"left,omitempty"`
	PassedOver []string          `json:"passedOver,omitempty"`
	// Scores are the draws of mutants that lie beside the runs, the oldest first.
	Scores []Score `json:"scores,omitempty"`
	// Trials are in the order of the newest run. Trials that it does not have come last.
	Trials []TrialHistory `json:"trials"`
}

// TrialHistory is one trial on one subject.
type TrialHistory struct {
	Trial   string `json:"trial"`
	Subject string `json:"subject"`
	// Runs are the runs that have a verdict of the trial. Former is the number of older ones that are left out, because
	// the trial had other pods or faults then.
	Runs   []TrialRun `json:"runs"`
	Former int        `json:"former,omitempty"`
	// Changes is how often the verdict differs from that of the run before. Flakes is the number of runs in
	// which it was worse than before and after, FlakeRate their share. Again is the number of runs that needed
	// more than one attempt.
	Changes   int     `json:"changes,omitempty"`
	Flakes    int     `json:"flakes,omitempty"`
	FlakeRate float64 `json:"flakeRate,omitempty"`
	Again     int     `json:"again,omitempty"`
	// Claims are in the order of the newest run that has them.
	Claims []ClaimHistory `json:"claims,omitempty"`
}

// TrialRun is the verdict of a trial in one run.
type TrialRun struct {
	Run      int           `json:"run"`
	Verdict  trial.Verdict `json:"verdict"`
	Attempts int           `json:"attempts,omitempty"`
	// Why is the reason if the verdict is deviates or inconclusive.
	Why string `json:"why,omitempty"`
}

// ClaimHistory is what was measured of one claim.
type ClaimHistory struct {
	Claim   string            `json:"claim"`
	Formula string            `json:"formula"`
	Of      formula.Component `json:"of,omitempty"`
	Unit    formula.Unit      `json:"unit"`
	Points  []Point           `json:"points"`
	// Spread is the distribution of the reliable values, nil if there are none.
	Spread *Quartiles[int64] `json:"spread,omitempty"`
}

// HistoryBuilder makes a history of runs that are added one by one, in any order. It keeps the newest.
type HistoryBuilder struct {
	most       int
	runs       []Observation // the oldest first
	left       int
	passedOver []string
	scores     []Score
}

// NewHistory returns a builder that keeps the newest runs, at least one.
func NewHistory(most int) *HistoryBuilder { return &HistoryBuilder{most: most} }

// Add adds a run. It reports whether the run was new; a run that is added twice counts once.
func (b *HistoryBuilder) Add(r run.Run) bool {
	seen := Observe(r)
	at, known := slices.BinarySearchFunc(b.runs, seen, func(x, y Observation) int {
		switch {
		case x.Same(y.RunSummary):
			return 0
		case x.Before(y.RunSummary):
			return -1
		}
		return 1
	})
	if known {
		return false
	}
	b.runs = slices.Insert(b.runs, at, seen)
	if more := len(b.runs) - b.most; more > 0 {
		b.left += more
		b.runs = slices.Delete(b.runs, 0, more)
	}
	return true
}

// PassOver notes a saved run that could not be read.
func (b *HistoryBuilder) PassOver(path string, why error) {
	b.passedOver = append(b.passedOver, fmt.Sprintf("%s: %v", path, why))
}

// History returns the history of the runs so far.
func (b *HistoryBuilder) History() History {
	h := History{Schema: HistorySchema, Left: b.left, PassedOver: b.passedOver, Scores: b.scores}
	places := map[claimKey]int{} // of a trial if the claim is empty
	former := map[claimKey]int{} // the first run of what the trial is now
	setups := map[claimKey]Outcome{}
	for i, seen := range slices.Backward(b.runs) {
		outcomes, _ := seen.Counted()
		for _, o := range outcomes {
			key := claimKey{o.Trial, o.Subject, ""}
			if now, known := setups[key]; !known || now.Setup == "" {
				setups[key] = o
			} else if former[key] == 0 && !o.sameTrial(now) {
				former[key] = i + 1
			}
			if i < former[key] {
				continue
			}
			at := view.Place(places, key, &h.Trials,
				TrialHistory{Trial: o.Trial, Subject: o.Subject})
			for _, c := range o.Claims {
				if c.Judged {
					view.Place(places, claimKey{o.Trial, o.Subject, c.Name}, &h.Trials[at].Claims,
						ClaimHistory{Claim: c.Name, Formula: c.Formula, Of: c.Of, Unit: c.Unit})
				}
			}
		}
	}
	for i, seen := range b.runs {
		h.Runs = append(h.Runs, seen.RunSummary)
		outcomes, _ := seen.Counted()
		for _, o := range outcomes {
			key := claimKey{o.Trial, o.Subject, ""}
			t := &h.Trials[places[key]]
			if i < former[key] {
				t.Former++
				continue
			}
			t.add(i, o)
			for _, c := range o.Claims {
				if !c.Judged {
					continue
				}
				into := &t.Claims[places[claimKey{o.Trial, o.Subject, c.Name}]]
				if into.Unit == c.Unit { // an older revision can measure something else by this name
					c.Run = i
					into.Points = append(into.Points, c.Point)
				}
			}
		}
	}
	for i := range h.Trials {
		h.Trials[i].count()
	}
	return h
}

func (t *TrialHistory) add(index int, o Outcome) {
	r := TrialRun{Run: index, Verdict: o.Verdict, Attempts: o.Attempts}
	if o.Verdict == trial.Deviates || o.Verdict == trial.Inconclusive {
		r.Why = o.Why
	}
	t.Runs = append(t.Runs, r)
}

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
		for _, p := range t.Claims[i].reliable() {
			values = append(values, *p.Value)
		}
		if len(values) > 0 {
			t.Claims[i].Spread = new(QuartilesOf(values))
		}
	}
}

// Flaked reports whether the trial's verdict was worse in this run than before and after.
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

// worse reports whether a verdict is more severe than another one.
func worse(v, than trial.Verdict) bool { return v != than && trial.Worse(v, than) == v }

// Steady reports whether all runs of the trial have the same verdict.
func (t TrialHistory) Steady() bool { return t.Changes == 0 }

// reliable returns the points that can be compared.
func (c ClaimHistory) reliable() []Point {
	return slices.DeleteFunc(slices.Clone(c.Points), func(p Point) bool { return !p.reliable() })
}

// offsets returns where values of runs before two others lie in their windows, and how many such runs there are.
func (h History) offsets(one, other view.RunSummary) (offsets map[claimKey][]int64, runs int) {
	for runs < len(h.Runs) && h.Runs[runs].Before(one) && h.Runs[runs].Before(other) {
		runs++
	}
	offsets = map[claimKey][]int64{}
	for _, t := range h.Trials {
		for _, c := range t.Claims {
			for _, p := range c.reliable() {
				if p.Run < runs {
					key := claimKey{t.Trial, t.Subject, c.Claim}
					offsets[key] = append(offsets[key], p.offset())
				}
			}
		}
	}
	return offsets, runs
}

// Newest returns the moves and shifts of the newest run. It compares each claim with the last run before that
// measured it.
func (h History) Newest() ([]Move, []Shift) {
	var pairs []pair
	for _, t := range h.Trials {
		for _, c := range t.Claims {
			points := c.reliable()
			last := len(points) - 1
			if last < 1 || points[last].Run != len(h.Runs)-1 {
				continue
			}
			var earlier []int64
			for _, p := range points[:last-1] {
				earlier = append(earlier, p.offset())
			}
			m := Move{Trial: t.Trial, Claim: c.Claim, Formula: c.Formula, Unit: c.Unit}
			m.Subjects = SubjectPair{t.Subject, t.Subject}
			pairs = append(pairs, pairOf(m, points[last-1], points[last], earlier))
		}
	}
	return moves(pairs), shifts(pairs)
}
