package sensitivity

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/podclock/podclock/harness/detection"
	"github.com/podclock/podclock/harness/kubelet"
	"github.com/podclock/podclock/harness/kubelet/builder"
	"github.com/podclock/podclock/harness/kubelet/mutation"
	"github.com/podclock/podclock/harness/run"
	"github.com/podclock/podclock/harness/stage"
	"github.com/podclock/podclock/harness/trial"
	"github.com/podclock/podclock/harness/virtual"
	"github.com/podclock/podclock/harness/virtual/wire"
)

// A mutant's turn is timesReference times the reference's, at least shortestTurn, because every trial may hang on it.
// The reference has longestTurn.
const (
	timesReference = 10
	shortestTurn   = 2 * time.Minute
	longestTurn    = 30 * time.Minute
)

const looking = 500 * time.Millisecond

// bench builds and plays subjects. Tests replace it.
type bench interface {
	// discard deletes a program unless others use it.
	build(ctx context.Context, s kubelet.Subject, log io.Writer) (program, error)
	discard(p program) error
	// meet plays trials within a turn and returns the run. The error is why the node could not be started.
	meet(ctx context.Context, p program, trials []trial.Trial, turn time.Duration,
		progress func(done int)) (run.Run, error)
	// soak runs random scenarios.
	soak(ctx context.Context, s kubelet.Subject) detection.Soak
}

type program struct {
	subject kubelet.Subject
	binary  builder.Binary
}

type host struct {
	root   string
	builds build
}

// build is [builder.Build] or [builder.BuildTogether].
type build func(ctx context.Context, s kubelet.Subject, o builder.Options) (builder.Binary, error)

// builds returns the build of some mutants. One program with all mutations took as long as 35 of their own for a
// virtual node (7 min), and as long as 9 for a kubelet (110 s).
func builds(lane kubelet.Lane, mutants int) build {
	if mutants < 9 || lane == kubelet.LaneVirtual && mutants < 35 {
		return builder.Build
	}
	return builder.BuildTogether
}

func (h host) build(ctx context.Context, s kubelet.Subject, log io.Writer) (program, error) {
	binary, err := h.builds(ctx, s, builder.Options{Source: h.root, Log: log})
	return program{s, binary}, err
}

func (h host) discard(p program) error { return builder.Discard(p.binary) }

func (h host) meet(
	ctx context.Context, p program, trials []trial.Trial, turn time.Duration, progress func(done int),
) (run.Run, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, turn, fmt.Errorf("all its trials together took longer than %v", turn))
	defer cancel()
	node := virtual.Subject{Name: p.subject.String(), Binary: p.binary.Path, Env: p.binary.Env}
	facts, configuration, err := virtual.Inspect(ctx, node)
	if err != nil {
		return run.Run{}, fmt.Errorf("its node could not be started: %w", err)
	}
	if facts.Version != p.subject.Version && facts.Version != p.subject.Reports() {
		return run.Run{}, fmt.Errorf("its node runs kubelet %s: it was built wrong", facts.Version)
	}
	// The outcome has the reason of a node's death, so its log is not needed.
	lab, err := virtual.Open(ctx, virtual.Options{Subjects: []virtual.Subject{node}, Log: io.Discard})
	if err != nil {
		return run.Run{}, err
	}
	lab.Start(selections(trials, node.Name))
	awaitAll(ctx, lab, progress)
	lab.Stop()
	r := run.Run{
		Subjects: []run.Subject{{
			Name: node.Name, Lane: run.VirtualLane, Node: wire.NodeName, Kubelet: facts, Mutation: p.subject.Mutation,
			Configuration: configuration,
		}},
		Outcomes: lab.Outcomes(),
		Nodes:    lab.Nodes(),
	}
	r.Check()
	return r, nil
}

func (h host) soak(ctx context.Context, s kubelet.Subject) detection.Soak {
	return soak(ctx, h.root, s)
}

func awaitAll(ctx context.Context, lab *virtual.Lab, progress func(done int)) {
	tick := time.NewTicker(looking)
	defer tick.Stop()
	for {
		done, states := 0, lab.States()
		for _, s := range states {
			if s.Phase == stage.Done {
				done++
			}
		}
		progress(done)
		if done == len(states) {
			return
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// playVirtualLane plays all trials on one mutant after another. Meanwhile the next mutant is built.
func playVirtualLane(ctx context.Context, o Options, _ Witnesses, k keep) detection.LaneReport {
	bench := host{o.Root, builds(kubelet.LaneVirtual, len(o.Mutations))}
	l := &virtualLane{Options: o, bench: bench, keep: k, references: references{}}
	l.report = detection.LaneReport{Lane: run.VirtualLane, Started: time.Now(), Trials: len(o.Trials)}
	return l.play(ctx)
}

type virtualLane struct {
	Options
	bench      bench
	keep       keep
	references references
	mutants    []mutation.Mutation
	turn       time.Duration // of each mutant
	report     detection.LaneReport
	display    Display
}

func (l *virtualLane) play(ctx context.Context) detection.LaneReport {
	l.choose()
	l.display = l.Show(run.VirtualLane, len(l.mutants))
	defer l.display.Stop()
	l.keep(l.report)
	// The reference comes first, because no catch counts without it, and again at the end, because some of its results
	// may be chance.
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
	l.soakSurvivors(ctx)
	return l.end(ctx, nil)
}

// end judges by all references and records why the lane ended early.
func (l *virtualLane) end(ctx context.Context, err error) detection.LaneReport {
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

func (l *virtualLane) subject(mutation string) kubelet.Subject {
	return kubelet.Subject{Virtual: true, Version: l.Version, Mutation: mutation}
}

func (l *virtualLane) choose() {
	for _, m := range l.Mutations {
		why := onlyOnNodes(m.Formula, l.Trials)
		if _, err := kubelet.LaneVirtual.ParseSubjects(l.subject(m.Name).Reports()); err != nil {
			why = reasonOf(err)
		}
		if why != "" {
			l.report.LeftOut = append(l.report.LeftOut, detection.LeftOut{Name: m.Name, Why: why})
			continue
		}
		l.mutants = append(l.mutants, m)
		l.report.Mutants = append(l.report.Mutants, describe(m, l.Version))
	}
}

// onlyOnNodes returns why no virtual node measures a formula, "" if one does or if no trial claims it.
func onlyOnNodes(id string, trials []trial.Trial) (why string) {
	for _, w := range measuring(id, trials) {
		if why = w.NodeOnly; why == "" {
			return ""
		}
	}
	return why
}

// reasonOf removes the advice for a list of subjects.
func reasonOf(err error) string { return cmp.Or(errors.Unwrap(err), err).Error() }

func (l *virtualLane) playReference(ctx context.Context, p program) error {
	began := time.Now()
	r, err := l.meet(ctx, fmt.Sprintf(referenceRun, len(l.report.References)+1), p, longestTurn)
	if err != nil {
		return err
	}
	if ctx.Err() != nil {
		return nil // half a reference would put the other trials in doubt
	}
	l.references.add(r.Outcomes)
	judged := judgeReference(p.subject.String(), r.Outcomes)
	judged.Run = time.Since(began)
	l.turn = max(shortestTurn, timesReference*judged.Run)
	l.display.Alarmed(judged)
	l.report.References = append(l.report.References, judged)
	l.keep(l.report)
	return nil
}

// meet saves the run, so that it can be judged again.
func (l *virtualLane) meet(ctx context.Context, name string, p program, turn time.Duration) (run.Run, error) {
	l.display.Testing(name, 0, len(l.Trials))
	defer l.display.Testing("", 0, 0)
	r, err := l.bench.meet(ctx, p, l.Trials, turn, func(done int) { l.display.Testing(name, done, len(l.Trials)) })
	if err == nil && ctx.Err() == nil {
		r.ID = name
		err = run.SaveCompressed(virtualRun(l.Out, name), r)
	}
	return r, err
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

func (l *virtualLane) judge(ctx context.Context, m mutation.Mutation, b built) detection.Mutant {
	judged := describe(m, l.Version)
	began := time.Now()
	if b.err == nil {
		var r run.Run
		if r, b.err = l.meet(ctx, m.Name, b.program, l.turn); b.err == nil {
			judged = judgeMutant(m, l.Version, r.Outcomes, l.references)
		}
	}
	if b.err != nil && ctx.Err() == nil { // an interrupted mutant never ran
		judged = failed(judged, b.err)
	}
	judged.Build, judged.Run = b.took, time.Since(began)
	return judged
}

// soakSurvivors runs random scenarios on each mutant that no trial caught. What they find is missing in the catalogue.
func (l *virtualLane) soakSurvivors(ctx context.Context) {
	defer l.display.Testing("", 0, 0)
	for i, m := range l.report.Mutants {
		if m.Verdict != detection.Survived || !m.Counts() {
			continue
		}
		l.display.Testing(m.Name+" in random scenarios", 0, soakScenarios)
		found := l.bench.soak(ctx, l.subject(m.Name))
		if ctx.Err() != nil {
			return
		}
		l.report.Mutants[i].Soak = &found
		l.keep(l.report)
	}
}
