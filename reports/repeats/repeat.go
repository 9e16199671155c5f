package repeats

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/podclock/podclock/harness/run"
	"github.com/podclock/podclock/harness/trial"
	"github.com/podclock/podclock/reports/view"
)

// RepeatSchema names the format of repeat.json; it changes when a reader of an older file would misunderstand it.
const RepeatSchema = "podclock.repeat/v1"

// InconclusiveBelow is the share of inconclusive verdicts that repeated runs must stay below where nobody
// asks for another.
const InconclusiveBelow = 0.005

// Repeat is what the repeats of one selection say together. A repeat is one trial on one kubelet in one
// lane: subjects that are the same kubelet, as a version and its copies, are repeats of each other within a
// round.
type Repeat struct {
	Schema string `json:"schema"`
	// Asked is how many rounds were asked for.
	Asked int `json:"asked"`
	// Rounds are the runs, in the order in which they were taken in.
	Rounds []Round `json:"rounds"`
	// Kubelets are those that were under test.
	Kubelets []RepeatedKubelet `json:"kubelets"`
	// Outcomes is how many verdicts there are, Verdicts how many of each. A round that failed in set-up has none.
	Outcomes int                   `json:"outcomes"`
	Verdicts map[trial.Verdict]int `json:"verdicts"`
	// Inconclusive is the share of inconclusive verdicts.
	Inconclusive float64 `json:"inconclusive"`
	// CutShort is how many trials the end of their round kept from a verdict: an interrupt, or a cluster
	// that could not be reached any more. They are among the Outcomes and Verdicts no more than if they had
	// not been selected.
	CutShort int `json:"cutShort,omitempty"`
	// Unjudged is the share of all that were selected that are inconclusive or were cut short, which must
	// be less than InconclusiveBelow.
	Unjudged          float64 `json:"unjudged"`
	InconclusiveBelow float64 `json:"inconclusiveBelow"`
	// Judged is how many claims had a verdict that says something, in the last attempts.
	Judged int `json:"judged"`
	// Attempts is how many there were, Repeated how many outcomes took more than one.
	Attempts int `json:"attempts"`
	Repeated int `json:"repeated"`
	// Unusual are the verdicts that were not the usual one of their trial and kubelet, the worst first.
	Unusual []Unusual `json:"unusual,omitempty"`
	// Claims are the distributions, in the order of the runs.
	Claims []ClaimSpread `json:"claims"`
	// Ended says why there are fewer rounds than were asked for, empty where there are all.
	Ended string `json:"ended,omitempty"`
	// ExitCode is what `podclock repeat` ends with.
	ExitCode int `json:"exitCode"`
}

// Round is one run.
type Round struct {
	ID       string    `json:"id"`
	Started  time.Time `json:"started"`
	Podclock string    `json:"podclock,omitempty"`
	Profile  string    `json:"profile,omitempty"`
	CPUs     int       `json:"cpus,omitempty"`
	// Wall is the time from the round's start to its last verdict, Trials from the ready cluster to there;
	// 0 where one of the two never came.
	Wall     time.Duration         `json:"wall"`
	Trials   time.Duration         `json:"trials,omitempty"`
	Outcomes int                   `json:"outcomes"`
	Verdicts map[trial.Verdict]int `json:"verdicts"`
	Repeated int                   `json:"repeated"`
	CutShort int                   `json:"cutShort,omitempty"`
	// Failed says why no trial ran; Problems are what else kept the harness from judging.
	Failed   string   `json:"failed,omitempty"`
	Problems []string `json:"problems,omitempty"`
}

// String says in one line how the round went.
func (r Round) String() string {
	if r.Failed != "" {
		return fmt.Sprintf("run %s: failed, as %s", r.ID, r.Failed)
	}
	parts := []string{}
	for _, v := range view.Verdicts() {
		if n := r.Verdicts[v]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, v))
		}
	}
	if r.CutShort > 0 {
		parts = append(parts, fmt.Sprintf("%d cut short", r.CutShort))
	}
	return fmt.Sprintf(
		"run %s: %s in %s: %s",
		r.ID,
		run.Plural(r.Outcomes, "verdict"),
		view.FormatDuration(r.Wall),
		strings.Join(parts, ", "),
	)
}

// RepeatedKubelet is one kubelet in one lane.
type RepeatedKubelet struct {
	// Kubelet is the version that it reports, its mutation included.
	Kubelet string   `json:"kubelet"`
	Lane    run.Lane `json:"lane"`
	// Subjects are the names under which it was under test.
	Subjects []string `json:"subjects"`
	// Trials is how many it ran, Repeats how often the one that it ran most often.
	Trials  int `json:"trials"`
	Repeats int `json:"repeats"`
}

// String names it as a subject of its lane.
func (k RepeatedKubelet) String() string {
	if k.Lane == run.VirtualLane {
		return string(run.VirtualLane) + ":" + k.Kubelet
	}
	return k.Kubelet
}

// repeated is a trial on a kubelet in a lane.
type repeated struct {
	trial, kubelet string
	lane           run.Lane
}

// Repeats takes in the runs of one selection, one after another, and keeps of each only what their report
// needs: a run is a few megabytes of marks, and there may be hundreds.
type Repeats struct {
	report   Repeat
	outcomes map[repeated][]Unusual
	claims   map[claimKey]*claimValues
	order    []claimKey
}

// NewRepeats begins with no run of so many that are asked for. Below is the share of inconclusive verdicts
// that they must stay below.
func NewRepeats(asked int, below float64) *Repeats {
	return &Repeats{
		report: Repeat{
			Schema:            RepeatSchema,
			Asked:             asked,
			InconclusiveBelow: below,
			Verdicts:          map[trial.Verdict]int{},
		},
		outcomes: map[repeated][]Unusual{},
		claims:   map[claimKey]*claimValues{},
	}
}

// Ask asks for so many rounds more.
func (r *Repeats) Ask(more int) { r.report.Asked += more }

// Add takes a run in. One in which no trial ran is a round that failed; its verdicts, that all trials are
// inconclusive, would say nothing of them.
func (r *Repeats) Add(run run.Run) Round {
	round := Round{
		ID:       run.ID,
		Started:  run.Started,
		Podclock: run.Environment.Podclock,
		Profile:  run.Profile,
		CPUs:     run.Environment.CPUs,
		Verdicts: map[trial.Verdict]int{},
		Problems: run.Problems,
		Trials:   view.FiguresOf(run).Wall,
	}
	if !run.Reported.IsZero() {
		round.Wall = run.Reported.Sub(run.Started)
	}
	if run.Ran() {
		r.take(run, &round)
	} else {
		round.Failed, round.Problems = view.ExitReason(run), nil
	}
	r.report.Rounds = append(r.report.Rounds, round)
	return round
}

// AddFailed takes in a round that came to no run.
func (r *Repeats) AddFailed(id string, started time.Time, why error) Round {
	round := Round{ID: id, Started: started, Failed: why.Error(), Verdicts: map[trial.Verdict]int{}}
	r.report.Rounds = append(r.report.Rounds, round)
	return round
}

func (r *Repeats) take(run run.Run, round *Round) {
	for _, o := range run.Outcomes {
		if o.CutShort && o.Verdict == trial.Inconclusive { // judged again, what was recorded until then may be enough
			round.CutShort++
			r.report.CutShort++
			continue
		}
		key := repeated{trial: o.Trial, kubelet: view.Reported(run.Subject(o.Subject)), lane: run.Subject(o.Subject).RanIn()}
		round.Outcomes++
		round.Verdicts[o.Verdict]++
		r.report.Outcomes++
		r.report.Verdicts[o.Verdict]++
		r.report.Attempts += len(o.Attempts)
		if len(o.Attempts) > 1 {
			round.Repeated++
			r.report.Repeated++
		}
		r.outcomes[key] = append(r.outcomes[key], Unusual{
			Round:    run.ID,
			Trial:    o.Trial,
			Subject:  o.Subject,
			Verdict:  o.Verdict,
			Attempts: len(o.Attempts),
			Reason:   view.ReasonOf(o),
		})
		r.takeUp(key, o.Subject)
		r.takeClaims(key, run.ID, o)
	}
}

// takeUp counts a repeat of a kubelet.
func (r *Repeats) takeUp(key repeated, subject string) {
	kubelets := r.report.Kubelets
	i := slices.IndexFunc(
		kubelets,
		func(k RepeatedKubelet) bool { return k.Kubelet == key.kubelet && k.Lane == key.lane },
	)
	if i < 0 {
		i, kubelets = len(kubelets), append(kubelets, RepeatedKubelet{Kubelet: key.kubelet, Lane: key.lane})
	}
	k := &kubelets[i]
	if !slices.Contains(k.Subjects, subject) {
		k.Subjects = append(k.Subjects, subject)
	}
	n := len(r.outcomes[key])
	if n == 1 {
		k.Trials++
	}
	k.Repeats = max(k.Repeats, n)
	r.report.Kubelets = kubelets
}

// End says why there will be no more rounds, though more were asked for.
func (r *Repeats) End(why string) { r.report.Ended = why }

// Report is what the runs so far say together.
func (r *Repeats) Report() Repeat {
	report := r.report
	if report.Outcomes > 0 {
		report.Inconclusive = float64(report.Verdicts[trial.Inconclusive]) / float64(report.Outcomes)
	}
	if offered := report.Outcomes + report.CutShort; offered > 0 {
		report.Unjudged = float64(report.Verdicts[trial.Inconclusive]+report.CutShort) / float64(offered)
	}
	report.Unusual = r.unusual()
	for _, key := range r.order {
		spread := r.claims[key].spread()
		report.Judged += run.Judged(spread.Verdicts)
		report.Claims = append(report.Claims, spread)
	}
	report.ExitCode = report.exitCode()
	return report
}

// MostTroubled is how many rounds in a row that failed or had problems are too many.
const MostTroubled = 2

// troubled is how many rounds in a row failed or had problems at most.
func (r Repeat) troubled() int {
	most, row := 0, 0
	for _, round := range r.Rounds {
		row++
		if round.Failed == "" && len(round.Problems) == 0 {
			row = 0
		}
		most = max(most, row)
	}
	return most
}

// played is how many rounds came to verdicts.
func (r Repeat) played() int { return len(r.Rounds) - r.failed() }

func (r Repeat) exitCode() int {
	switch {
	case r.Verdicts[trial.Deviates] > 0:
		return run.ExitDeviates
	case r.Ended != "", r.troubled() >= MostTroubled, r.Verdicts[trial.Conforms]+r.Verdicts[trial.Divergent] == 0,
		r.played() < r.Asked, r.Unjudged >= r.InconclusiveBelow:
		return run.ExitUnjudged
	}
	return run.ExitConforms
}
