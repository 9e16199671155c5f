package virtual

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/podclock/podclock/harness/delay"
	"github.com/podclock/podclock/harness/formula"
	"github.com/podclock/podclock/harness/judge"
	"github.com/podclock/podclock/harness/stage"
	"github.com/podclock/podclock/harness/timeline"
	"github.com/podclock/podclock/harness/trial"
	"github.com/podclock/podclock/harness/virtual/wire"
)

// Subject is a kubelet under test.
type Subject struct {
	// Name is what the user called it, Slug the same as part of a pod's name.
	Name, Slug string
	// Binary is the path of the virtual node program with this kubelet in it.
	Binary string
}

// longest bounds one attempt in real time.
const longest = 10 * time.Minute

// attempt is what came of a trial that was run once.
type attempt struct {
	trial.Attempt
	// ran says that there is an attempt to speak of: the node was started as the trial needs it. Where it
	// was not, verdict says what that means.
	ran     bool
	verdict trial.Verdict
	// why is why the trial was not measured to the end, or not at all.
	why string
	// broken is the failure of the node, nil where it worked; log is what it wrote.
	broken error
	log    []string
}

// run runs a trial once, on a node of its own. Nothing here is noise, so there is no sense in doing it again.
func run(ctx context.Context, s Subject, t trial.Trial, patience time.Duration, started func()) attempt {
	if t.NodeOnly != "" {
		return attempt{verdict: trial.Unsupported, why: t.NodeOnly}
	}
	ctx, cancel := context.WithTimeoutCause(
		ctx,
		longest,
		fmt.Errorf("the trial took longer than %v of real time", longest),
	)
	defer cancel()
	a := attempt{Attempt: trial.Attempt{Started: time.Now(), Node: wire.NodeName}, verdict: trial.Inconclusive}
	e, err := newExperiment(ctx, s, t, patience)
	if err != nil {
		a.why, a.broken = err.Error(), err
		return a
	}
	defer func() { _ = e.node.end() }()
	if err := e.boot(); err != nil {
		_ = e.node.end()
		a.why, a.log = err.Error(), e.node.log.lines()
		if e.unsupported {
			a.verdict = trial.Unsupported
		} else {
			a.broken = err
		}
		return a
	}
	if why := t.Unsupported(e.kubelet); why != "" {
		return attempt{verdict: trial.Unsupported, why: why}
	}
	a.why = e.run(started)
	_ = e.node.end()
	a.Took, a.broken, a.log = time.Since(a.Started), e.broken, e.node.log.lines()
	if e.unsupported {
		a.verdict = trial.Unsupported
		return a
	}
	a.ran, a.Virtual, a.Kubelet = true, time.Duration(e.node.clock-e.created), e.kubelet
	a.Evidence = e.evidence()
	a.Evidence.Cut = a.why
	a.Result = judge.Judge(t, timeline.Build(a.Evidence, delay.Record{}), delay.Record{}, a.Kubelet)
	if a.Result.Verdict == trial.Deviates {
		a.Deviation = stage.Deviation(e.pods, a.log)
	}
	return a
}

// Run runs one trial and judges it. The error is the failure of the virtual node, whose outcome is
// inconclusive: what a property makes of its own trial's verdict is its own.
func Run(ctx context.Context, s Subject, t trial.Trial) (trial.Outcome, error) {
	a := run(ctx, s, t, patience, func() {})
	o := trial.Outcome{Trial: t.ID, About: t.About, Subject: s.Name, Verdict: a.verdict, Why: a.why}
	if a.ran {
		o.Verdict, o.Attempts = a.Result.Verdict, []trial.Attempt{a.Attempt}
	}
	return o, a.broken
}

// Inspect starts a subject's virtual node and says what its kubelet says of itself: what the formulas need
// of it, and its effective configuration.
func Inspect(ctx context.Context, s Subject) (formula.Kubelet, json.RawMessage, error) {
	n, err := launch(ctx, s.Binary, patience)
	if err != nil {
		return formula.Kubelet{}, nil, fmt.Errorf("inspect subject %s: %w", s.Name, err)
	}
	defer func() { _ = n.end() }()
	start := startOf(nil)
	a, err := n.ask(wire.Request{Start: &start})
	switch {
	case err != nil:
	case a.Error != "":
		err = refusal(a)
	case a.Kubelet == nil:
		err = n.fail(errors.New("did not say which kubelet it runs"))
	}
	if err != nil {
		return formula.Kubelet{}, nil, fmt.Errorf("inspect subject %s: %w", s.Name, err)
	}
	k, err := stage.Kubelet(a.Kubelet.Version, a.Kubelet.Gates, a.Kubelet.Configuration)
	return k, a.Kubelet.Configuration, err
}
