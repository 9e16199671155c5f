// Package specs binds every trial and subject to one Ginkgo spec: `podclock run` and `ginkgo ./suites` run
// the same specs by it. It knows how a suite drives a session, and nothing of how a trial is run or judged.
package specs

import (
	"context"
	"errors"
	"io"
	"time"

	. "github.com/onsi/ginkgo/v2"
	"github.com/onsi/ginkgo/v2/types"

	"github.com/podclock/podclock/harness/run"
	"github.com/podclock/podclock/harness/session"
	"github.com/podclock/podclock/harness/stage"
	"github.com/podclock/podclock/reports/render"
	"github.com/podclock/podclock/suites"
)

// name is the suite's, which Ginkgo's focus and skip see before a spec's own text.
const name = "podclock"

const (
	// settingUp is how long a run may take until its trials run, ending how long it may take to clean up.
	settingUp = 90 * time.Minute
	ending    = 5 * time.Minute
)

// Suite is the specs of one run. A process has one: Ginkgo keeps one tree of specs, and runs it once.
type Suite struct {
	config session.Config
	log    io.Writer
	// selected are the trials and subjects that focus and filters leave.
	selected []stage.Selection
	// run is the session; nil before its set-up.
	run *session.Session
	// life is the context that trials live in, until end.
	life context.Context
	end  context.CancelCauseFunc
	// finished is the run once it is over; nil in a dry run, and where the set-up could not even begin.
	finished *run.Run
}

// Bind tells Ginkgo one spec for every subject and trial of the profile, and what comes before and after
// them all. What the session does goes to log.
func Bind(c session.Config, log io.Writer) *Suite {
	s := &Suite{config: c, log: log}
	s.life, s.end = context.WithCancelCause(context.Background())
	BeforeSuite(s.setUp, NodeTimeout(settingUp))
	AfterSuite(s.finish, NodeTimeout(ending))
	catalogue := suites.Catalogue()
	for _, subject := range c.SubjectNames() {
		Describe(subject, func() {
			for _, t := range catalogue {
				if c.Profile.Holds(t) {
					It(t.ID, Label(append([]string{t.Area()}, t.Labels...)...),
						func(ctx SpecContext) { s.judge(ctx, t.ID, subject) })
				}
			}
		})
	}
	return s
}

// Run runs the specs that Select left, and says whether all of them passed.
func (s *Suite) Run(t GinkgoTestingT, suite types.SuiteConfig, reporter types.ReporterConfig) (passed bool) {
	return RunSpecs(t, name, suite, reporter)
}

// setUp goes from a bare host to trials that run.
func (s *Suite) setUp(ctx SpecContext) {
	var err error
	s.run, err = session.New(s.config, s.selected, s.log)
	if err == nil {
		err = s.run.SetUp(ctx, s.life)
	}
	if err != nil {
		Fail(err.Error()) // its words, without the innards that a matcher would print
	}
}

// judge is a spec: it awaits a verdict.
func (s *Suite) judge(ctx SpecContext, trial, subject string) {
	outcome, err := s.run.Await(ctx, trial, subject)
	if err != nil {
		s.run.Problem(err.Error())
		Fail(err.Error())
	}
	end(outcome)
}

// finish saves what was measured and cleans up, after an interrupt, too.
func (s *Suite) finish(ctx SpecContext) {
	if s.run == nil {
		return // the set-up could not even begin, and has said why
	}
	r, err := s.run.Finish(ctx)
	s.end(errors.New("the suite is over"))
	s.finished = &r
	_, rendering := render.Save(s.run.Dir(), r, render.Options{Podclock: r.Environment.Podclock}, render.AtEnd()...)
	if err := errors.Join(err, rendering); err != nil {
		Fail(err.Error())
	}
}
