package virtual

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"github.com/podclock/podclock/harness/measure/runner"
	"github.com/podclock/podclock/harness/measure/trial"
	"github.com/podclock/podclock/harness/rules/formula"
	"github.com/podclock/podclock/harness/virtual/trace"
	"github.com/podclock/podclock/harness/virtual/wire"
)

const longest = 10 * time.Minute

type attempt struct {
	runner.Completed
	// broken is the failure of the node, or nil; log is what it wrote.
	broken error
	log    []string
	// trace is nil if the node did not give it.
	trace *trace.Trace
}

// attemptOptions configure the attempts of a lab.
type attemptOptions struct {
	replyTimeout time.Duration
	seed         uint64
	traced       bool
	coverage     string
}

func skip(v trial.Verdict, why string) attempt {
	return attempt{Completed: runner.Completed{Skipped: v, Why: why}}
}

// playOnce plays a trial on a node of its own. Nothing delays it, so a further attempt is useless.
func playOnce(ctx context.Context, at *place, s Program, t trial.Trial, how attemptOptions, begun func()) attempt {
	if t.NodeOnly != "" {
		return skip(trial.Unsupported, t.NodeOnly)
	}
	overdue := fmt.Errorf("the trial took longer than %v of real time", longest)
	ctx, cancel := context.WithTimeoutCause(ctx, longest, overdue)
	defer cancel()
	started := time.Now()
	n, err := at.node(ctx, s, how.replyTimeout)
	if err != nil {
		a := skip(trial.Inconclusive, err.Error())
		a.broken = err
		return a
	}
	defer n.bound(ctx)()
	l := &lane{trial: t, node: n, record: newRecord(), seed: how.seed}
	if err := l.boot(ctx); err != nil {
		_ = n.end()
		a := skip(trial.Inconclusive, err.Error())
		a.broken, a.log = err, n.log.lines()
		if errors.Is(err, runner.ErrUnsupported) {
			a.Skipped, a.broken = trial.Unsupported, nil
		}
		return a
	}
	if why := t.Unsupported(l.kubelet); why != "" {
		return skip(trial.Unsupported, why)
	}
	p := &runner.Runner{
		Deployment: runner.Deployment{
			Trial: t, Slug: wire.NodeName, Attempt: 1,
			Namespace: namespace, Node: wire.NodeName, Images: images,
		},
		On: l, Begun: func(string) { begun() }, OffTick: offTick,
	}
	a := attempt{Completed: p.Play(ctx)}
	if l.record.calls == nil && l.Settle(ctx, nil) == nil { // it ended early: the calls may show why
		p.Judge(&a.Completed)
	}
	if how.traced {
		a.trace = l.trace(s.Name, t.ID, traceOrigin(p, a.Evidence))
	}
	if how.coverage != "" {
		l.saveCoverage(filepath.Join(how.coverage, filepath.FromSlash(t.ID)))
	}
	a.Started, a.Took = started, time.Since(started)
	a.Virtual = l.Now().Sub(p.Created())
	a.broken = l.broken
	if a.broken != nil || a.Result.Verdict == trial.Deviates {
		_ = n.end() // which completes its log
		a.log = n.log.lines()
	}
	if a.Result.Verdict == trial.Deviates {
		a.Deviation = runner.Deviation(p.Pods(), a.log)
	}
	return a
}

// Inspect starts a subject's virtual node and returns what its kubelet reports, and the effective configuration.
func Inspect(ctx context.Context, s Program) (formula.Kubelet, json.RawMessage, error) {
	n, err := launch(ctx, s, replyTimeout)
	if err != nil {
		return formula.Kubelet{}, nil, fmt.Errorf("inspect subject %s: %w", s.Name, err)
	}
	defer func() { _ = n.end() }()
	l := &lane{node: n, record: newRecord()}
	configuration, err := l.start()
	if err != nil {
		err = fmt.Errorf("inspect subject %s: %w", s.Name, err)
	}
	return l.kubelet, configuration, err
}
