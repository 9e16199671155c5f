//go:build e2e

package suites_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"

	. "github.com/onsi/ginkgo/v2"
	"github.com/onsi/ginkgo/v2/types"
	"github.com/spf13/pflag"
	"k8s.io/klog/v2"

	"github.com/podclock/podclock/harness/run"
	"github.com/podclock/podclock/harness/session"
	"github.com/podclock/podclock/harness/session/option"
	"github.com/podclock/podclock/harness/stage"
	"github.com/podclock/podclock/harness/trial"
	"github.com/podclock/podclock/reports/folder"
	"github.com/podclock/podclock/reports/terminal"
	"github.com/podclock/podclock/reports/view"
	"github.com/podclock/podclock/suites"
)

// `ginkgo --tags e2e ./suites` runs the trials of `podclock run` as specs, configured by the same
// variables. It has a build tag because it boots a cluster if a subject is in the node lane.

// exitCode is the code of the run in this process.
var exitCode = run.ExitUnjudged

func TestMain(m *testing.M) {
	// The report has its own words for an API server that went away, so client-go's log is not needed.
	klog.LogToStderr(false)
	klog.SetOutput(io.Discard)
	if code := m.Run(); code == 0 && exitCode == run.ExitConforms {
		os.Exit(0)
	}
	os.Exit(max(exitCode, run.ExitDeviates))
}

func TestSuites(t *testing.T) {
	config, selected, err := configured()
	suite, reporter := GinkgoConfiguration()
	if err == nil && suite.ParallelTotal > 1 {
		err = errors.New("all trials run at the same time in one process: call ginkgo without -p and --procs")
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "podclock:", err)
		os.Exit(run.ExitUnjudged)
	}
	if suite.DryRun {
		exitCode = run.ExitConforms
	}
	bind(config, &selected)
	selected = chosen(selected)
	RunSpecs(t, session.Suite, suite, reporter)
}

// configured reads the configuration from the environment, as `podclock run` does without flags.
func configured() (session.Config, []stage.Selection, error) {
	base, err := os.ReadFile("../kind-config.yaml")
	if err != nil {
		return session.Config{}, nil, err
	}
	c := session.Config{KindBase: base}
	set := pflag.NewFlagSet("suites", pflag.ContinueOnError)
	c.AddFlags(set)
	c.AddSelectionFlags(set)
	if err := option.ReadEnvironment(set, os.LookupEnv); err != nil {
		return c, nil, err
	}
	resolved, err := c.Resolve()
	if err != nil {
		return c, nil, option.AsGiven(set, err)
	}
	selected, err := resolved.Select(suites.Catalogue())
	return resolved, selected, option.AsGiven(set, err)
}

// bind makes one spec of each selected trial. The session plays what is selected when the suite starts.
func bind(c session.Config, selected *[]stage.Selection) {
	var s *session.Session
	life, end := context.WithCancelCause(context.Background())
	BeforeSuite(func(ctx SpecContext) {
		var err error
		s, err = session.New(c, *selected, session.Program{Log: os.Stderr, Save: folder.Writer(suites.Catalogue)})
		if err == nil {
			err = s.SetUp(ctx, life)
		}
		if err != nil {
			Fail(err.Error())
		}
	}, NodeTimeout(session.SettingUp))
	AfterSuite(func(ctx SpecContext) {
		if s == nil {
			return // the set-up could not begin
		}
		played, err := s.Finish(ctx)
		end(errors.New("the suite is over"))
		err = errors.Join(err, terminal.Run(os.Stdout, view.OverviewOf(played, view.DivergencesOptions{}),
			terminal.Options{Screen: terminal.ScreenOf(os.Stdout), Folder: s.Dir()}))
		exitCode = played.ExitCode()
		if err != nil {
			Fail(err.Error())
		}
	}, NodeTimeout(session.Ending))
	for _, subject := range c.SubjectNames() {
		Describe(subject, func() {
			for _, one := range *selected {
				if one.Subject == subject {
					It(one.Trial.ID, Label(session.LabelsOf(one.Trial)...), func(ctx SpecContext) {
						outcome, err := s.Await(ctx, one.Trial.ID, subject)
						if err != nil {
							s.Problem(err.Error())
							Fail(err.Error())
						}
						conclude(outcome)
					})
				}
			}
		})
	}
}

// chosen returns the selected trials that Ginkgo's own filters leave.
func chosen(all []stage.Selection) (some []stage.Selection) {
	suite, reporter := GinkgoConfiguration()
	wanted := map[[2]string]bool{}
	for _, spec := range PreviewSpecs(session.Suite, suite, reporter).SpecReports {
		if len(spec.ContainerHierarchyTexts) > 0 && spec.State.Is(types.SpecStatePassed) {
			wanted[[2]string{spec.ContainerHierarchyTexts[0], spec.LeafNodeText}] = true
		}
	}
	for _, one := range all {
		if wanted[[2]string{one.Subject, one.Trial.ID}] {
			some = append(some, one)
		}
	}
	return some
}

// conclude ends a spec by its verdict. A trial that was not judged is skipped, it does not pass.
func conclude(o trial.Outcome) {
	AddReportEntry("verdict", string(o.Verdict), ReportEntryVisibilityFailureOrVerbose)
	switch o.Verdict {
	case trial.Conforms, trial.Divergent:
	case trial.Deviates:
		Fail(explain(o))
	default:
		Skip(string(o.Verdict) + ": " + explain(o))
	}
}

// explain returns why an outcome has its verdict.
func explain(o trial.Outcome) string {
	var lines []string
	if o.Why != "" {
		lines = append(lines, o.Why)
	}
	if last := o.Last(); last != nil {
		for _, f := range last.Result.Findings {
			if f.Verdict == o.Verdict {
				lines = append(lines, f.Claim+": "+f.Why)
			}
		}
	}
	return strings.Join(lines, "\n")
}
