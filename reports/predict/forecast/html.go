package forecast

import (
	"bytes"
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"path/filepath"

	"github.com/podclock/podclock/harness/predict"
	"github.com/podclock/podclock/harness/predict/effective"
	"github.com/podclock/podclock/harness/predict/findings"
	"github.com/podclock/podclock/harness/rules/formula"
	"github.com/podclock/podclock/reports/drawing"
	"github.com/podclock/podclock/reports/drawing/page"
	"github.com/podclock/podclock/reports/predict/sentences"
)

// maxPictures is the number of timelines above which a page draws only one for each container.
const maxPictures = 600

//go:embed page.tmpl
var pageText string

//go:embed style.css
var style string

//go:embed page.js
var pageScript string

// Style returns the stylesheet of answers and findings, which follows those of packages page and drawing.
func Style() string { return style }

// HTML writes a forecast as one page that loads nothing, with answers, drawings and findings.
func HTML(w io.Writer, f Forecast) error {
	pictures := 0
	for _, p := range f.Predictions {
		for _, c := range p.Containers {
			pictures += len(longest(c))
		}
	}
	v := view{
		Forecast: f,
		Few:      pictures > maxPictures,
		Style:    template.CSS(page.Style() + drawing.Style() + style), // #nosec: all are files of this program
		Shapes:   template.HTML(drawing.Shapes()),
		Key:      template.HTML(drawing.Key()),
		Script:   template.JS(pageScript),
		Policy:   page.Policy(template.JS(pageScript)),
	}
	t, err := template.New("page").Funcs(v.functions()).Parse(pageText)
	if err == nil {
		err = t.Execute(w, v)
	}
	if err != nil {
		return fmt.Errorf("writing the forecast of %s as HTML: %w", f.Manifest, err)
	}
	return nil
}

type view struct {
	Forecast
	// Few is set if only one timeline of each container is drawn.
	Few                 bool
	Style               template.CSS
	Script              template.JS
	Policy, Shapes, Key template.HTML
}

func (v view) functions() template.FuncMap {
	return template.FuncMap{
		"file":       filepath.Base,
		"counts":     v.counts,
		"rules":      v.rules,
		"tally":      tally,
		"skipped":    skipped,
		"address":    address,
		"place":      v.place,
		"answers":    v.answers,
		"notCovered": notCovered,
		"describes":  describes,
		"span":       sentences.Span,
		"exact":      effective.Words,
		"cause": func(c formula.Cause, variant string) string {
			return sentences.Event{Cause: c, Variant: variant}.String()
		},
		"hook":       sentences.Hook,
		"failing":    restartText,
		"window":     window,
		"documented": documented,
		"after":      after,
		"crashing":   sentences.Crashing,
		"looping":    sentences.Looping,
		"all":        v.findings,
		"pictures": func(c predict.Container) []predict.Timeline {
			if !v.Few {
				return longest(c)
			}
			if t := headline(c); t != nil {
				return []predict.Timeline{*t}
			}
			return nil
		},
		"draw": func(p predict.Prediction, c predict.Container, t predict.Timeline) (template.HTML, error) {
			var b bytes.Buffer
			err := drawing.SVG(&b, Drawing(p, c, t))
			return template.HTML(b.String()), err // package drawing escapes its input
		},
		"opens": func(c predict.Container, t predict.Timeline) bool {
			h := headline(c)
			return h != nil && h.ID == t.ID
		},
		"worst": func(all []findings.Finding) findings.Level {
			worst := findings.Level("")
			for _, f := range all {
				if f.Level.AtLeast(worst) {
					worst = f.Level
				}
			}
			return worst
		},
	}
}
