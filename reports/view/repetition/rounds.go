package repetition

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/podclock/podclock/harness/measure/run"
	"github.com/podclock/podclock/harness/measure/trial"
	"github.com/podclock/podclock/reports/view"
	"github.com/podclock/podclock/reports/view/series"
)

// RoundsSchema names the format of repeat.json.
const RoundsSchema = "podclock.repeat/v1"

// What a folder of rounds has beside their runs.
const (
	// RoundsFile is the report for people, RoundsClaimsFile has the distribution of every claim, RoundsJSON has all
	// for programs.
	RoundsFile       = "repeat.md"
	RoundsClaimsFile = "repeat-claims.md"
	RoundsJSON       = "repeat.json"
	// RoundsPrefix begins the folder's name.
	RoundsPrefix = "repeat-"
)

// MostInconclusive is the default share of inconclusive verdicts that rounds must stay below.
const MostInconclusive = 0.005

// MostTroubled is the number of rounds in a row with a failure or a problem that ends the rounds.
const MostTroubled = 2

// Rounds is what the runs of one selection found together. Each trial on a kubelet in a lane is repeated. Subjects that
// are the same kubelet repeat each other within a round.
type Rounds struct {
	Schema string `json:"schema"`
	// Asked is the number of rounds that were requested.
	Asked    int             `json:"asked"`
	Rounds   []Round         `json:"rounds"`
	Kubelets []roundsKubelet `json:"kubelets"`
	// Outcomes is the number of verdicts. Rounds that failed have none.
	Outcomes     int                   `json:"outcomes"`
	Verdicts     map[trial.Verdict]int `json:"verdicts"`
	Inconclusive float64               `json:"inconclusive"`
	// CutShort is the number of trials without a verdict because their round was interrupted or lost its cluster.
	// Outcomes and Verdicts do not count them.
	CutShort int `json:"cutShort,omitempty"`
	// Unjudged is the share of selected trials that are inconclusive or were cut short. It must be below
	// InconclusiveBelow.
	Unjudged          float64 `json:"unjudged"`
	InconclusiveBelow float64 `json:"inconclusiveBelow"`
	// Judged is the number of conclusive verdicts of claims.
	Judged int `json:"judged"`
	// Attempts is their number, Repeated the number of outcomes with more than one.
	Attempts int `json:"attempts"`
	Repeated int `json:"repeated"`
	// Unusual are the verdicts that need a look, the worst first.
	Unusual []Unusual     `json:"unusual,omitempty"`
	Claims  []ClaimSpread `json:"claims"`
	// Ended is why there are fewer rounds than requested.
	Ended    string `json:"ended,omitempty"`
	ExitCode int    `json:"exitCode"`
}

// Round is one run.
type Round struct {
	ID       string    `json:"id"`
	Started  time.Time `json:"started"`
	Podclock string    `json:"podclock,omitempty"`
	Profile  string    `json:"profile,omitempty"`
	CPUs     int       `json:"cpus,omitempty"`
	// Wall is the time from the round's start to its last verdict, Trials from the ready cluster to the last
	// verdict. 0 means that one of these never happened.
	Wall     time.Duration         `json:"wall"`
	Trials   time.Duration         `json:"trials,omitempty"`
	Outcomes int                   `json:"outcomes"`
	Verdicts map[trial.Verdict]int `json:"verdicts"`
	Repeated int                   `json:"repeated"`
	CutShort int                   `json:"cutShort,omitempty"`
	// Failed is why no trial ran. Problems are other reasons that kept the harness from judging.
	Failed   string   `json:"failed,omitempty"`
	Problems []string `json:"problems,omitempty"`
}

// String is the round in one line.
func (r Round) String() string {
	if r.Failed != "" {
		return fmt.Sprintf("run %s failed: %s", r.ID, r.Failed)
	}
	parts := view.Counts(r.Verdicts)
	if r.CutShort > 0 {
		parts = append(parts, fmt.Sprintf("%d cut short", r.CutShort))
	}
	return fmt.Sprintf("run %s: %s in %s: %s",
		r.ID, run.Plural(r.Outcomes, "verdict"), view.FormatDuration(r.Wall), strings.Join(parts, ", "))
}

// Unusual is a verdict that differs from that of most repetitions, or that an unchanged kubelet should not have.
type Unusual struct {
	Round   string        `json:"round"`
	Trial   string        `json:"trial"`
	Subject string        `json:"subject"`
	Verdict trial.Verdict `json:"verdict"`
	// Usual is the verdict of most repetitions. Times of the Repeats have this one instead.
	Usual    trial.Verdict `json:"usual"`
	Times    int           `json:"times"`
	Repeats  int           `json:"repeats"`
	Attempts int           `json:"attempts"`
	Reason   string        `json:"reason,omitempty"`
}

// roundsKubelet is one kubelet in one lane.
type roundsKubelet struct {
	// Kubelet is the version that it reports, with its mutation.
	Kubelet  string   `json:"kubelet"`
	Lane     run.Lane `json:"lane"`
	Subjects []string `json:"subjects"`
	// Trials is the number of its trials, Repeats how often the most frequent one ran.
	Trials  int `json:"trials"`
	Repeats int `json:"repeats"`
}

func (k roundsKubelet) String() string { return inLane(k.Kubelet, k.Lane) }

// RoundsBuilder makes the report of rounds that are added one by one.
type RoundsBuilder struct {
	report Rounds
	runs   []series.Observation
}

// NewRounds returns a builder for the requested number of rounds. Below is the share of inconclusive verdicts to stay
// below.
func NewRounds(asked int, below float64) *RoundsBuilder {
	return &RoundsBuilder{report: Rounds{Schema: RoundsSchema, Asked: asked, InconclusiveBelow: below}}
}

// Ask requests more rounds.
func (b *RoundsBuilder) Ask(more int) { b.report.Asked += more }

// Add adds a run. If no trial ran, the round failed, and its verdicts do not count.
func (b *RoundsBuilder) Add(r run.Run) Round {
	seen := series.Observe(r)
	outcomes, cutShort := seen.Counted()
	t := series.TallyOf(outcomes)
	round := Round{
		ID: seen.ID, Started: seen.Started, Podclock: seen.Podclock, Profile: seen.Profile, CPUs: seen.CPUs,
		Wall: seen.Wall, Trials: view.FiguresOf(r).Wall,
		Outcomes: t.Outcomes, Verdicts: t.Verdicts, Repeated: t.Repeated, CutShort: cutShort, Problems: seen.Problems,
	}
	if !seen.Ran {
		round.Failed, round.Problems = seen.Reason, nil
	}
	b.report.Rounds = append(b.report.Rounds, round)
	b.runs = append(b.runs, seen)
	return round
}

// AddFailed adds a round without a run.
func (b *RoundsBuilder) AddFailed(id string, started time.Time, why error) Round {
	round := Round{ID: id, Started: started, Failed: why.Error(), Verdicts: map[trial.Verdict]int{}}
	b.report.Rounds = append(b.report.Rounds, round)
	return round
}

// End notes why there will be no more rounds.
func (b *RoundsBuilder) End(why string) { b.report.Ended = why }

// Rounds returns the report of the rounds so far.
func (b *RoundsBuilder) Rounds() Rounds {
	r := b.report
	var all []series.Outcome
	grouped := grouping{outcomes: map[repeated][]Unusual{}}
	spreads := newSpreads()
	for _, seen := range b.runs {
		outcomes, cutShort := seen.Counted()
		r.CutShort += cutShort
		all = append(all, outcomes...)
		for _, o := range outcomes {
			grouped.add(seen.ID, o)
			spreads.add(seen.ID, o)
		}
	}
	t := series.TallyOf(all)
	r.Outcomes, r.Verdicts, r.Attempts, r.Repeated = t.Outcomes, t.Verdicts, t.Attempts, t.Repeated
	r.Inconclusive = view.RatioOf(r.Verdicts[trial.Inconclusive], r.Outcomes)
	r.Unjudged = view.RatioOf(r.Verdicts[trial.Inconclusive]+r.CutShort, r.Outcomes+r.CutShort)
	r.Kubelets, r.Unusual, r.Claims = grouped.kubelets, grouped.unusual(), spreads.all()
	for _, c := range r.Claims {
		r.Judged += run.Judged(c.Verdicts)
	}
	r.ExitCode, _ = r.exit()
	return r
}

// grouping has the outcomes that repeat each other.
type grouping struct {
	outcomes map[repeated][]Unusual
	kubelets []roundsKubelet
}

func (g *grouping) add(round string, o series.Outcome) {
	key := repeated{o.Trial, o.Kubelet, o.Lane}
	g.outcomes[key] = append(g.outcomes[key], Unusual{
		Round: round, Trial: o.Trial, Subject: o.Subject, Verdict: o.Verdict, Attempts: o.Attempts, Reason: o.Why,
	})
	same := func(k roundsKubelet) bool { return k.Kubelet == o.Kubelet && k.Lane == o.Lane }
	i := slices.IndexFunc(g.kubelets, same)
	if i < 0 {
		i = len(g.kubelets)
		g.kubelets = append(g.kubelets, roundsKubelet{Kubelet: o.Kubelet, Lane: o.Lane})
	}
	k := &g.kubelets[i]
	if !slices.Contains(k.Subjects, o.Subject) {
		k.Subjects = append(k.Subjects, o.Subject)
	}
	n := len(g.outcomes[key])
	if n == 1 {
		k.Trials++
	}
	k.Repeats = max(k.Repeats, n)
}

// unusual returns the verdicts that need a look: all that deviate or are inconclusive, and those that are not the most
// frequent of their group.
func (g grouping) unusual() []Unusual {
	var all []Unusual
	for _, outcomes := range g.outcomes {
		counts := map[trial.Verdict]int{}
		for _, u := range outcomes {
			counts[u.Verdict]++
		}
		var usual trial.Verdict // the better one of two that are as frequent
		for _, v := range view.Verdicts() {
			if counts[v] > counts[usual] {
				usual = v
			}
		}
		for _, u := range outcomes {
			if u.Verdict != usual || u.Verdict == trial.Deviates || u.Verdict == trial.Inconclusive {
				u.Usual, u.Times, u.Repeats = usual, counts[u.Verdict], len(outcomes)
				all = append(all, u)
			}
		}
	}
	slices.SortFunc(all, func(a, b Unusual) int {
		return cmp.Or(slices.Index(view.Verdicts(), b.Verdict)-slices.Index(view.Verdicts(), a.Verdict),
			cmp.Compare(a.Trial, b.Trial), cmp.Compare(a.Round, b.Round), cmp.Compare(a.Subject, b.Subject))
	})
	return all
}

// failed is the number of rounds in which no trial ran.
func (r Rounds) failed() int {
	n := 0
	for _, round := range r.Rounds {
		if round.Failed != "" {
			n++
		}
	}
	return n
}

func (r Rounds) played() int { return len(r.Rounds) - r.failed() }

// troubled is the greatest number of rounds in a row with a failure or a problem.
func (r Rounds) troubled() int {
	most, inRow := 0, 0
	for _, round := range r.Rounds {
		inRow++
		if round.Failed == "" && len(round.Problems) == 0 {
			inRow = 0
		}
		most = max(most, inRow)
	}
	return most
}

// exit returns the exit code and its meaning in one sentence.
func (r Rounds) exit() (code int, reason string) {
	open := fmt.Sprintf("%d of %s inconclusive", r.Verdicts[trial.Inconclusive], run.Plural(r.Outcomes, "verdict"))
	if r.CutShort > 0 {
		open += fmt.Sprintf(" and %d more cut short", r.CutShort)
	}
	open += fmt.Sprintf(": %s, the limit is %s", view.OfHundred(r.Unjudged), view.OfHundred(r.InconclusiveBelow))
	switch {
	case r.Verdicts[trial.Deviates] > 0:
		return run.ExitDeviates, run.Plural(r.Verdicts[trial.Deviates], "deviation") +
			": a trial measured what the subject's code should not compute."
	case r.Ended != "":
		return run.ExitUnjudged, "the rounds ended early: " + r.Ended
	case r.troubled() >= MostTroubled:
		return run.ExitUnjudged, fmt.Sprintf("%d rounds in a row failed or had problems.", r.troubled())
	case r.Verdicts[trial.Conforms]+r.Verdicts[trial.Divergent] == 0:
		return run.ExitUnjudged, "no verdict shows whether a formula holds."
	case r.played() < r.Asked:
		return run.ExitUnjudged, fmt.Sprintf("only %s have verdicts; %s.", r.ofAsked(), open)
	case r.Unjudged >= r.InconclusiveBelow:
		return run.ExitUnjudged, "too much could not be judged: " + open + "."
	}
	return run.ExitConforms, "no trial deviates; " + open + "."
}

func (r Rounds) ofAsked() string {
	return fmt.Sprintf("%d of %s", r.played(), run.Plural(r.Asked, "round"))
}
