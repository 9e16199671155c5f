package repeats

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/podclock/podclock/harness/run"
	"github.com/podclock/podclock/harness/trial"
	"github.com/podclock/podclock/reports/series"
	"github.com/podclock/podclock/reports/view"
)

// Title is the result in one line.
func (r Repeat) Title() string {
	var of []string
	for _, k := range r.Kubelets {
		of = append(of, fmt.Sprintf("%d of %s", k.Repeats, k))
	}
	if len(of) == 0 {
		return "No repeats: no trial ran"
	}
	cut := ""
	if r.CutShort > 0 {
		cut = fmt.Sprintf(", %d cut short", r.CutShort)
	}
	return fmt.Sprintf(
		"Repeats (%s): %s, %s inconclusive%s, %s",
		strings.Join(
			of,
			", ",
		),
		run.Plural(r.Verdicts[trial.Deviates], "deviation"),
		view.OfHundred(r.Inconclusive),
		cut,
		r.ofAsked(),
	)
}

// ofAsked is how many rounds came to verdicts, of how many.
func (r Repeat) ofAsked() string {
	return fmt.Sprintf("%d of %s", r.played(), run.Plural(r.Asked, "round"))
}

// ExitReason says in one sentence why the repeats have their exit code.
func (r Repeat) ExitReason() string {
	open := fmt.Sprintf("%d of %s inconclusive", r.Verdicts[trial.Inconclusive], run.Plural(r.Outcomes, "verdict"))
	if r.CutShort > 0 {
		open += fmt.Sprintf(" and %d more cut short", r.CutShort)
	}
	open += fmt.Sprintf(", %s, where less than %s is asked", view.OfHundred(r.Unjudged), view.OfHundred(r.InconclusiveBelow))
	switch {
	case r.ExitCode == run.ExitDeviates:
		return run.Plural(
			r.Verdicts[trial.Deviates],
			"deviation",
		) + ": a trial measured what the subject's code should not compute."
	case r.Ended != "":
		return "the repeats ended early: " + r.Ended
	case r.troubled() >= MostTroubled:
		return fmt.Sprintf("%d rounds in a row failed or had problems.", r.troubled())
	case r.Verdicts[trial.Conforms]+r.Verdicts[trial.Divergent] == 0:
		return "not one verdict says whether a formula holds."
	case r.played() < r.Asked:
		return fmt.Sprintf("only %s came to verdicts; %s.", r.ofAsked(), open)
	case r.ExitCode == run.ExitUnjudged:
		return "too much could not be judged: " + open + "."
	}
	return "no trial deviates; " + open + "."
}

// totals are the figures.
func (r Repeat) Totals() string {
	t := view.MarkdownTable("", "")
	add := func(name, format string, args ...any) {
		t.AppendRow(view.TableRow([]string{name, fmt.Sprintf(format, args...)}))
	}
	add("result", "exit code %d: %s", r.ExitCode, r.ExitReason())
	for _, v := range view.Verdicts() {
		if n := r.Verdicts[v]; n > 0 || v == trial.Deviates || v == trial.Inconclusive {
			add(string(v), "%d of %d (%s)", n, r.Outcomes, view.OfHundred(view.RatioOf(n, r.Outcomes)))
		}
	}
	if r.CutShort > 0 {
		add("cut short", "%s more, by an interrupt or the loss of the cluster", run.Plural(r.CutShort, "trial"))
	}
	for _, k := range r.Kubelets {
		add(
			"repeats",
			"%d of each of %s on %s, %s lane, as %s",
			k.Repeats,
			run.Plural(k.Trials, "trial"),
			k,
			k.Lane,
			strings.Join(k.Subjects, ", "),
		)
	}
	add("claims judged", "%d, %d different ones", r.Judged, r.different())
	add(
		"run again",
		"%s took more than one attempt (%s); %s in all",
		run.Plural(r.Repeated, "verdict"),
		view.OfHundred(view.RatioOf(r.Repeated, r.Outcomes)),
		run.Plural(r.Attempts, "attempt"),
	)
	failed := ""
	if n := r.failed(); n > 0 {
		failed = fmt.Sprintf(", %d failed before a trial ran", n)
	}
	add("rounds", "%s%s; %s", r.ofAsked(), failed, r.pace())
	if made := r.madeBy(); made != "" {
		add("made by", "%s", made)
	}
	return t.RenderMarkdown()
}

// different is how many claims were judged at least once.
func (r Repeat) different() int {
	n := 0
	for _, c := range r.Claims {
		if run.Judged(c.Verdicts) > 0 {
			n++
		}
	}
	return n
}

// failed is how many rounds failed before a trial ran.
func (r Repeat) failed() int {
	n := 0
	for _, round := range r.Rounds {
		if round.Failed != "" {
			n++
		}
	}
	return n
}

// pace is how long the rounds took.
func (r Repeat) pace() string {
	var walls []int64
	for _, round := range r.Rounds {
		if round.Failed == "" && round.Wall > 0 {
			walls = append(walls, int64(round.Wall))
		}
	}
	if len(walls) == 0 {
		return "none came to its end"
	}
	q := series.QuartilesOf(walls)
	return fmt.Sprintf(
		"one took %s to %s, half of them at most %s",
		view.FormatDuration(time.Duration(q.Min)),
		view.FormatDuration(time.Duration(q.Max)),
		view.FormatDuration(time.Duration(q.Median)),
	)
}

// madeBy are the profile, revision and host of the rounds; several revisions are a warning that they are
// not all repeats of one thing.
func (r Repeat) madeBy() string {
	var all []string
	for _, round := range r.Rounds {
		if round.Failed != "" || round.Podclock == "" {
			continue
		}
		if made := view.MadeBy(round.Podclock, round.CPUs, round.Profile); !slices.Contains(all, made) {
			all = append(all, made)
		}
	}
	return strings.Join(all, "; ")
}
