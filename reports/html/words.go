package html

import (
	"bytes"
	"encoding/json"
	"fmt"
	"html/template"
	"net/url"
	"strings"
	"time"

	"github.com/podclock/podclock/harness/formula"
	"github.com/podclock/podclock/harness/run"
	"github.com/podclock/podclock/harness/trial"
	"github.com/podclock/podclock/reports/sensitivity"
	"github.com/podclock/podclock/reports/view"
)

// words are what the templates can say.
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
}

// brief is why an outcome has its verdict, with one of its claims for all of them: the others stand where
// the trial is opened.
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

// link is the address, within the page, of a trial on a subject; of the trial alone where the subject is empty.
func link(id, subject string) string {
	s := "#trial=" + fragment(id)
	if subject != "" {
		s += "&subject=" + fragment(subject)
	}
	return s
}

// fragment escapes what would end a value in a page's fragment, and leaves readable what need not be escaped.
func fragment(s string) string {
	return strings.NewReplacer("%2F", "/", "%3A", ":", "%40", "@", "+", "%20").Replace(url.QueryEscape(s))
}

// count is how many of one verdict there are.
type count struct {
	Verdict trial.Verdict
	N       int
}

// counts are those of a column of an area, verdicts that are not there left out.
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

// within is a trial's ID without its area.
func within(id string) string {
	_, rest, found := strings.Cut(id, "/")
	if !found {
		return id
	}
	return rest
}

// issue is a place where something is discussed, with its address where its name tells that.
type issue struct{ Text, URL string }

// issues splits a list of references.
func issues(text string) []issue {
	var all []issue
	for _, part := range strings.Split(text, ", ") {
		all = append(all, issue{part, sensitivity.URL(part)})
	}
	return all
}

// treadText is a restart on a subject: measured in its window, what is documented where that is something
// else, and its verdict where that is not a good one.
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

// indented is JSON for people; as it is where it is none.
func indented(raw json.RawMessage) string {
	var b bytes.Buffer
	if err := json.Indent(&b, raw, "", "  "); err != nil {
		return string(raw)
	}
	return b.String()
}

func percent(share float64) string { return fmt.Sprintf("%.1f %%", 100*share) }

// moment is a time to the second; empty for none.
func moment(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format("2006-01-02 15:04:05 UTC")
}
