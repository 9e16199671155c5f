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
	"github.com/spf13/pflag"

	"github.com/podclock/podclock/harness/host/option"
	runs "github.com/podclock/podclock/harness/measure/run"
	"github.com/podclock/podclock/harness/measure/runner"
	"github.com/podclock/podclock/harness/measure/trial"
	"github.com/podclock/podclock/harness/node/external"
	"github.com/podclock/podclock/harness/promises"
	"github.com/podclock/podclock/harness/session"
	"github.com/podclock/podclock/reports/cli/internal/delivery"
	"github.com/podclock/podclock/reports/cli/listing"
	"github.com/podclock/podclock/reports/cli/shell"
	"github.com/podclock/podclock/reports/render/folder"
	"github.com/podclock/podclock/reports/render/html"
	"github.com/podclock/podclock/reports/render/junit"
	"github.com/podclock/podclock/reports/render/markdown"
	"github.com/podclock/podclock/reports/render/terminal"
	"github.com/podclock/podclock/reports/view"
	"github.com/podclock/podclock/reports/view/repetition"
)

type runOptions struct {
	App
	config          session.Config
	external        externalOptions
	manifests       manifests
	deliver         delivery.Options
	dryRun, verbose bool
	junit           string
	timeout         time.Duration
}

func (a App) run() *cobra.Command {
	o := runOptions{App: a}
	command := &cobra.Command{
		Use:   "run [flags]",
		Short: "run trials on real nodes or under virtual time, and judge what they measured",
		Long: "Run the selected trials of every subject at the same time, and judge them. The node lane boots a " +
			"cluster and deletes it. The virtual lane needs only Go. Runs are saved below --out; the link " +
			runs.LatestLink + " names the newest.\n\n-f runs trials of your own pods instead of the catalogue's: " +
			"podclock's victim takes the place of each container, under the pod's own grace periods, hooks, probes, " +
			"sidecars and restart rules. It hangs, fails, crashes and ends in each way of which podclock predict " +
			"predicts something, and each value must lie in the predicted window. The report lists what no trial " +
			"plays, and why. On real nodes that is also each trial of more than " +
			listing.Lasts(promises.NodeBound) + ".\n\nThe trials are Ginkgo specs: subject, area, trial. All flags " +
			"of Ginkgo work, with its prefix: --ginkgo.v, --ginkgo.focus, --ginkgo.json-report … " +
			"(https://onsi.github.io/ginkgo/).\n\nA variable in brackets sets a flag that is not given.",
		Example: `  podclock run                                              the quick trials on the newest kubelet
  podclock run --profile=full --subjects=v1.36.3,v1.23.1    all trials on two kubelets, side by side in one cluster
  podclock run --subjects=v1.36.3,./_output/bin/kubelet     a kubelet that you built, beside the released one
  podclock run --lane=virtual --subjects=v1.36,./kubernetes your checkout of Kubernetes, beside the release
  podclock run --lane=virtual --focus=termination/          an area under virtual time
  podclock run -f shop.yaml --lane=virtual                  what podclock predict says of your pods, checked in seconds
  podclock run -f deploy/ -R --on=external                  your pods on the nodes of your cluster
  podclock run --dry-run --label-filter='crash-loop'        list the trials of a label`,
		Args: noArguments,
		RunE: func(c *cobra.Command, args []string) error { return o.deliver.Failed(o.begin(c, args)) },
	}
	a.sessionFlags(command, &o.config)
	a.selectionFlags(command, &o.config)
	o.external.flags(command, &o.config)
	o.manifests.flags(command)
	set := command.Flags()
	set.BoolVar(&o.config.Continue, "continue", false,
		"with --on=external: add to the newest run or fleet below --out what it did not judge")
	set.Var(option.OneOf(&o.deliver.How, delivery.Copy, delivery.Sonobuoy), "deliver",
		"in a pod: hand over the results to kubectl cp or to Sonobuoy, and end with 0 if every trial was judged")
	set.DurationVar(&o.deliver.Within, "deliver-within", time.Hour, "how long to wait for kubectl cp")
	set.BoolVar(&o.dryRun, "dry-run", false, "list the trials that would run")
	set.BoolVarP(&o.verbose, "verbose", "v", false, "print a line for every trial, also for those that conform")
	set.StringVar(&o.junit, "junit", "", "write the JUnit report to this file as well")
	set.DurationVar(&o.timeout, "timeout", 0,
		"end the run after this time and judge what was measured (default: only the bounds of the trials)")
	option.Variables(set, "dry-run", "junit")
	addGinkgo(set)
	return command
}

// addGinkgo adds the flags that Ginkgo registered, if this program has it. Help describes them by a link.
func addGinkgo(set *pflag.FlagSet) {
	flag.VisitAll(func(f *flag.Flag) {
		if strings.HasPrefix(f.Name, ginkgoPrefix) {
			set.AddGoFlag(f)
			set.Lookup(f.Name).Hidden = true
		}
	})
}

const ginkgoPrefix = "ginkgo."

func (o *runOptions) begin(c *cobra.Command, _ []string) error {
	if err := o.check(); err != nil {
		return option.AsGiven(c.Flags(), err)
	}
	catalogue := o.Catalogue
	if len(o.manifests.files) > 0 {
		trials, promised, err := o.manifests.trials(c.InOrStdin())
		if err != nil {
			return option.AsGiven(c.Flags(), err)
		}
		catalogue = func() []trial.Trial { return trials }
		o.config.Promises, o.config.Profile = promised, trial.Full
	}
	if err := o.external.find(c.Context(), &o.config); err != nil {
		return option.AsGiven(c.Flags(), err)
	}
	config, err := o.config.Resolve()
	if err != nil {
		return option.AsGiven(c.Flags(), err)
	}
	selected, choice, err := config.Select(catalogue())
	if err != nil {
		return option.AsGiven(c.Flags(), err)
	}
	choice.Tell(c.ErrOrStderr())
	if selected = bounded(selected, config); len(selected) == 0 {
		return fmt.Errorf("every selected trial of %s takes more than %s on a real node: use --lane=virtual",
			strings.Join(o.manifests.files, ", "), listing.Lasts(promises.NodeBound))
	}
	chosen, err := o.Suite.Choose(selected)
	if err != nil {
		return err
	}
	if o.dryRun {
		return listSelected(c.OutOrStdout(), chosen, config.Promises)
	}
	if config, err = o.sameNodes(config); err != nil {
		return err
	}
	gone := func(s runner.Selection) bool { return !slices.Contains(config.SubjectNames(), s.Subject) }
	selected, chosen = slices.DeleteFunc(selected, gone), slices.DeleteFunc(chosen, gone)
	fleet, err := o.needsWaves(config)
	if err == nil && fleet {
		err = choosesOnly(c.Flags())
	}
	if err != nil {
		return option.AsGiven(c.Flags(), err)
	}
	if err := config.Check(c.Context()); err != nil {
		return err
	}
	if err := o.external.agree(c, config, chosen); err != nil {
		return err
	}
	return o.deliverEnd(c, func(ctx context.Context, take func()) (ending, error) {
		program := programOf(c, o.verbose, folder.Writer(catalogue))
		if fleet {
			return o.playFleet(ctx, c, config, chosen, program)
		}
		program.Show, program.TakeInterrupts = o.deliver.Show(program.Show, len(chosen)), take
		return o.play(ctx, c, config, selected, program)
	})
}

// noArguments refuses arguments. After -- come flags of Ginkgo's as well.
func noArguments(c *cobra.Command, args []string) error {
	if c.ArgsLenAtDash() == 0 {
		if err := c.Flags().Parse(args); err != nil {
			return c.FlagErrorFunc()(c, err)
		}
		args = c.Flags().Args()
	}
	if len(args) > 0 {
		return fmt.Errorf("unknown argument %q: select trials with --focus", args[0])
	}
	return nil
}

// check refuses what would fail at the end of the run.
func (o *runOptions) check() error {
	if err := o.manifests.check(o.config); err != nil {
		return err
	}
	if o.timeout < 0 {
		return option.Invalid("timeout", o.timeout, "it must be the longest duration of the run, such as 30m")
	}
	if o.external.on != session.OnExternal && (o.config.Continue || o.deliver.How != "") {
		return errors.New("--continue and --deliver are for --on=external")
	}
	if info, err := os.Stat(o.junit); err == nil && info.IsDir() {
		return option.Invalid("junit", o.junit, "it is a folder: name a file")
	}
	return nil
}

// sameNodes leaves only the nodes of the run that continues, if there are more than one wave's now. A run of one wave
// can't become a fleet.
func (o *runOptions) sameNodes(config session.Config) (session.Config, error) {
	if config.External == nil || !config.Continue || len(config.External.Nodes) <= o.external.atOnce {
		return config, nil
	}
	r, dir, err := runs.LoadUnfinished(config.Out)
	if err != nil || r.ID == "" || newerFleet(config.Out, dir) {
		return config, err
	}
	return config.On(slices.DeleteFunc(slices.Clone(config.External.Nodes), func(n external.Node) bool {
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
	if config.External == nil {
		return false, nil
	}
	fleet := len(config.External.Nodes) > o.external.atOnce
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

// choosesOnly refuses the flags of Ginkgo's that do more than choose trials. A wave of a fleet is no suite of Ginkgo's.
func choosesOnly(set *pflag.FlagSet) (err error) {
	chooses := []string{"ginkgo.focus", "ginkgo.skip", "ginkgo.label-filter"}
	set.Visit(func(f *pflag.Flag) {
		if strings.HasPrefix(f.Name, ginkgoPrefix) && !slices.Contains(chooses, f.Name) {
			err = option.Invalid(f.Name, f.Value, "it has no effect on a fleet, whose waves are runs of their own: "+
				"leave the flag out, or give a greater --at-once")
		}
	})
	return err
}

// deliverEnd plays within the timeout and delivers the results. If it was stopped or measured nothing, the Job's next
// container continues instead. Sonobuoy starts none.
func (o *runOptions) deliverEnd(
	c *cobra.Command, play func(ctx context.Context, takeInterrupts func()) (ending, error),
) error {
	ctx, stop, take := shell.Interrupts(c)
	defer stop()
	bounded := ctx
	if o.timeout > 0 {
		var cancel context.CancelFunc
		bounded, cancel = context.WithTimeoutCause(ctx, o.timeout, fmt.Errorf("the run took longer than %v", o.timeout))
		defer cancel()
	}
	p, err := play(bounded, take)
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
	ctx context.Context, c *cobra.Command, config session.Config, selected []runner.Selection, program session.Program,
) (ending, error) {
	played, err := o.Suite.Play(ctx, config, selected, program)
	if played.Folder == "" {
		return ending{}, err
	}
	r, v := played.Run, view.OverviewOf(played.Run, nil)
	if o.junit != "" {
		err = errors.Join(err, folder.WriteFile(o.junit, func(w io.Writer) error { return junit.Run(w, v) }))
	}
	p := ending{played.Folder, delivery.Complete(r), r.Ran(), r.ExitCode()}
	return p, errors.Join(err, summarize(c.OutOrStdout(), v, played.Folder))
}

// playFleet plays each wave by the session itself. Ginkgo's flags describe one suite, and each wave is a run.
func (o *runOptions) playFleet(
	ctx context.Context, c *cobra.Command, config session.Config, selected []runner.Selection, program session.Program,
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
		if f.dir, _, err = runs.NewFolder(config.Out, repetition.FleetPrefix, time.Now()); err != nil {
			return ending{}, err
		}
	}
	if err := f.plan(config, o.external.atOnce); err != nil {
		return ending{}, err
	}
	program.Save = func(dir string, r runs.Run) error {
		debug.FreeOSMemory() // what the trials no longer use, before the reports need some
		return folder.Write(dir, r)
	}
	show := program.Show
	f.play = func(ctx context.Context, wave session.Config) (runs.Run, error, error) {
		here := slices.DeleteFunc(slices.Clone(selected), func(s runner.Selection) bool {
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
	err = errors.Join(err, markdown.Report(c.OutOrStdout(), report.Report()))
	_, printing := fmt.Fprintln(c.OutOrStdout(), "The report is", filepath.Join(f.dir, repetition.FleetFile))
	return f.ending, errors.Join(err, printing)
}

func summarize(w io.Writer, v view.Overview, dir string) error {
	options := terminal.Options{Screen: shell.ScreenOf(w), Folder: dir, NoClaims: true}
	if err := terminal.Run(w, v, options); err != nil {
		return err
	}
	page := filepath.Join(dir, html.File)
	if _, err := os.Stat(page); err != nil {
		return nil // that is a separate error
	}
	_, err := fmt.Fprintln(w, "As a page:", page)
	return err
}

func listSelected(w io.Writer, selected []runner.Selection, promised *runs.Promises) error {
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
	if err != nil || promised == nil {
		return err
	}
	return markdown.Section(w, view.Unplayed(*promised))
}
