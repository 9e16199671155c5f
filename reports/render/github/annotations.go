package github

import (
	"fmt"
	"io"
	"strings"

	"github.com/jedib0t/go-pretty/v6/text"

	"github.com/podclock/podclock/harness/measure/run"
	"github.com/podclock/podclock/reports/view"
)

// Annotations writes what is wrong with a run as workflow commands: problems of the harness, and deviations.
// GitHub shows them as errors at the top of a job. Deviations with one explanation share an annotation. A run
// without errors writes nothing.
//
// GitHub shows ten errors of a step and drops the others silently. If there are more, the last one counts and
// names the rest.
func Annotations(w io.Writer, v view.Overview) error {
	all := annotations(v)
	if rest := len(all) - mostAnnotations + 1; rest > 1 {
		var titles []string
		for _, a := range all[mostAnnotations-1:] {
			titles = append(titles, a.title)
		}
		last := annotation{title: fmt.Sprintf("%d more annotations", rest), text: strings.Join(titles, "\n")}
		all = append(all[:mostAnnotations-1:mostAnnotations-1], last)
	}
	for _, a := range all {
		if _, err := io.WriteString(w, a.command()); err != nil {
			return fmt.Errorf("writing the annotations of run %s: %w", v.Run.ID, err)
		}
	}
	return nil
}

// mostAnnotations is how many errors of one step GitHub shows (actions/toolkit, docs/problem-matchers.md,
// "Limitations").
const mostAnnotations = 10

// longestTitle and longestAnnotation limit a title and a text, in columns. GitHub's limits are 255 characters
// and 64 kB (REST API of check runs, annotations).
const (
	longestTitle      = 200
	longestAnnotation = 4000
)

// annotation is one error. Its text has several lines.
type annotation struct{ title, text string }

// annotations returns all errors. The first is what kept the whole run from being judged.
func annotations(v view.Overview) []annotation {
	var all []annotation
	r := v.Run
	switch {
	case len(r.Problems) > 0:
		all = append(all, annotation{unjudged, strings.Join(r.Problems, "\n")})
	case r.ExitCode() == run.ExitUnjudged:
		all = append(all, annotation{unjudged, view.Capital(view.ExitReason(r))})
	}
	for _, e := range v.Deviations {
		if e.As == "" {
			for _, on := range e.On {
				all = append(all, annotation{on.String() + " deviates", strings.Join(on.ClaimTexts(), "\n")})
			}
			continue
		}
		all = append(all, annotation{e.Title(), trials(e)})
	}
	return all
}

// unjudged is the title of a problem that kept a run from being judged.
const unjudged = "podclock could not judge everything"

// trials names the deviating trials of an explanation, the first of them with their claims.
func trials(e view.Explanation) string {
	var lines []string
	for i, on := range e.On {
		line := on.String()
		if i < view.Brief().Trials {
			line += ": " + strings.Join(on.ClaimTexts(), "; ")
		}
		lines = append(lines, line)
	}
	return run.Plural(len(e.On), "deviating verdict") + ":\n" + strings.Join(lines, "\n")
}

// command returns the annotation as a workflow command on a line of its own.
func (a annotation) command() string {
	title := inProperty.Replace(text.Snip(view.Printable(a.title), longestTitle, "…"))
	message := inMessage.Replace(text.Snip(view.Printable(a.text), longestAnnotation, "…"))
	return "::error title=" + title + "::" + message + "\n"
}

// The characters that a runner unescapes in a message and in a property (actions/toolkit, core/src/command.ts).
var (
	inMessage  = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	inProperty = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
)
