package reports

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/podclock/podclock/harness/trial"
)

// RepeatMarkdown writes what the repeats say for people: what came of it and in which figures, every
// verdict that was not the usual one, why attempts were run again, and the claims whose values come closest
// to the ends of their windows. All claims are in [RepeatClaims].
func RepeatMarkdown(w io.Writer, r Repeat) error {
	d := &document{}
	d.line("# %s", r.Title())
	d.line("\n%s", r.totals())
	d.rounds(r)
	d.unusual(r)
	d.untrusted(r)
	d.closest(r)
	if _, err := io.WriteString(w, d.b.String()); err != nil {
		return fmt.Errorf("writing the repeats as Markdown: %w", err)
	}
	return nil
}

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
		plural(r.Verdicts[trial.Deviates], "deviation"),
		ofHundred(r.Inconclusive),
		cut,
		r.ofAsked(),
	)
}

// ofAsked is how many rounds came to verdicts, of how many.
func (r Repeat) ofAsked() string {
	return fmt.Sprintf("%d of %s", r.played(), plural(r.Asked, "round"))
}

// ExitReason says in one sentence why the repeats have their exit code.
func (r Repeat) ExitReason() string {
	open := fmt.Sprintf("%d of %s inconclusive", r.Verdicts[trial.Inconclusive], plural(r.Outcomes, "verdict"))
	if r.CutShort > 0 {
		open += fmt.Sprintf(" and %d more cut short", r.CutShort)
	}
	open += fmt.Sprintf(", %s, where less than %s is asked", ofHundred(r.Unjudged), ofHundred(r.InconclusiveBelow))
	switch {
	case r.ExitCode == ExitDeviates:
		return plural(
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
	case r.ExitCode == ExitUnjudged:
		return "too much could not be judged: " + open + "."
	}
	return "no trial deviates; " + open + "."
}

// totals are the figures.
func (r Repeat) totals() string {
	t := markdownTable("", "")
	add := func(name, format string, args ...any) { t.AppendRow(row([]string{name, fmt.Sprintf(format, args...)})) }
	add("result", "exit code %d: %s", r.ExitCode, r.ExitReason())
	for _, v := range verdicts {
		if n := r.Verdicts[v]; n > 0 || v == trial.Deviates || v == trial.Inconclusive {
			add(string(v), "%d of %d (%s)", n, r.Outcomes, ofHundred(ratioOf(n, r.Outcomes)))
		}
	}
	if r.CutShort > 0 {
		add("cut short", "%s more, by an interrupt or the loss of the cluster", plural(r.CutShort, "trial"))
	}
	for _, k := range r.Kubelets {
		add(
			"repeats",
			"%d of each of %s on %s, %s lane, as %s",
			k.Repeats,
			plural(k.Trials, "trial"),
			k,
			k.Lane,
			strings.Join(k.Subjects, ", "),
		)
	}
	add("claims judged", "%d, %d different ones", r.Judged, r.different())
	add(
		"run again",
		"%s took more than one attempt (%s); %s in all",
		plural(r.Repeated, "verdict"),
		ofHundred(ratioOf(r.Repeated, r.Outcomes)),
		plural(r.Attempts, "attempt"),
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
		if judged(c.Verdicts) > 0 {
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
	q := quartiles(walls)
	return fmt.Sprintf(
		"one took %s to %s, half of them at most %s",
		short(time.Duration(q.Min)),
		short(time.Duration(q.Max)),
		short(time.Duration(q.Median)),
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
		if made := madeBy(round.Podclock, round.CPUs, round.Profile); !slices.Contains(all, made) {
			all = append(all, made)
		}
	}
	return strings.Join(all, "; ")
}

// madeBy is what made a run, in a few words.
func madeBy(podclock string, cpus int, profile string) string {
	made := fmt.Sprintf("podclock %s, %d CPUs", podclock, cpus)
	if profile != "" {
		made += ", profile " + profile
	}
	return made
}

// rounds tells of those that failed or had problems.
func (d *document) rounds(r Repeat) {
	for _, round := range r.Rounds {
		if round.Failed != "" {
			d.line("\nRound %s failed: %s", round.ID, round.Failed)
		}
		for _, problem := range round.Problems {
			d.line("\nProblem in round %s: %s", round.ID, problem)
		}
	}
}

// unusual are the verdicts that were not the usual ones.
func (d *document) unusual(r Repeat) {
	d.line("\n## Verdicts that were not the usual ones\n")
	if len(r.Unusual) == 0 {
		d.line("None: every repeat of a trial came to the same verdict.")
		return
	}
	t := markdownTable("verdict", "trial", "subject", "round", "usual", "times", "attempts", "reason")
	for _, u := range r.Unusual {
		t.AppendRow(row([]string{
			string(
				u.Verdict,
			),
			code(u.Trial),
			u.Subject,
			u.Round,
			string(u.Usual),
			fmt.Sprintf("%d of %d", u.Times, u.Repeats),
			fmt.Sprint(u.Attempts),
			u.Reason,
		}))
	}
	d.line("%s", t.RenderMarkdown())
}

// mostUntrusted is how many claims are listed for which attempts were run again.
const mostUntrusted = 15

// untrusted are the claims for which attempts were run again most often.
func (d *document) untrusted(r Repeat) {
	claims := slices.DeleteFunc(slices.Clone(r.Claims), func(c ClaimSpread) bool { return c.Untrusted == 0 })
	if len(claims) == 0 {
		return
	}
	slices.SortStableFunc(claims, func(a, b ClaimSpread) int { return b.Untrusted - a.Untrusted })
	d.line("\n## Claims that could not be judged, attempts that were run again included\n")
	t := markdownTable("claim", "inconclusive in attempts", "repeats")
	for _, c := range claims[:min(len(claims), mostUntrusted)] {
		t.AppendRow(row([]string{c.name(r), fmt.Sprint(c.Untrusted), fmt.Sprint(c.Repeats)}))
	}
	d.line("%s", t.RenderMarkdown())
	if more := len(claims) - mostUntrusted; more > 0 {
		d.line("\nAnd %s more; %s has the numbers of all.", plural(more, "claim"), RepeatClaimsFile)
	}
}

// name is the trial and the claim, and the kubelet where there are several.
func (c ClaimSpread) name(r Repeat) string {
	name := code(c.Trial) + " " + c.Claim
	if len(r.Kubelets) > 1 {
		name += " on " + RepeatedKubelet{Kubelet: c.Kubelet, Lane: c.Lane}.String()
	}
	return name
}

func code(s string) string { return "`" + s + "`" }

// ofHundred writes a share.
func ofHundred(share float64) string { return fmt.Sprintf("%.2f %%", 100*share) }

func ratioOf(n, of int) float64 {
	if of == 0 {
		return 0
	}
	return float64(n) / float64(of)
}
