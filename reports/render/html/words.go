package html

import (
	"bytes"
	"encoding/json"
	"fmt"
	"html/template"
	"net/url"
	"strings"
	"time"

	"github.com/podclock/podclock/harness/measure/run"
	"github.com/podclock/podclock/harness/measure/trial"
	"github.com/podclock/podclock/harness/rules/formula"
	"github.com/podclock/podclock/reports/view"
	"github.com/podclock/podclock/reports/view/mutants"
)

var words = template.FuncMap{
	"glyph":      Glyph,
	"link":       link,
	"verdicts":   view.Verdicts,
	"counts":     counts,
	"within":     within,
	"issues":     issues,
	"brief":      brief,
	"noIssue":    view.NoIssue,
	"plural":     run.Plural,
	"span":       view.FormatWindow,
	"value":      view.FormatValue,
	"percent":    percent,
	"join":       strings.Join,
	"class":      Class,
	"moment":     moment,
	"minus":      func(a, b int) int { return a - b },
	"treadText":  treadText,
	"indented":   indented,
	"exitReason": view.ExitReason,
	"seconds":    view.FormatDuration,
	"unplayed":   func(r run.Run) []view.Line { return view.Unplayed(*r.Promises).Lines },
	"box":        box,
	"place":      place,
}

// brief returns the reason of an outcome's verdict, with one claim. The opened trial shows the others.
func brief(o run.Outcome) string {
	last := o.Last()
	if o.Why != "" || last == nil || view.ReasonOf(o) == "" {
		return view.ReasonOf(o)
	}
	text, claims, as := o.Reason(), 0, ""
	for _, f := range last.Result.Findings {
		if f.Verdict != o.Verdict || f.Why == "" {
			continue
		}
		claims++
		if f.Diagnosis != nil && as == "" {
			as = "; " + view.AsIf(*f.Diagnosis)
		}
	}
	if claims > 1 {
		text += "; and " + run.Plural(claims-1, "more claim")
	}
	return text + as
}

// link returns the address of a trial within the page. If subject is not empty, it is the address of the trial
// on it.
func link(id, subject string) string {
	s := "#trial=" + fragment(id)
	if subject != "" {
		s += "&subject=" + fragment(subject)
	}
	return s
}

func fragment(s string) string {
	return strings.NewReplacer("%2F", "/", "%3A", ":", "%40", "@", "+", "%20").Replace(url.QueryEscape(s))
}

type count struct {
	Verdict trial.Verdict
	N       int
}

func counts(a view.Area, column int) []count {
	var all []count
	for _, v := range view.Verdicts() {
		n := 0
		for _, row := range a.Rows {
			if o := row.Outcomes[column]; o != nil && o.Verdict == v {
				n++
			}
		}
		if n > 0 {
			all = append(all, count{v, n})
		}
	}
	return all
}

// within returns a trial's ID without its area.
func within(id string) string { return id[strings.Index(id, "/")+1:] }

type issue struct{ Text, URL string }

func issues(text string) []issue {
	var all []issue
	for _, part := range strings.Split(text, ", ") {
		all = append(all, issue{part, mutants.URL(part)})
	}
	return all
}

func treadText(t *tread) string {
	text := "never"
	if t.Measured != nil {
		text = view.FormatValue(formula.Nanoseconds, *t.Measured)
	}
	between := func(ends [2]int64) string {
		return view.FormatWindow(formula.Window{Unit: formula.Nanoseconds, Earliest: ends[0], Latest: ends[1]})
	}
	text += " in " + between(t.Implemented)
	if t.Documented != nil && *t.Documented != t.Implemented {
		text += ", documented " + between(*t.Documented)
	}
	if t.Verdict != trial.Conforms {
		text = string(t.Verdict) + ": " + text
	}
	return text
}

// indented returns formatted JSON, or the text unchanged if it is not JSON.
func indented(raw json.RawMessage) string {
	var b bytes.Buffer
	if err := json.Indent(&b, raw, "", "  "); err != nil {
		return string(raw)
	}
	return b.String()
}

func percent(share float64) string { return fmt.Sprintf("%.1f %%", 100*share) }

func moment(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format("2006-01-02 15:04:05 UTC")
}

// box returns the place of a predicted window on its axis, as a style.
func box(v view.PromisedValue) template.CSS {
	from, to := v.Window()
	return template.CSS(fmt.Sprintf("left:%.2f%%;width:%.2f%%", 100*from, 100*(to-from)))
}

// place returns that of a measured time.
func place(v view.PromisedValue) template.CSS {
	return template.CSS(fmt.Sprintf("left:%.2f%%", 100*v.At()))
}
