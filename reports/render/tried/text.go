package tried

import (
	"cmp"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/podclock/podclock/harness/measure/run"
	"github.com/podclock/podclock/harness/rules/formula"
	"github.com/podclock/podclock/reports/view"
	"github.com/podclock/podclock/reports/view/difference"
)

// mostClaims bounds the claims that a text shows. The JSON has all.
const mostClaims = 30

// Text writes the answer for a terminal: one line if nothing changed.
func Text(w io.Writer, a Answer) error {
	var b strings.Builder
	b.WriteString(a.Title() + "\n")
	if a.code == run.ExitConforms {
		return view.WriteAll(w, "the answer", &b)
	}
	for _, part := range a.parts() {
		fmt.Fprintf(&b, "\n%s:\n", part.Title)
		for _, line := range part.lines {
			fmt.Fprintf(&b, "  %s\n", line)
		}
	}
	if len(a.Traces.Groups) == 0 {
		return view.WriteAll(w, "the answer", &b)
	}
	b.WriteString("\nFirst differences of calls, requests, events and marks:\n\n")
	if err := view.WriteAll(w, "the answer", &b); err != nil {
		return err
	}
	return difference.Text(w, a.Traces)
}

// Markdown writes the answer for a pull request.
func Markdown(w io.Writer, a Answer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "## podclock: what the change does to how pods die\n\n%s\n", a.Title())
	for _, part := range a.parts() {
		fmt.Fprintf(&b, "\n### %s\n\n| trial | claim | before | after |\n|---|---|---|---|\n", part.Title)
		for _, c := range part.Claims {
			fmt.Fprintf(&b, "| `%s` | `%s` | %s | %s |\n", c.Trial, c.Claim, c.before(), c.after())
		}
		if part.More > 0 {
			fmt.Fprintf(&b, "\nAnd %d more.\n", part.More)
		}
	}
	if len(a.Traces.Groups) == 0 {
		return view.WriteAll(w, "the answer as Markdown", &b)
	}
	b.WriteByte('\n')
	if err := view.WriteAll(w, "the answer as Markdown", &b); err != nil {
		return err
	}
	return difference.Markdown(w, a.Traces, 3)
}

type part struct {
	Title  string
	Claims []Claim
	More   int
	lines  []string
}

// parts are the changed verdicts and the changed values.
func (a Answer) parts() (all []part) {
	verdicts, values := part{Title: "Changed verdicts"}, part{Title: "Changed values, the largest change first"}
	for _, c := range a.Changed {
		p := &values
		if c.Judged() {
			p = &verdicts
		}
		if len(p.Claims) == mostClaims {
			p.More++
			continue
		}
		p.Claims = append(p.Claims, c)
		p.lines = append(p.lines, c.String())
		if c.Judged() && c.Why != "" {
			p.lines = append(p.lines, "    "+c.Why)
		}
	}
	for _, p := range []part{verdicts, values} {
		if p.More > 0 {
			p.lines = append(p.lines, fmt.Sprintf("and %d more: --output=json has all", p.More))
		}
		if len(p.Claims) > 0 {
			all = append(all, p)
		}
	}
	return all
}

// notJudged replaces a verdict that there is none of.
const notJudged = "not judged"

// String is the claim in one line.
func (c Claim) String() string {
	name := c.Trial
	if c.Claim != "" {
		name += " " + c.Claim
	}
	return fmt.Sprintf("%s: %s → %s", name, c.before(), c.after())
}

func (c Claim) before() string {
	text := value(c.Unit, c.Before)
	if c.Judged() {
		text += ", " + string(cmp.Or(c.Was, notJudged))
	}
	return text
}

func (c Claim) after() string {
	text := value(c.Unit, c.After)
	if c.Before != nil && c.After != nil && c.Unit == formula.Nanoseconds && *c.Before != *c.After {
		text += fmt.Sprintf(" (%s)", signed(time.Duration(*c.After-*c.Before)))
	}
	if c.Judged() {
		text += ", " + string(cmp.Or(c.Is, notJudged))
	}
	return text
}

func signed(d time.Duration) string {
	if d > 0 {
		return "+" + d.String()
	}
	return d.String()
}

func value(u formula.Unit, v *int64) string {
	if v == nil {
		return "no value"
	}
	return view.FormatValue(u, *v)
}
