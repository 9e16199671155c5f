package cli

import (
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"text/tabwriter"
	"time"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/ginkgo/v2/types"
	"github.com/spf13/cobra"

	runs "github.com/podclock/podclock/harness/run"
	"github.com/podclock/podclock/harness/session"
	"github.com/podclock/podclock/harness/session/specs"
	"github.com/podclock/podclock/harness/stage"
	"github.com/podclock/podclock/reports/junit"
)

// runOptions are the flags of a run that are no session's.
type runOptions struct {
	dryRun, verbose bool
	junit           string
	timeout         time.Duration
}

// run runs trials: what `make e2e` and `make rehearse` call.
func run() *cobra.Command {
	var o runOptions
	command := &cobra.Command{
		Use:   "run [flags] [-- --ginkgo.FLAG...]",
		Short: "run trials, on real nodes or under virtual time, and judge what they measured",
		Long: "Run the selected trials of every subject, all at once, and judge what was measured. The node lane boots a cluster and deletes it; the virtual lane needs " +
			"nothing but Go. Everything is saved below --out, with a link named " + runs.LatestLink + " to the newest run. The trials are specs of a Ginkgo suite: any flag of Ginkgo's may stand after --.\n\n" +
			"A flag that has the name of a variable in brackets is read from it where it is not given.",
		Example: `  podclock run                                              the quick trials on the newest kubelet
  podclock run --profile=full --subjects=v1.36.3,v1.23.1    all trials on two kubelets, side by side in one cluster
  podclock run --subjects=v1.36.3,./_output/bin/kubelet     a kubelet that you just built, beside the released one
  podclock run --lane=virtual --focus=termination/          an area under virtual time
  podclock run --dry-run --label-filter='crash-loop'        which trials that would be`,
		Args: ginkgoFlagsOnly,
		RunE: func(c *cobra.Command, args []string) error {
			if err := o.check(); err != nil {
				return asAsked(c.Flags(), err)
			}
			config, err := session.ParseConfig(variables(c.Flags()))
			if err != nil {
				return asAsked(c.Flags(), err)
			}
			suite, reporter, err := o.ginkgo(c, args)
			if err != nil {
				return err
			}
			return o.play(c, specs.Bind(config, c.ErrOrStderr()), suite, reporter)
		},
	}
	sessionFlags(command)
	selectionFlags(command)
	flags := command.Flags()
	flags.BoolVar(&o.dryRun, "dry-run", false, "list the trials that would run")
	variable(flags, "dry-run", "DRY_RUN")
	flags.BoolVarP(&o.verbose, "verbose", "v", false, "tell of every spec, not only of those that fail")
	flags.StringVar(&o.junit, "junit", "", "write the JUnit report to this file, too")
	variable(flags, "junit", "JUNIT")
	flags.DurationVar(&o.timeout, "timeout", 0,
		"end the run after this time, and judge what there is by then (default no bound but each trial's own)")
	return command
}

// ginkgoFlagsOnly refuses arguments that do not stand after --.
func ginkgoFlagsOnly(c *cobra.Command, args []string) error {
	before := args
	if dash := c.ArgsLenAtDash(); dash >= 0 {
		before = args[:dash]
	}
	if len(before) > 0 {
		return fmt.Errorf("unknown argument %q: choose trials with --focus, and write flags of Ginkgo's after --",
			before[0])
	}
	return nil
}

// check refuses what would only be found out when the run is over.
func (o runOptions) check() error {
	if o.timeout < 0 {
		return fmt.Errorf("--timeout=%v: it is how long the run may take, such as 30m", o.timeout)
	}
	if info, err := os.Stat(o.junit); err == nil && info.IsDir() {
		return fmt.Errorf("--junit=%s is a folder: name a file", o.junit)
	}
	return nil
}

// ginkgo is the configuration of the suite: this command's flags, and then what the user wrote for Ginkgo itself.
func (o runOptions) ginkgo(c *cobra.Command, theirs []string) (types.SuiteConfig, types.ReporterConfig, error) {
	args := []string{"--ginkgo.silence-skips", "--ginkgo.timeout=" + o.timeout.String()}
	asked := variables(c.Flags())
	for _, choice := range []struct{ variable, flag string }{{"FOCUS", "focus"}, {"SKIP", "skip"}, {"LABELS", "label-filter"}} {
		if value := asked[choice.variable]; value != "" {
			args = append(args, "--ginkgo."+choice.flag+"="+value)
		}
	}
	if o.verbose {
		args = append(args, "--ginkgo.v")
	}
	if !screenOf(c.OutOrStdout()).Colour {
		args = append(args, "--ginkgo.no-color")
	}
	flag.CommandLine.Init("ginkgo", flag.ContinueOnError)
	flag.CommandLine.SetOutput(io.Discard) // its complaint is told below, without the page of usage
	if err := flag.CommandLine.Parse(slices.Concat(args, theirs)); err != nil {
		return types.SuiteConfig{}, types.ReporterConfig{}, fmt.Errorf(
			"after -- stand flags of Ginkgo's, such as --ginkgo.fail-fast: %w", err)
	}
	if rest := flag.CommandLine.Args(); len(rest) > 0 {
		return types.SuiteConfig{}, types.ReporterConfig{}, fmt.Errorf(
			"after -- stand flags of Ginkgo's, such as --ginkgo.fail-fast, and not %q", rest[0])
	}
	suite, reporter := ginkgo.GinkgoConfiguration()
	return suite, reporter, nil
}

// play runs what is selected, or lists it.
func (o runOptions) play(
	c *cobra.Command,
	bound *specs.Suite,
	suite types.SuiteConfig,
	reporter types.ReporterConfig,
) error {
	selected, err := bound.Select(suite, reporter)
	if err != nil {
		return err
	}
	if o.dryRun || suite.DryRun {
		return listSelected(c.OutOrStdout(), selected)
	}
	code := bound.Conclude(bound.Run(ginkgoT{}, suite, reporter))
	if run, _ := bound.Finished(); run != nil && o.junit != "" {
		err = writeFile(o.junit, func(w io.Writer) error { return junit.Run(w, *run) })
	}
	return ended(err, code)
}

// ginkgoT is told that a spec failed, as a test would be; Run says so, too.
type ginkgoT struct{}

func (ginkgoT) Fail() {}

// listSelected writes what would run.
func listSelected(w io.Writer, selected []stage.Selection) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	var longest time.Duration
	for _, s := range selected {
		_, _ = fmt.Fprintf(table, "%s\t%s\t%s\n", s.Subject, s.Trial.ID, lasts(s.Trial.Lasts))
		longest = max(longest, s.Trial.Lasts)
	}
	if err := table.Flush(); err != nil {
		return fmt.Errorf("write the selected trials: %w", err)
	}
	_, err := fmt.Fprintf(w, "%d trials, the longest of which takes %s; they run all at once.\n", len(selected),
		lasts(longest))
	return err
}
