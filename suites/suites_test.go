//go:build e2e

package suites

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/caarlos0/env/v11"
	. "github.com/onsi/ginkgo/v2"
	"github.com/onsi/ginkgo/v2/types"
	"k8s.io/klog/v2"

	"github.com/podclock/podclock/harness/stage"
	"github.com/podclock/podclock/harness/trial"
	"github.com/podclock/podclock/reports"
	"github.com/podclock/podclock/suites/session"
)

// The suite boots a real cluster where a subject is in the node lane, so it has a build tag: `make e2e`, `make rehearse` for the virtual lane only, or
// `ginkgo --tags e2e ./suites`.

var (
	config, configError = session.ParseConfig(env.ToMap(os.Environ()))
	// selected are the trials and subjects that this run's focus and filters leave.
	selected []stage.Selection
	// run is the session of this process; nil before its set-up.
	run *session.Session
	// life is the context that trials live in; it ends with the suite.
	life, end = context.WithCancelCause(context.Background())
	// finished is the run once it is over; nil in a dry run.
	finished *reports.Run
)

func TestMain(m *testing.M) {
	// What client-go logs of an API server that went away, the report says in its own words.
	klog.LogToStderr(false)
	klog.SetOutput(io.Discard)
	code := m.Run()
	switch {
	case finished != nil:
		code = conclude(*finished, code)
	case code != 0:
		code = reports.ExitUnjudged // it did not come so far as to judge anything
	}
	os.Exit(code)
}

// conclude writes the summary below everything else, and returns the run's exit code.
func conclude(r reports.Run, code int) int {
	err := reports.Summary(os.Stdout, r, reports.SummaryOptions{Screen: reports.ScreenOf(os.Stdout), Folder: run.Dir()})
	if err != nil {
		fmt.Fprintln(os.Stderr, "podclock:", err)
	}
	if verdict := r.ExitCode(); verdict != reports.ExitConforms || code == 0 && err == nil {
		return verdict
	}
	return reports.ExitUnjudged // every verdict was good, but something else was not: a cluster that could not be deleted
}

func TestSuites(t *testing.T) {
	suite, reporter := GinkgoConfiguration()
	err := configError
	if err == nil {
		selected, err = selection(suite)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "podclock:", err)
		os.Exit(reports.ExitUnjudged)
	}
	RunSpecs(t, "podclock", suite, reporter)
}

// selection asks Ginkgo which specs it would run, before anything is started.
func selection(suite types.SuiteConfig) ([]stage.Selection, error) {
	if suite.ParallelTotal > 1 {
		return nil, errors.New("all trials run at once in one process: call ginkgo without -p and --procs")
	}
	var chosen []stage.Selection
	catalogue := Index()
	for _, spec := range PreviewSpecs("podclock").SpecReports {
		if found, ok := catalogue[spec.LeafNodeText]; ok && spec.State.Is(types.SpecStatePassed) {
			chosen = append(chosen, stage.Selection{Trial: found, Subject: spec.ContainerHierarchyTexts[0]})
		}
	}
	if len(chosen) == 0 {
		return nil, fmt.Errorf("no trial of the profile %s is selected by focus %q, skip %q, label filter %q; DRY_RUN=1 lists them, PROFILE=full holds all %d",
			config.Profile, suite.FocusStrings, suite.SkipStrings, suite.LabelFilter, len(Catalogue()))
	}
	return chosen, nil
}

var _ = BeforeSuite(func(ctx SpecContext) {
	var err error
	run, err = session.New(config, selected, os.Stderr)
	if err == nil {
		err = run.SetUp(ctx, life)
	}
	if err != nil {
		Fail(err.Error()) // its words, without the innards that a matcher would print
	}
}, NodeTimeout(90*time.Minute))

var _ = AfterSuite(func(ctx SpecContext) {
	if run == nil {
		return // the set-up could not even begin, and has said why
	}
	r, err := run.Finish(ctx)
	end(errors.New("the suite is over"))
	finished = &r
	if err != nil {
		Fail(err.Error())
	}
}, NodeTimeout(5*time.Minute))

var _ = describeSubjects()

// describeSubjects makes one spec of every trial and subject.
func describeSubjects() bool {
	for _, subject := range config.SubjectNames() {
		Describe(subject, func() {
			for _, t := range Catalogue() {
				if !config.Profile.Holds(t) {
					continue
				}
				It(t.ID, Label(append([]string{t.Area()}, t.Labels...)...), func(ctx SpecContext) {
					outcome, err := run.Await(ctx, t.ID, subject)
					if err != nil {
						run.Problem(err.Error())
						Fail(err.Error())
					}
					judge(outcome)
				})
			}
		})
	}
	return true
}

// judge turns a verdict into a spec's end: what was not judged is skipped, never passed.
func judge(o trial.Outcome) {
	AddReportEntry("verdict", string(o.Verdict), ReportEntryVisibilityFailureOrVerbose)
	switch o.Verdict {
	case trial.Conforms, trial.Divergent:
	case trial.Deviates:
		Fail(explain(o))
	default:
		Skip(string(o.Verdict) + ": " + explain(o))
	}
}

// explain says why an outcome is what it is.
func explain(o trial.Outcome) string {
	var lines []string
	if o.Why != "" {
		lines = append(lines, o.Why)
	}
	if last := o.Last(); last != nil {
		for _, f := range last.Result.Findings {
			if f.Verdict == o.Verdict {
				lines = append(lines, f.Claim+": "+f.Why)
				if f.Diagnosis != nil {
					lines = append(lines, fmt.Sprintf("as if %s (%s)", f.Diagnosis.Name, f.Diagnosis.Reference))
				}
			}
		}
	}
	return strings.Join(lines, "\n")
}
