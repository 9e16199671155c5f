package mutants

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/podclock/podclock/harness/kubelets"
	"github.com/podclock/podclock/harness/kubelets/mutation"
	"github.com/podclock/podclock/harness/measure/run"
	"github.com/podclock/podclock/harness/measure/trial"
	"github.com/podclock/podclock/harness/mutants/mutationtest"
	"github.com/podclock/podclock/harness/virtual/trace"
)

// A mutant's turn is timesReference times the reference's, at least shortestTurn, because every trial may hang on it.
// The reference has longestTurn.
const (
	timesReference = 10
	shortestTurn   = 2 * time.Minute
	longestTurn    = 30 * time.Minute
)

// playVirtualLane plays trials on one mutant after another until it is killed. Meanwhile the next mutant is built.
func playVirtualLane(ctx context.Context, o Options, w Killers, k keep) mutationtest.LaneReport {
	bench := host{o.Root, builds(run.VirtualLane, len(o.Mutations))}
	l := &virtualLane{Options: o, bench: bench, keep: k, killers: w, references: references{}}
	l.report = mutationtest.LaneReport{Lane: run.VirtualLane, Started: time.Now(), Trials: len(o.Trials)}
	return l.play(ctx)
}

type virtualLane struct {
	Options
	bench      bench
	keep       keep
	killers    Killers
	references references
	traces     trace.Side // of the first reference
	mutants    []mutation.Mutation
	turn       time.Duration // of each mutant
	report     mutationtest.LaneReport
	display    Display
}

func (l *virtualLane) play(ctx context.Context) mutationtest.LaneReport {
	l.choose()
	l.display = l.Show(run.VirtualLane, len(l.mutants))
	defer l.display.Stop()
	l.keep(l.report)
	// The reference comes first, because no kill counts without it, and again at the end, because some of its results
	// may be chance: then its traces differ.
	if err := os.MkdirAll(filepath.Join(l.Out, virtualFolder), 0o755); err != nil {
		return l.end(ctx, fmt.Errorf("creating the folder of its runs: %w", err))
	}
	reference, err := l.bench.build(ctx, l.subject(""), l.display)
	if err == nil {
		err = l.playReference(ctx, reference)
	}
	if err != nil {
		return l.end(ctx, fmt.Errorf("the reference could not be put under test: %w", err))
	}
	if err := l.meetAll(ctx); err != nil {
		return l.end(ctx, err)
	}
	if err := l.playReference(ctx, reference); err != nil {
		return l.end(ctx, fmt.Errorf("the reference could not be put under test again: %w", err))
	}
	l.fuzzSurvivors(ctx)
	return l.end(ctx, nil)
}

// end judges by all references and records why the lane ended early.
func (l *virtualLane) end(ctx context.Context, err error) mutationtest.LaneReport {
	switch {
	case ctx.Err() != nil:
		l.report.Problems = append(l.report.Problems, fmt.Sprintf("interrupted: %v", context.Cause(ctx)))
	case err != nil:
		l.report.Problems = append(l.report.Problems, err.Error())
	}
	for i, m := range l.report.Mutants {
		l.report.Mutants[i] = recheck(m, l.references)
	}
	if ctx.Err() == nil && err == nil {
		l.report.Ended = time.Now()
	}
	return l.report
}

func (l *virtualLane) subject(mutation string) kubelets.Subject {
	return kubelets.Subject{Virtual: true, Version: l.Version, Mutation: mutation}
}

func (l *virtualLane) choose() {
	for _, m := range l.Mutations {
		if _, err := kubelets.ParseSubjects(run.VirtualLane, l.subject(m.Name).Reports()); err != nil {
			l.report.LeftOut = append(l.report.LeftOut, mutationtest.LeftOut{Name: m.Name, Why: reasonOf(err)})
			continue
		}
		l.mutants = append(l.mutants, m)
		l.report.Mutants = append(l.report.Mutants, describe(m, l.Version))
	}
}

// reasonOf removes the advice for a list of subjects.
func reasonOf(err error) string { return cmp.Or(errors.Unwrap(err), err).Error() }

func (l *virtualLane) playReference(ctx context.Context, p program) error {
	began := time.Now()
	never := func(met) bool { return false }
	m, err := l.meet(ctx, fmt.Sprintf(referenceRun, len(l.report.References)+1), meeting{
		program: p, batches: [][]trial.Trial{l.Trials}, turn: longestTurn, enough: never,
	})
	if err != nil {
		return err
	}
	if ctx.Err() != nil {
		return nil // half a reference would put the other trials in doubt
	}
	l.references.add(m.run.Outcomes)
	judged := judgeReference(p.subject.String(), m.run.Outcomes)
	if len(l.report.References) == 0 {
		l.traces = trace.Side{Name: l.Version, Traces: m.traces}
	} else {
		judged.Comparison = l.compare(m)
	}
	judged.Run = time.Since(began)
	l.turn = max(shortestTurn, timesReference*judged.Run)
	l.display.Alarmed(judged)
	l.report.References = append(l.report.References, judged)
	l.keep(l.report)
	return nil
}

// compare compares traces with those of the first reference. A node that died has none, which is a difference.
func (l *virtualLane) compare(m met) *mutationtest.Comparison {
	usual := l.traces
	usual.Traces = slices.DeleteFunc(slices.Clone(usual.Traces), func(t trace.Trace) bool {
		return !slices.ContainsFunc(m.run.Outcomes, func(o trial.Outcome) bool { return o.Trial == t.Trial })
	})
	r := trace.Compare(usual, trace.Side{Traces: m.traces})
	var died []string
	if !m.cut {
		died = r.OnlyBefore
	}
	c := &mutationtest.Comparison{Trials: r.Compared + len(died), Different: r.Compared - r.Same + len(died)}
	switch {
	case c.Trials == 0:
		return nil
	case len(r.Groups) > 0:
		largest := r.Groups[0]
		c.First = largest.String() + " in " + largest.Example.Trial
		if detail := largest.Example.Detail(); detail != "" {
			c.First += ": " + detail
		}
	case len(died) > 0:
		c.First = "no trace of " + died[0] + ", because the node died"
	}
	return c
}

// meet saves the run, so that it can be judged again.
func (l *virtualLane) meet(ctx context.Context, name string, m meeting) (met, error) {
	l.display.Testing(name, 0, len(l.Trials))
	defer l.display.Testing("", 0, 0)
	m.progress = func(done int) { l.display.Testing(name, done, len(l.Trials)) }
	got, err := l.bench.meet(ctx, m)
	if err == nil && ctx.Err() == nil {
		got.run.ID = name
		err = run.SaveCompressed(virtualRun(l.Out, name), got.run)
	}
	return got, err
}

type built struct {
	program program
	err     error
	took    time.Duration
}

// ahead is how many built mutants wait. Each takes up to 100 MB.
const ahead = 1

func (l *virtualLane) builds(ctx context.Context) <-chan built {
	ready := make(chan built, ahead)
	go func() {
		defer close(ready)
		for _, m := range l.mutants {
			if ctx.Err() != nil {
				return
			}
			l.display.Building(m.Name)
			began := time.Now()
			p, err := l.bench.build(ctx, l.subject(m.Name), nil)
			l.display.Building("")
			ready <- built{p, err, time.Since(began)}
		}
	}()
	return ready
}

// meetAll plays all mutants. It returns when no build is running.
func (l *virtualLane) meetAll(ctx context.Context) error {
	i := 0
	for b := range l.builds(ctx) {
		if ctx.Err() == nil {
			l.report.Mutants[i] = l.judge(ctx, l.mutants[i], b)
			l.display.Judged(l.report.Mutants[i])
			l.keep(l.report)
		}
		i++
		if b.err != nil {
			continue
		}
		if err := l.bench.discard(b.program); err != nil {
			_, _ = fmt.Fprintln(l.display, err)
		}
	}
	return ctx.Err()
}

func (l *virtualLane) judge(ctx context.Context, m mutation.Mutation, b built) mutationtest.Mutant {
	judged := describe(m, l.Version)
	began := time.Now()
	if b.err == nil {
		judge := func(got met) mutationtest.Mutant { return judgeMutant(m, l.Version, got.run.Outcomes, l.references) }
		likely, rest := inOrder(m, l.killers[m.Name], l.Trials)
		var got met
		got, b.err = l.meet(ctx, m.Name, meeting{
			program: b.program, batches: append(likely, rest...), turn: l.turn,
			enough: func(got met) bool { return judge(got).KilledBy() >= needed(got.batches < len(likely)) },
		})
		if b.err == nil {
			judged = judge(got)
			judged.Comparison = l.compare(got)
		}
	}
	if b.err != nil && ctx.Err() == nil { // an interrupted mutant never ran
		judged = failed(judged, b.err)
	}
	judged.Build, judged.Run = b.took, time.Since(began)
	return judged
}

// fuzzSurvivors runs random scenarios on each mutant that no trial killed. What they find is missing in the catalogue.
func (l *virtualLane) fuzzSurvivors(ctx context.Context) {
	defer l.display.Testing("", 0, 0)
	for i, m := range l.report.Mutants {
		if m.Verdict != mutationtest.Survived || !m.Counts() {
			continue
		}
		show := func(scenarios, _ int) {
			l.display.Testing(m.Name+" in random scenarios", scenarios, fuzzScenarios)
		}
		show(0, 0)
		found := l.bench.fuzz(ctx, l.subject(m.Name), show)
		if ctx.Err() != nil {
			return
		}
		l.report.Mutants[i].Fuzz = &found
		l.keep(l.report)
	}
}
