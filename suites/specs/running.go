package specs

import (
	"context"
	"errors"

	. "github.com/onsi/ginkgo/v2"

	"github.com/podclock/podclock/harness/measure/run"
	"github.com/podclock/podclock/harness/measure/runner"
	"github.com/podclock/podclock/harness/session"
	"github.com/podclock/podclock/reports/view"
)

// running is the run that the suite's nodes play.
type running struct {
	// ctx ends with an interrupt, and when the time for the run is over.
	ctx     context.Context
	program session.Program
	session *session.Session
	chosen  []runner.Selection
	end     context.CancelCauseFunc
	// failing is true once Ginkgo counts a failure.
	failing bool
	played  run.Run
	// ending is what went wrong after the trials.
	ending error
}

func (r *running) setUp(spec SpecContext) {
	r.program.TakeInterrupts()
	ctx, stop := r.until(spec)
	defer stop()
	life, end := context.WithCancelCause(context.WithoutCancel(ctx))
	r.end = end
	if err := r.session.SetUp(ctx, life, session.SettingUp); err != nil {
		r.failing = true
		Fail(err.Error())
	}
}

// until returns a context that ends with the spec's or the run's.
func (r *running) until(spec SpecContext) (ctx context.Context, stop func()) {
	ctx, cancel := context.WithCancelCause(spec)
	detach := context.AfterFunc(r.ctx, func() { cancel(context.Cause(r.ctx)) })
	return ctx, func() {
		detach()
		cancel(nil)
	}
}

// await is the body of a trial's It.
func (r *running) await(spec SpecContext, one runner.Selection) {
	ctx, stop := r.until(spec)
	defer stop()
	outcome, err := r.session.Await(ctx, one.Trial.ID, one.Subject)
	if err != nil {
		r.abort(err)
	}
	assert(outcome, func() bool {
		all, err := r.all(ctx)
		if err != nil {
			r.abort(err)
		}
		return all.Fails(outcome)
	})
}

// abort skips the specs that are left. What was measured is judged and saved.
func (r *running) abort(err error) {
	r.session.Problem(err.Error())
	AbortSuite(err.Error(), 1)
}

// all awaits every trial. Whether an inconclusive trial fails depends on the others.
func (r *running) all(ctx context.Context) (all run.Run, err error) {
	for _, one := range r.chosen {
		outcome, err := r.session.Await(ctx, one.Trial.ID, one.Subject)
		if err != nil {
			return all, err
		}
		all.Outcomes = append(all.Outcomes, outcome)
	}
	return all, nil
}

func (r *running) finish(ctx SpecContext) {
	r.played, r.ending = r.session.Finish(ctx)
	if r.end != nil {
		r.end(errors.New("the run is over"))
	}
	if r.ending != nil {
		Fail(r.ending.Error())
	}
	if r.played.ExitCode() != run.ExitConforms && !r.failing {
		Fail(view.ExitReason(r.played)) // such as lanes that disagree, or a check of the whole run
	}
}

// note is called after each spec.
func (r *running) note(spec SpecReport) { r.failing = r.failing || spec.Failed() }
