package html

import (
	"cmp"
	"fmt"
	"html/template"
	"strings"
	"time"

	"github.com/podclock/podclock/harness/measure/run"
	"github.com/podclock/podclock/harness/measure/trial"
	"github.com/podclock/podclock/harness/rules/formula"
	"github.com/podclock/podclock/reports/drawing"
	"github.com/podclock/podclock/reports/render/sketch"
	"github.com/podclock/podclock/reports/view"
)

// data is what the page's script shows on demand: every trial with its timelines and claims. A run has
// thousands of claims, so keys are short and repeated texts are written once.
type data struct {
	Run      string    `json:"run"`
	Subjects []subject `json:"subjects"`
	// Formulas and Terms are referenced by index.
	Formulas      []formulaText  `json:"formulas"`
	Terms         []string       `json:"terms"`
	Trials        []trialData    `json:"trials"`
	BackOffCharts []backOffChart `json:"backOffCharts"`
}

type subject struct {
	Name    string `json:"name"`
	Title   string `json:"title"`
	Virtual bool   `json:"virtual,omitempty"`
}

type formulaText struct {
	ID          string `json:"id"`
	Description string `json:"says"`
	Source      string `json:"source"`
	Of          string `json:"of"`
	Promise     string `json:"promise,omitempty"`
	Page        string `json:"page,omitempty"`
}

type trialData struct {
	ID    string `json:"id"`
	About string `json:"about"`
	// Pod is the pods in YAML. Faults is what is done to them. Both are empty without a catalogue.
	Pod    string   `json:"pod,omitempty"`
	Faults []string `json:"cues,omitempty"`
	// On are in the order of the subjects, null if the trial was not selected.
	On []*outcome `json:"on"`
}

type outcome struct {
	Verdict trial.Verdict `json:"v"`
	Why     string        `json:"why,omitempty"`
	// File is the path of a deviating outcome's file in the run's folder.
	File     string    `json:"file,omitempty"`
	Attempts []attempt `json:"attempts"`
}

type attempt struct {
	Verdict trial.Verdict `json:"v"`
	Node    string        `json:"node,omitempty"`
	Started string        `json:"started"`
	// Took is the duration in words. Virtual is the virtual time.
	Took         string    `json:"took"`
	Virtual      string    `json:"virtual,omitempty"`
	Extrapolated bool      `json:"extrapolated,omitempty"`
	Doubts       []string  `json:"doubts,omitempty"`
	Findings     []finding `json:"findings"`
	// Timeline is an SVG drawing, empty if nothing was recorded.
	Timeline string `json:"svg,omitempty"`
}

type finding struct {
	Claim   string        `json:"c"`
	Formula int           `json:"f"`
	Verdict trial.Verdict `json:"v"`
	Why     string        `json:"why,omitempty"`
	Unit    formula.Unit  `json:"u"`
	// Measured is absent if the value never came. Less and More are the observer's error.
	Measured    *int64  `json:"m,omitempty"`
	Less        int64   `json:"less,omitempty"`
	More        int64   `json:"more,omitempty"`
	Implemented window  `json:"i"`
	Documented  *window `json:"d,omitempty"`
	Issues      string  `json:"issues,omitempty"`
	// Delay is in nanoseconds. Position and Left are those of margin.
	Delay     time.Duration `json:"noise,omitempty"`
	Position  *float64      `json:"p,omitempty"`
	Left      int64         `json:"left,omitempty"`
	OneSided  bool          `json:"one,omitempty"`
	Diagnosis string        `json:"as,omitempty"`
	Model     bool          `json:"model,omitempty"`
}

// window is the two ends of a window, and for each term the index of its name, its earliest and its latest
// part.
type window struct {
	Ends  [2]int64   `json:"w"`
	Terms [][3]int64 `json:"t"`
}

type gathering struct {
	data
	run       run.Run
	catalogue func(id string) (trial.Trial, bool)
	formulas  map[formulaText]int
	terms     map[string]int
}

// dataOf returns the packed data of a page.
func dataOf(
	v view.Overview, stairs []backOffChart, catalogue func(id string) (trial.Trial, bool),
) (template.HTML, error) {
	g := gathering{run: v.Run, catalogue: catalogue, formulas: map[formulaText]int{}, terms: map[string]int{}}
	// A nil list would be null in the page.
	g.Run, g.Subjects, g.Trials, g.BackOffCharts = v.Run.ID, []subject{}, []trialData{}, append([]backOffChart{},
		stairs...)
	for _, c := range v.Subjects {
		g.Subjects = append(g.Subjects, subject{c.Name, c.Title(), c.Virtual()})
	}
	for _, a := range v.Areas {
		for _, row := range a.Rows {
			t, err := g.trial(row, v.Subjects)
			if err != nil {
				return "", err
			}
			g.Trials = append(g.Trials, t)
		}
	}
	return Packed(g.data)
}

func (g *gathering) trial(row view.Row, columns []view.Column) (trialData, error) {
	t := trialData{ID: row.Trial, About: row.About, On: make([]*outcome, len(columns))}
	if g.catalogue != nil {
		if known, is := g.catalogue(row.Trial); is {
			pod, err := manifest(known)
			if err != nil {
				return t, err
			}
			t.Pod, t.Faults = pod, faults(known)
		}
	}
	for i, o := range row.Outcomes {
		if o == nil {
			continue
		}
		shown, err := g.outcome(*o, columns[i].Subject)
		if err != nil {
			return t, err
		}
		t.On[i] = shown
	}
	return t, nil
}

func (g *gathering) outcome(o run.Outcome, s run.Subject) (*outcome, error) {
	shown := &outcome{Verdict: o.Verdict, Why: brief(o), Attempts: []attempt{}}
	if o.Verdict == trial.Deviates && o.Last() != nil {
		shown.File = run.DeviationsFolder + "/" + run.DeviationFile(o)
	}
	for _, a := range o.Attempts {
		timeline, err := g.timeline(o, a)
		if err != nil {
			return nil, err
		}
		one := attempt{
			Verdict: a.Result.Verdict, Node: cmp.Or(a.Node, s.Node), Started: moment(a.Started),
			Took: a.Took.Round(time.Millisecond).String(), Extrapolated: a.Result.Extrapolated, Doubts: a.Result.Doubts,
			Findings: []finding{}, Timeline: timeline,
		}
		if a.Virtual > 0 {
			one.Virtual = a.Virtual.Round(time.Millisecond).String()
		}
		for _, f := range a.Result.Findings {
			one.Findings = append(one.Findings, g.finding(f, s))
		}
		shown.Attempts = append(shown.Attempts, one)
	}
	return shown, nil
}

func (g *gathering) finding(f trial.Finding, s run.Subject) finding {
	shown := finding{
		Claim: f.Claim, Formula: g.formula(f), Verdict: f.Verdict, Why: f.Why, Unit: f.Implemented.Unit,
		Implemented: g.window(f.Implemented), Issues: f.Issues, Delay: f.Delay, Model: view.OfModel(s, f),
	}
	if m := f.Measured; m != nil {
		shown.Measured, shown.Less, shown.More = &m.Value, m.Less, m.More
	}
	if f.Documented != nil {
		shown.Documented = new(g.window(*f.Documented))
	}
	if m := marginOf(f); m != nil {
		position := float64(int64(m.Position*1e4)) / 1e4
		shown.Position, shown.Left, shown.OneSided = &position, m.Left, m.OneSided
	}
	if f.Diagnosis != nil {
		shown.Diagnosis = view.AsIf(*f.Diagnosis)
	}
	return shown
}

func (g *gathering) formula(f trial.Finding) int {
	text := formulaText{
		ID: f.Formula, Description: f.Description, Source: f.Source, Of: f.Of.String(), Promise: f.Promise,
		Page: f.DocumentedAt,
	}
	return view.Place(g.formulas, text, &g.Formulas, text)
}

func (g *gathering) window(w formula.Window) window {
	shown := window{Ends: [2]int64{w.Earliest, w.Latest}, Terms: [][3]int64{}}
	for _, t := range w.Terms {
		name := view.Place(g.terms, t.Name, &g.Terms, t.Name)
		shown.Terms = append(shown.Terms, [3]int64{int64(name), t.Earliest, t.Latest})
	}
	return shown
}

func (g *gathering) timeline(o run.Outcome, a run.Attempt) (string, error) {
	d := sketch.Drawing(g.run, o, a)
	if len(d.Rows) == 0 {
		return "", nil
	}
	var b strings.Builder
	if err := drawing.SVG(&b, d); err != nil {
		return "", fmt.Errorf("drawing the timeline of %s on %s: %w", o.Trial, o.Subject, err)
	}
	return b.String(), nil
}
