package sensitivity

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/podclock/podclock/harness/detection"
	"github.com/podclock/podclock/harness/kubelet"
	"github.com/podclock/podclock/harness/kubelet/builder"
	"github.com/podclock/podclock/harness/kubelet/mutation"
	"github.com/podclock/podclock/harness/run"
	"github.com/podclock/podclock/harness/stage"
	"github.com/podclock/podclock/harness/trial"
	"github.com/podclock/podclock/harness/virtual"
)

// A mutant on which every trial hangs would take hours, so the turn of a mutant is at most timesReference times as long
// as the reference's, but at least shortestTurn. Trials without time left are not judged. The reference has
// longestTurn.
const (
	timesReference = 10
	shortestTurn   = 2 * time.Minute
	longestTurn    = 30 * time.Minute
)

// looking is how often the display asks for the progress.
const looking = 500 * time.Millisecond

// bench builds and plays subjects in the virtual lane. Tests replace it.
type bench interface {
	// build builds a subject's program, discard deletes it unless others use it.
	build(ctx context.Context, s kubelet.Subject, log io.Writer) (program, error)
	discard(p program) error
	// meet plays trials on a program within its turn and returns the outcomes of all of them. The error is why its
	// node could not be started.
	meet(ctx context.Context, p program, trials []trial.Trial, turn time.Duration,
		progress func(done int)) ([]trial.Outcome, error)
}

// program is a subject's virtual node.
type program struct {
	subject kubelet.Subject
	binary  builder.Binary
}

// host is the bench of this host.
type host struct{ root string }

func (h host) build(ctx context.Context, s kubelet.Subject, log io.Writer) (program, error) {
	binary, err := builder.Build(ctx, s, builder.Options{Source: h.root, Log: log})
	return program{s, binary}, err
}

func (h host) discard(p program) error { return builder.Discard(p.binary) }

func (h host) meet(
	ctx context.Context,
	p program,
	trials []trial.Trial,
	turn time.Duration,
	progress func(done int),
) ([]trial.Outcome, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, turn, fmt.Errorf("all its trials together took longer than %v", turn))
	defer cancel()
	node := virtual.Subject{Name: p.subject.String(), Slug: p.subject.Slug(), Binary: p.binary.Path}
	facts, _, err := virtual.Inspect(ctx, node)
	if err != nil {
		return nil, fmt.Errorf("its node could not be started: %w", err)
	}
	if facts.Version != p.subject.Version && facts.Version != p.subject.Reports() {
		return nil, fmt.Errorf("its node runs kubelet %s: it was built wrong", facts.Version)
	}
	// The outcome says why a mutant's node died, so its log is not needed.
	lab, err := virtual.Open(ctx, virtual.Options{Subjects: []virtual.Subject{node}, Log: io.Discard})
	if err != nil {
		return nil, err
	}
	var selected []stage.Selection
	for _, t := range trials {
		selected = append(selected, stage.Selection{Trial: t, Subject: node.Name})
	}
	lab.Start(selected)
	awaitAll(ctx, lab, progress)
	lab.Stop()
	return lab.Outcomes(), nil
}

// awaitAll waits until every trial is done or ctx ends.
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

// playVirtualLane plays the virtual lane: every mutant meets all trials under virtual time, one mutant after the other.
// While one is under test, the next is built, which keeps two cores busy.
func playVirtualLane(ctx context.Context, o Options, _ Witnesses, k keep) detection.LaneReport {
	l := &virtualLane{Options: o, bench: host{o.Root}, keep: k, references: references{}}
	l.proof = detection.LaneReport{Lane: run.VirtualLane, Started: time.Now(), Trials: len(o.Trials)}
	return l.prove(ctx)
}

// virtualLane is the lane while it is played.
type virtualLane struct {
	Options
	bench      bench
	keep       keep
	references references
	mutants    []mutation.Mutation
	turn       time.Duration // of each mutant
	proof      detection.LaneReport
	display    Display
}

// show begins to show the lane. Without a display the log gets its lines.
func (l *virtualLane) show() Display {
	if l.Show == nil {
		return logOnly{l.Log}
	}
	return l.Show(run.VirtualLane, len(l.mutants))
}

// logOnly shows nothing but log lines.
type logOnly struct{ io.Writer }

func (logOnly) Building(string)             {}
func (logOnly) Testing(string, int, int)    {}
func (logOnly) Judged(detection.Mutant)     {}
func (logOnly) Alarmed(detection.Reference) {}
func (logOnly) Stop()                       {}

func (l *virtualLane) prove(ctx context.Context) detection.LaneReport {
	l.choose()
	l.display = l.show()
	defer l.display.Stop()
	l.keep(l.proof)
	// The reference comes first, because no catch counts without it, and again at the end, because some of its results
	// may be chance.
	control, err := l.bench.build(ctx, l.subject(""), l.display)
	if err == nil {
		err = l.control(ctx, control)
	}
	if err != nil {
		return l.end(ctx, fmt.Errorf("the released code could not be put under test: %w", err))
	}
	if err := l.meetAll(ctx); err != nil {
		return l.end(ctx, err)
	}
	if err := l.control(ctx, control); err != nil {
		return l.end(ctx, fmt.Errorf("the released code could not be put under test again: %w", err))
	}
	return l.end(ctx, nil)
}

// end judges by all references and records why the lane did not reach its end.
func (l *virtualLane) end(ctx context.Context, err error) detection.LaneReport {
	switch {
	case ctx.Err() != nil:
		l.proof.Problems = append(l.proof.Problems, fmt.Sprintf("interrupted: %v", context.Cause(ctx)))
	case err != nil:
		l.proof.Problems = append(l.proof.Problems, err.Error())
	}
	for i, m := range l.proof.Mutants {
		l.proof.Mutants[i] = recheck(m, l.references)
	}
	if ctx.Err() == nil && err == nil {
		l.proof.Ended = time.Now()
	}
	return l.proof
}

func (l *virtualLane) subject(mutation string) kubelet.Subject {
	return kubelet.Subject{Virtual: true, Version: l.Version, Mutation: mutation}
}

// choose leaves out the mutations that the lane can't have.
func (l *virtualLane) choose() {
	for _, m := range l.Mutations {
		if _, err := kubelet.LaneVirtual.ParseSubjects(l.subject(m.Name).Reports()); err != nil {
			l.proof.LeftOut = append(l.proof.LeftOut, detection.LeftOut{Name: m.Name, Why: reasonOf(err)})
			continue
		}
		l.mutants = append(l.mutants, m)
		l.proof.Mutants = append(l.proof.Mutants, describe(m, l.Version))
	}
}

// reasonOf returns an error without the advice for a list of subjects.
func reasonOf(err error) string {
	if inner := errors.Unwrap(err); inner != nil {
		return inner.Error()
	}
	return err.Error()
}

// control plays all trials on the reference.
func (l *virtualLane) control(ctx context.Context, p program) error {
	began := time.Now()
	outcomes, err := l.meet(ctx, "the released code", p, longestTurn)
	if err != nil {
		return err
	}
	if ctx.Err() != nil {
		return nil // half a control would make every trial that it did not come to look doubtful
	}
	l.references.add(outcomes)
	judged := judgeReference(p.subject.String(), outcomes)
	judged.Run = time.Since(began)
	l.turn = max(shortestTurn, timesReference*judged.Run)
	l.display.Alarmed(judged)
	l.proof.References = append(l.proof.References, judged)
	l.keep(l.proof)
	return nil
}

func (l *virtualLane) meet(ctx context.Context, name string, p program, turn time.Duration) ([]trial.Outcome, error) {
	l.display.Testing(name, 0, len(l.Trials))
	defer l.display.Testing("", 0, 0)
	return l.bench.meet(ctx, p, l.Trials, turn, func(done int) { l.display.Testing(name, done, len(l.Trials)) })
}

// built is a mutant whose build has ended.
type built struct {
	program program
	err     error
	took    time.Duration
}

// ahead is the number of mutants that are built and wait. One evens out long builds and trials. Each takes up to 100
// MB.
const ahead = 1

// builds builds the mutants' programs one after another.
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

// meetAll plays all trials on every mutant. It returns when no build is running.
func (l *virtualLane) meetAll(ctx context.Context) error {
	i := 0
	for b := range l.builds(ctx) {
		if ctx.Err() == nil {
			l.proof.Mutants[i] = l.judge(ctx, l.mutants[i], b)
			l.display.Judged(l.proof.Mutants[i])
			l.keep(l.proof)
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

// judge plays all trials on one mutant and judges it.
func (l *virtualLane) judge(ctx context.Context, m mutation.Mutation, b built) detection.Mutant {
	judged := describe(m, l.Version)
	began := time.Now()
	if b.err == nil {
		var outcomes []trial.Outcome
		if outcomes, b.err = l.meet(ctx, m.Name, b.program, l.turn); b.err == nil {
			judged = judgeMutant(m, l.Version, outcomes, l.references)
		}
	}
	if b.err != nil && ctx.Err() == nil { // what was interrupted says nothing of the mutant: it never ran
		judged = failed(judged, b.err)
	}
	judged.Build, judged.Run = b.took, time.Since(began)
	return judged
}
