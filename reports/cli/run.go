package cli

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/podclock/podclock/harness/existing"
	runs "github.com/podclock/podclock/harness/run"
	"github.com/podclock/podclock/harness/session"
	"github.com/podclock/podclock/harness/session/option"
	"github.com/podclock/podclock/harness/stage"
	"github.com/podclock/podclock/reports/cli/shell"
	"github.com/podclock/podclock/reports/delivery"
	"github.com/podclock/podclock/reports/folder"
	"github.com/podclock/podclock/reports/html"
	"github.com/podclock/podclock/reports/junit"
	"github.com/podclock/podclock/reports/listing"
	"github.com/podclock/podclock/reports/markdown"
	"github.com/podclock/podclock/reports/repetition"
	"github.com/podclock/podclock/reports/terminal"
	"github.com/podclock/podclock/reports/view"
)

type runOptions struct {
	app
	config          session.Config
	existing        existingOptions
	deliver         delivery.Options
	dryRun, verbose bool
	junit           string
	timeout         time.Duration
}

func (a app) run() *cobra.Command {
	o := runOptions{app: a}
	command := &cobra.Command{
		Use:   "run [flags] [-- --ginkgo.FLAG...]",
		Short: "run trials on real nodes or under virtual time, and judge what they measured",
		Long: "Run the selected trials of every subject at the same time, and judge them. The node lane boots a " +
			"cluster and deletes it. The virtual lane needs only Go. Runs are saved below --out; the link " +
			runs.LatestLink + " names the newest.\n\nA variable in brackets sets a flag that is not given. After -- " +
			"come flags in Ginkgo's spelling: " + ginkgoFlags + ".",
		Example: `  podclock run                                              the quick trials on the newest kubelet
  podclock run --profile=full --subjects=v1.36.3,v1.23.1    all trials on two kubelets, side by side in one cluster
  podclock run --subjects=v1.36.3,./_output/bin/kubelet     a kubelet that you built, beside the released one
  podclock run --lane=virtual --subjects=v1.36,./kubernetes your checkout of Kubernetes, beside the release
  podclock run --lane=virtual --focus=termination/          an area under virtual time
  podclock run --dry-run --label-filter='crash-loop'        list the trials of a label`,
		Args: onlyAfterDash,
		RunE: func(c *cobra.Command, args []string) error { return o.deliver.Failed(o.begin(c, args)) },
	}
	a.sessionFlags(command, &o.config)
	a.selectionFlags(command, &o.config)
	o.existing.flags(command, &o.config)
	set := command.Flags()
	set.BoolVar(&o.config.Continue, "continue", false,
		"with --on=existing: add to the newest run or fleet below --out what it did not judge")
	set.Var(option.OneOf(&o.deliver.How, delivery.Copy, delivery.Sonobuoy), "deliver",
		"in a pod: hand over the results to kubectl cp or to Sonobuoy, and end with 0 if every trial was judged")
	set.DurationVar(&o.deliver.Within, "deliver-within", time.Hour, "how long to wait for kubectl cp")
	set.BoolVar(&o.dryRun, "dry-run", false, "list the trials that would run")
	set.BoolVarP(&o.verbose, "verbose", "v", false, "print a line for every trial, also for those that conform")
	set.StringVar(&o.junit, "junit", "", "write the JUnit report to this file as well")
	set.DurationVar(&o.timeout, "timeout", 0,
		"end the run after this time and judge what was measured (default: only the bounds of the trials)")
	option.Variables(set, "dry-run", "junit")
	return command
}

func (o *runOptions) begin(c *cobra.Command, args []string) error {
	if err := o.readGinkgo(args); err != nil {
		return err
	}
	if err := o.check(); err != nil {
		return option.AsGiven(c.Flags(), err)
	}
	if err := o.existing.find(c.Context(), &o.config); err != nil {
		return option.AsGiven(c.Flags(), err)
	}
	config, err := o.config.Resolve()
	if err != nil {
		return option.AsGiven(c.Flags(), err)
	}
	selected, err := config.Select(o.catalogue())
	if err != nil {
		return option.AsGiven(c.Flags(), err)
	}
	if o.dryRun {
		return listSelected(c.OutOrStdout(), selected)
	}
	if config, err = o.sameNodes(config); err != nil {
		return err
	}
	selected = slices.DeleteFunc(selected, func(s stage.Selection) bool {
		return !slices.Contains(config.SubjectNames(), s.Subject)
	})
	fleet, err := o.needsWaves(config)
	if err != nil {
		return option.AsGiven(c.Flags(), err)
	}
	if err := config.CheckCluster(c.Context()); err != nil {
		return err
	}
	if err := o.existing.agree(c, config, selected); err != nil {
		return err
	}
	play := o.play
	if fleet {
		play = o.playFleet
	}
	return o.deliverEnd(c, func(ctx context.Context) (ending, error) { return play(ctx, c, config, selected) })
}

func onlyAfterDash(c *cobra.Command, args []string) error {
	before := args
	if dash := c.ArgsLenAtDash(); dash >= 0 {
		before = args[:dash]
	}
	if len(before) > 0 {
		return fmt.Errorf("unknown argument %q: select trials with --focus, and write Ginkgo's flags after --",
			before[0])
	}
	return nil
}

const ginkgoFlags = "--ginkgo.focus, --ginkgo.skip, --ginkgo.label-filter, --ginkgo.dry-run, --ginkgo.timeout, " +
	"--ginkgo.v and --ginkgo.junit-report"

// readGinkgo reads the arguments after --, in Ginkgo's spelling.
func (o *runOptions) readGinkgo(args []string) error {
	set := flag.NewFlagSet("ginkgo", flag.ContinueOnError)
	set.SetOutput(io.Discard)
	several := func(name string, into *string) {
		set.Func(name, "", func(s string) error {
			*into = strings.Trim(*into+"|"+s, "|")
			return nil
		})
	}
	several("ginkgo.focus", &o.config.Focus)
	several("ginkgo.skip", &o.config.Skip)
	set.StringVar(&o.config.Labels, "ginkgo.label-filter", o.config.Labels, "")
	set.BoolVar(&o.dryRun, "ginkgo.dry-run", o.dryRun, "")
	set.DurationVar(&o.timeout, "ginkgo.timeout", o.timeout, "")
	set.BoolVar(&o.verbose, "ginkgo.v", o.verbose, "")
	set.StringVar(&o.junit, "ginkgo.junit-report", o.junit, "")
	const others = "after -- podclock run accepts " + ginkgoFlags + "; for other flags call ginkgo --tags e2e ./suites"
	if err := set.Parse(args); err != nil {
		return fmt.Errorf("%s: %w", others, err)
	}
	if set.NArg() > 0 {
		return fmt.Errorf("%s: unknown argument %q", others, set.Arg(0))
	}
	return nil
}

// check refuses what would fail at the end of the run.
func (o *runOptions) check() error {
	if o.timeout < 0 {
		return option.Invalid("timeout", o.timeout, "it must be the longest duration of the run, such as 30m")
	}
	if o.existing.on != session.OnExisting && (o.config.Continue || o.deliver.How != "") {
		return errors.New("--continue and --deliver are for --on=existing")
	}
	if info, err := os.Stat(o.junit); err == nil && info.IsDir() {
		return option.Invalid("junit", o.junit, "it is a folder: name a file")
	}
	return nil
}

// sameNodes leaves only the nodes of the run that continues, if there are more than one wave's now. A run of one wave
// can't become a fleet.
func (o *runOptions) sameNodes(config session.Config) (session.Config, error) {
	if config.Existing == nil || !config.Continue || len(config.Existing.Nodes) <= o.existing.atOnce {
		return config, nil
	}
	r, dir, err := runs.LoadUnfinished(config.Out)
	if err != nil || r.ID == "" || newerFleet(config.Out, dir) {
		return config, err
	}
	return config.On(slices.DeleteFunc(slices.Clone(config.Existing.Nodes), func(n existing.Node) bool {
		return !slices.ContainsFunc(r.Subjects, func(s runs.Subject) bool { return s.Name == n.Name })
	})), nil
}

// newerFleet reports whether the newest fleet is newer than a run.
func newerFleet(out, dir string) bool {
	began := strings.TrimPrefix(filepath.Base(newestFleet(out)), repetition.FleetPrefix)
	return began > filepath.Base(dir) // "." if there is none
}

// needsWaves reports whether nodes are played in waves: they are more than one wave, or a fleet continues.
func (o *runOptions) needsWaves(config session.Config) (bool, error) {
	if config.Existing == nil {
		return false, nil
	}
	fleet := len(config.Existing.Nodes) > o.existing.atOnce
	if config.Continue && !fleet {
		_, newest, err := runs.LoadUnfinished(config.Out)
		if err != nil {
			return false, err
		}
		fleet = newerFleet(config.Out, newest)
	}
	if fleet && o.junit != "" {
		return false, option.Invalid("junit", o.junit,
			"each wave of a fleet has its own junit.xml: leave the flag out, or give a greater --at-once")
	}
	return fleet, nil
}

// deliverEnd plays within the timeout and delivers the results. If it was stopped or measured nothing, the Job's next
// container continues instead. Sonobuoy starts none.
func (o *runOptions) deliverEnd(c *cobra.Command, play func(context.Context) (ending, error)) error {
	ctx, stop := interruptible(c)
	defer stop()
	bounded := ctx
	if o.timeout > 0 {
		var cancel context.CancelFunc
		bounded, cancel = context.WithTimeoutCause(ctx, o.timeout, fmt.Errorf("the run took longer than %v", o.timeout))
		defer cancel()
	}
	p, err := play(bounded)
	if p.dir == "" {
		return err
	}
	due := p.complete || p.measured && ctx.Err() == nil
	if o.deliver.How == delivery.Sonobuoy || o.deliver.How == delivery.Copy && due {
		err = errors.Join(err, o.deliver.Deliver(ctx, p.dir, c.ErrOrStderr()))
		if p.complete {
			p.code = runs.ExitConforms
		}
	}
	if err != nil && p.code != runs.ExitConforms { // the verdicts decide the exit code
		_, _ = fmt.Fprintln(c.ErrOrStderr(), "podclock:", err)
		err = nil
	}
	return shell.Ended(err, p.code)
}

func (o *runOptions) play(
	ctx context.Context, c *cobra.Command, config session.Config, selected []stage.Selection,
) (ending, error) {
	program := programOf(c, o.verbose, folder.Writer(o.catalogue))
	program.Show = o.deliver.Show(program.Show, len(selected))
	s, err := session.New(config, selected, program)
	if err != nil {
		return ending{}, err
	}
	r, _, err := s.Play(ctx, session.SettingUp, nil) // an interruption is a problem of the run
	v := view.OverviewOf(r, view.DivergencesOptions{})
	if o.junit != "" {
		err = errors.Join(err, folder.WriteFile(o.junit, func(w io.Writer) error { return junit.Run(w, v) }))
	}
	p := ending{s.Dir(), delivery.Complete(r), r.Ran(), r.ExitCode()}
	return p, errors.Join(err, summarize(c.OutOrStdout(), v, s.Dir()))
}

func (o *runOptions) playFleet(
	ctx context.Context, c *cobra.Command, config session.Config, selected []stage.Selection,
) (ending, error) {
	f := fleetPlay{log: c.ErrOrStderr()}
	if config.Continue {
		lock, err := session.Reserve(config.Out)
		if err != nil {
			return ending{}, err
		}
		defer func() { _ = lock.Close() }()
		f.dir = newestFleet(config.Out)
	}
	var err error
	if f.dir == "" {
		if f.dir, err = repetition.FleetFolder(config.Out, time.Now()); err != nil {
			return ending{}, err
		}
	}
	if err := f.plan(config, o.existing.atOnce); err != nil {
		return ending{}, err
	}
	program := programOf(c, o.verbose, func(dir string, r runs.Run) error {
		debug.FreeOSMemory() // what the trials no longer use, before the reports need some
		return folder.Write(dir, r)
	})
	show := program.Show
	f.play = func(ctx context.Context, wave session.Config) (runs.Run, error, error) {
		here := slices.DeleteFunc(slices.Clone(selected), func(s stage.Selection) bool {
			return !slices.Contains(wave.SubjectNames(), s.Subject)
		})
		program.Show = o.deliver.Show(show, len(here))
		s, err := session.New(wave, here, program)
		if err != nil {
			return runs.Run{}, nil, err
		}
		return s.Play(ctx, session.SettingUp, nil)
	}
	err = f.playAll(ctx)
	report := f.report.Fleet()
	f.code = report.ExitCode
	err = errors.Join(err, markdown.Series(c.OutOrStdout(), report.Report()))
	_, printing := fmt.Fprintln(c.OutOrStdout(), "The report is", filepath.Join(f.dir, repetition.FleetFile))
	return f.ending, errors.Join(err, printing)
}

func summarize(w io.Writer, v view.Overview, dir string) error {
	if err := terminal.Run(w, v, terminal.Options{Screen: shell.ScreenOf(w), Folder: dir}); err != nil {
		return err
	}
	page := filepath.Join(dir, html.File)
	if _, err := os.Stat(page); err != nil {
		return nil // that is a separate error
	}
	_, err := fmt.Fprintln(w, "As a page:", page)
	return err
}

func listSelected(w io.Writer, selected []stage.Selection) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	var longest time.Duration
	for _, s := range selected {
		_, _ = fmt.Fprintf(table, "%s\t%s\t%s\n", s.Subject, s.Trial.ID, listing.Lasts(s.Trial.Lasts))
		longest = max(longest, s.Trial.Lasts)
	}
	if err := table.Flush(); err != nil {
		return fmt.Errorf("write the selected trials: %w", err)
	}
	_, err := fmt.Fprintf(w, "%d trials; the longest takes %s, and all run at the same time.\n",
		len(selected), listing.Lasts(longest))
	return err
}
