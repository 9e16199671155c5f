// Package specs plays trials as Ginkgo specs: subject, area, trial. BeforeSuite boots the cluster, loads the images and
// starts all trials, which run at the same time. Each It awaits its trial and asserts its claims. AfterSuite saves the
// run and deletes the cluster. The package must not know how a trial is played: a [session.Session] does.
package specs

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"regexp"
	"strings"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/ginkgo/v2/extensions/globals"
	"github.com/onsi/ginkgo/v2/formatter"
	"github.com/onsi/ginkgo/v2/types"
	"github.com/onsi/gomega"

	"github.com/podclock/podclock/harness/measure/run"
	"github.com/podclock/podclock/harness/measure/runner"
	"github.com/podclock/podclock/harness/session"
)

// Suite returns Ginkgo's way to play a run. Ginkgo fails t if a spec fails. Its flags are those of [flag.CommandLine].
// One process can play one run.
func Suite(t ginkgo.GinkgoTestingT) session.Suite {
	return session.Suite{
		Choose: choose,
		Play: func(
			ctx context.Context, c session.Config, selected []runner.Selection, p session.Program,
		) (session.Played, error) {
			return play(ctx, t, c, selected, p)
		},
	}
}

// Program is a GinkgoTestingT for a program that is no test. The run's exit code reports a failure.
type Program struct{}

// Fail does nothing.
func (Program) Fail() {}

// choose returns the selected trials that Ginkgo's filters leave. It refuses Ginkgo's flags if they make no sense.
func choose(selected []runner.Selection) ([]runner.Selection, error) {
	suite, reporter := ginkgo.GinkgoConfiguration()
	if err := check(suite, reporter); err != nil {
		return nil, err
	}
	defer globals.Reset() // the specs of the run come later
	index := map[[2]string]runner.Selection{}
	for _, one := range selected {
		index[[2]string{one.Subject, one.Trial.ID}] = one
	}
	tree(selected, func(ginkgo.SpecContext, runner.Selection) {})
	var chosen []runner.Selection
	for _, spec := range ginkgo.PreviewSpecs(session.SuiteName, suite, reporter).SpecReports {
		if spec.State.Is(types.SpecStatePassed) {
			chosen = append(chosen, index[[2]string{spec.ContainerHierarchyTexts[0], spec.LeafNodeText}])
		}
	}
	if len(chosen) == 0 {
		return nil, fmt.Errorf("the filters of Ginkgo leave none of %s: change --ginkgo.focus, --ginkgo.skip or "+
			"--ginkgo.label-filter", run.Plural(len(selected), "selected trial"))
	}
	return chosen, nil
}

// check returns what Ginkgo would refuse later with a coloured page, in one line.
func check(suite types.SuiteConfig, reporter types.ReporterConfig) error {
	if suite.ParallelTotal > 1 {
		return errors.New("all trials run at the same time in one process: leave out -p, --procs and " +
			"--ginkgo.parallel.total")
	}
	for name, expressions := range map[string][]string{"focus": suite.FocusStrings, "skip": suite.SkipStrings} {
		for _, expression := range expressions {
			if _, err := regexp.Compile(expression); err != nil {
				return fmt.Errorf("--ginkgo.%s=%s: it must be a regular expression: %w", name, expression, err)
			}
		}
	}
	if _, err := types.ParseLabelFilter(suite.LabelFilter); err != nil {
		return fmt.Errorf("--ginkgo.label-filter=%s: it can't be read: write labels with !, &&, || and parentheses, "+
			"such as 'probes && !http'", suite.LabelFilter)
	}
	none, err := types.NewGinkgoFlagSet(nil, nil, nil)
	if err != nil {
		return err
	}
	wrong := types.VetConfig(none, suite, reporter)
	if len(wrong) == 0 {
		return nil
	}
	why := wrong[0].Error()
	if explained := new(types.GinkgoError); errors.As(wrong[0], explained) {
		why = explained.Message
	}
	return fmt.Errorf("the flags of Ginkgo: %s", strings.Join(strings.Fields(why), " "))
}

func play(
	ctx context.Context, t ginkgo.GinkgoTestingT, c session.Config, selected []runner.Selection, p session.Program,
) (session.Played, error) {
	chosen, err := choose(selected)
	if err != nil {
		return session.Played{}, err
	}
	suite, reporter := configuration(p)
	r := &running{ctx: ctx, program: p, chosen: chosen}
	output := &wholeLines{to: os.Stdout}
	if !suite.DryRun {
		if r.session, err = session.New(c, chosen, p); err != nil {
			return session.Played{}, err
		}
		if p.OneTerminal {
			output.to = r.session.Log()
		}
	}
	defer output.flush()
	gomega.RegisterFailHandler(ginkgo.Fail)
	formatter.ColorableStdOut = output
	ginkgo.BeforeSuite(r.setUp)
	ginkgo.ReportAfterEach(r.note)
	ginkgo.AfterSuite(r.finish, ginkgo.NodeTimeout(session.Ending))
	tree(selected, r.await)
	passed := ginkgo.RunSpecs(t, session.SuiteName, suite, reporter)
	if r.session == nil {
		return session.Played{}, nil
	}
	if err = r.ending; err == nil && !passed && r.played.ExitCode() == run.ExitConforms {
		err = errors.New("the suite failed in Ginkgo, although no trial deviates: look at what it printed")
	}
	return session.Played{Run: r.played, Folder: r.session.Dir()}, err
}

// Ginkgo's default timeout of an hour is shorter than a first build of the nodes' image. Each trial has its own bound.
func init() {
	f := flag.Lookup("ginkgo.timeout")
	f.DefValue = "0s"
	if err := f.Value.Set(f.DefValue); err != nil {
		panic(err) // it is a duration
	}
}

// configuration returns Ginkgo's configuration for a run. Ginkgo prints failures only, unless a flag asks for more,
// because podclock shows the progress and the summary.
func configuration(p session.Program) (types.SuiteConfig, types.ReporterConfig) {
	suite, reporter := ginkgo.GinkgoConfiguration()
	if !reporter.Verbose && !reporter.VeryVerbose && !reporter.FdOutput {
		reporter.Succinct = true
	}
	reporter.NoColor = reporter.NoColor || !p.Colour
	return suite, reporter
}
