package forecast

import (
	"fmt"
	"io"
	"reflect"
	"runtime"
	"slices"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"golang.org/x/sync/errgroup"

	"github.com/podclock/podclock/harness/predict"
	"github.com/podclock/podclock/harness/predict/effective"
	"github.com/podclock/podclock/harness/predict/manifest"
	"github.com/podclock/podclock/harness/rules/formula"
	"github.com/podclock/podclock/reports/drawing"
	"github.com/podclock/podclock/reports/predict/sentences"
)

// Text writes a forecast for a terminal.
func Text(w io.Writer, f Forecast, o TextOptions) error {
	if o.Columns == 0 {
		o.Columns = usualColumns
	}
	head, foot := &part{TextOptions: o}, &part{TextOptions: o}
	head.wrapped(0, fmt.Sprintf("%s: %s, %s", f.Manifest, f.counts(), f.rules()))
	if len(f.Skipped) > 0 {
		head.wrapped(0, skipped(f.Skipped))
	}
	if slices.ContainsFunc(f.Skipped, func(s manifest.Skipped) bool { return s.Unknown }) {
		head.wrapped(0, "If they make pods, name their pod templates with --template-path.")
	}
	for _, says := range f.Unread {
		head.wrapped(0, says)
	}
	sections := make([]*part, len(f.Predictions))
	var g errgroup.Group
	g.SetLimit(runtime.GOMAXPROCS(0))
	for i, prediction := range f.Predictions {
		sections[i] = &part{TextOptions: o}
		g.Go(func() error { return sections[i].workload(prediction, f.place(prediction), f.answers(i, o.All)) })
	}
	if err := g.Wait(); err != nil {
		return err
	}
	if len(f.Predictions) > 0 {
		foot.line("")
		foot.wrapped(0, "Findings: "+tally(f.findings())+f.ignored())
		if !o.All {
			foot.line("Exact times, all containers and all causes: --all")
		}
	}
	for _, p := range slices.Concat([]*part{head}, sections, []*part{foot}) {
		if _, err := io.WriteString(w, p.b.String()); err != nil {
			return err
		}
	}
	return nil
}

func (p *part) workload(w predict.Prediction, place string, answers []sentences.Sentence) error {
	p.line("")
	p.wrapped(0, fmt.Sprintf("%s (%s)", address(w), place))
	if says := notCovered(w); says != "" {
		p.wrapped(2, "Not covered: "+says+".")
	}
	for _, s := range answers {
		p.hanging(2, 12, s.Label, s.Description)
	}
	p.findings(w.Findings)
	if !p.All {
		return p.err
	}
	for _, f := range w.Ignored {
		p.wrapped(2, fmt.Sprintf("ignored %s: %s [%s], because: %s", f.Level, f.Description, f.Rule, f.Reason))
	}
	for i, c := range w.Containers {
		p.line("")
		p.wrapped(2, fmt.Sprintf("Container %s: %s", c.Name, describes(w, c)))
		p.restarts(c)
		p.kills(c)
		p.crashLoop(c, w.Containers[:i])
		p.probeLoops(c)
		for _, t := range c.Timelines {
			p.timeline(w, c, t)
		}
	}
	return p.err
}

func (p *part) restarts(c predict.Container) {
	if len(c.Answers.Restarts) == 0 {
		return
	}
	t := bare("a failing probe", "SIGTERM after", "started again after")
	for _, r := range c.Answers.Restarts {
		again := "never"
		if r.Restarted != nil {
			again = sentences.Span(*r.Restarted)
		}
		t.AppendRow(table.Row{restartText(r), sentences.Span(r.Signalled), again})
	}
	p.table(t)
}

func (p *part) kills(c predict.Container) {
	if len(c.Answers.Kills) > 0 {
		t := bare("what kills it", "grace", "SIGTERM after", "SIGKILL after", "dead after")
		for _, k := range c.Answers.Kills {
			killed := "-"
			if k.SIGKILL != nil {
				killed = sentences.Span(*k.SIGKILL)
			}
			name, grace := sentences.Event{Cause: k.Cause, Variant: k.Variant}.String(), effective.Words(k.Grace)
			t.AppendRow(table.Row{name, grace, sentences.Span(k.SIGTERM), killed, sentences.Span(k.Dead)})
		}
		p.table(t)
	}
	if says := sentences.Hook(c); says != "" {
		p.line("")
		p.wrapped(4, "preStop hook: "+says)
	}
}

// crashLoop writes the next restarts, or the name of an earlier container with the same ones.
func (p *part) crashLoop(c predict.Container, before []predict.Container) {
	if len(c.Answers.CrashLoop) == 0 {
		return
	}
	for _, other := range before {
		if reflect.DeepEqual(c.Answers.CrashLoop, other.Answers.CrashLoop) {
			p.line("")
			p.line("    a crash loop's restarts: as those of container %s", other.Name)
			return
		}
	}
	p.line("")
	p.wrapped(4, sentences.Crashing(c)+":")
	p.loop(c.Answers.CrashLoop, "a crash loop's restart", "after the first end")
}

// probeLoops writes the restarts of a container that fails a probe in every life.
func (p *part) probeLoops(c predict.Container) {
	for _, loop := range c.Answers.ProbeLoops {
		p.line("")
		p.wrapped(4, sentences.Looping(loop)+":")
		p.loop(loop.Restarts, "a "+loop.Probe+" probe's restart", "after the first start")
	}
}

func (p *part) loop(restarts []predict.Restart, what, since string) {
	t := bare(what, "after the end before it", "documented", since)
	for _, r := range restarts {
		promised := "-"
		if r.Promised != nil {
			promised = sentences.Span(*r.Promised)
		}
		t.AppendRow(table.Row{r.Number, sentences.Span(r.Wait), promised, sentences.Span(r.Since)})
	}
	p.table(t)
}

func (p *part) picture(d drawing.Drawing) {
	var b strings.Builder
	if err := drawing.Text(&b, d, p.Columns-4); err != nil {
		p.err = err
	}
	p.line("")
	p.block(4, b.String())
}

func (p *part) timeline(w predict.Prediction, c predict.Container, t predict.Timeline) {
	p.picture(Drawing(w, c, t))
	p.line("")
	p.wrapped(6, "0 s: "+t.Begins)
	for _, s := range t.Steps {
		p.wrapped(6, fmt.Sprintf("%s: %s", sentences.Span(s.At), s.What))
		if s.Formula == "" {
			continue // it is assumed
		}
		terms := s.Implemented.Explain()
		p.wrapped(8, fmt.Sprintf("%s, %s after %s: %s", s.Formula, window(s.Implemented), after(s), terms))
		if s.Documented != nil && !same(*s.Documented, s.Implemented) {
			p.wrapped(8, fmt.Sprintf("documented: %s after %s: %s (%s)",
				window(*s.Documented), after(s), s.Documented.Explain(), s.Rule().DocumentedAt))
		}
	}
	for _, v := range t.Values {
		says := fmt.Sprintf("%s: %s", v.What, window(v.Implemented))
		if v.Documented != nil && !same(*v.Documented, v.Implemented) {
			says += ", documented " + window(*v.Documented)
		}
		p.wrapped(6, says)
	}
}

func same(a, b formula.Window) bool { return a.Earliest == b.Earliest && a.Latest == b.Latest }
