package repeats

import (
	"github.com/podclock/podclock/harness/formula"
	"github.com/podclock/podclock/harness/run"
	"github.com/podclock/podclock/harness/trial"
	"github.com/podclock/podclock/reports/series"
)

// ClaimSpread is the distribution of what one claim measured on one kubelet in one lane.
type ClaimSpread struct {
	Trial   string            `json:"trial"`
	Claim   string            `json:"claim"`
	Formula string            `json:"formula"`
	Of      formula.Component `json:"of,omitempty"`
	Kubelet string            `json:"kubelet"`
	Lane    run.Lane          `json:"lane"`
	Unit    formula.Unit      `json:"unit"`
	// Repeats is how many last attempts had a verdict of the claim, Verdicts what they came to.
	Repeats  int                   `json:"repeats"`
	Verdicts map[trial.Verdict]int `json:"verdicts"`
	// Untrusted is how many attempts, those that were run again included, found the claim inconclusive.
	// What they measured is in none of the figures.
	Untrusted int `json:"untrusted,omitempty"`
	// Never is in how many repeats the value surely never came.
	Never int `json:"never,omitempty"`
	// Measured is the distribution of a time, Values how often each value was measured of anything else.
	Measured *series.Quartiles[int64] `json:"measured,omitempty"`
	Values   []ValueCount             `json:"values,omitempty"`
	// Implemented and Documented are how a time lay inside the windows of its repeats; nil for what is no
	// time, and where nothing is documented.
	Implemented *WindowSpread `json:"implemented,omitempty"`
	Documented  *WindowSpread `json:"documented,omitempty"`
}

// ValueCount is how often one value was measured.
type ValueCount struct {
	Value int64 `json:"value"`
	Times int   `json:"times"`
}

// WindowSpread is how measured times lay inside their windows. A window may depend on what was measured
// before, as a hook's time, so that each repeat has its own.
type WindowSpread struct {
	// Narrowest and Widest are windows' widths in nanoseconds.
	Narrowest int64 `json:"narrowest"`
	Widest    int64 `json:"widest"`
	// Margin is how far the times were from the nearer end, negative outside.
	Margin series.Quartiles[int64] `json:"margin"`
	// Position is where in the window they were: 0 at its earliest, 1 at its latest moment. In a window of
	// one moment it is 0.5 there, a whole window's width outside, -1 or 2, before and after.
	Position series.Quartiles[float64] `json:"position"`
	// Late is the time that came closest to the latest moment. Early is that for the earliest one, nil
	// where that is the moment of the cause or before it: nothing can be sooner.
	Late  Nearest  `json:"late"`
	Early *Nearest `json:"early,omitempty"`
}

// Nearest is the repeat that came closest to an end of its window.
type Nearest struct {
	// Margin is how far it was from there in nanoseconds, negative beyond it, and Share the same as a part
	// of the window's width.
	Margin   int64   `json:"margin"`
	Share    float64 `json:"share"`
	Measured int64   `json:"measured"`
	Round    string  `json:"round"`
	Subject  string  `json:"subject"`
}
