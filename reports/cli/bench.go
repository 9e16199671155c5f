package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/podclock/podclock/fixtures"
	"github.com/podclock/podclock/harness/bench"
	"github.com/podclock/podclock/harness/host/option"
	"github.com/podclock/podclock/harness/host/screen"
	runs "github.com/podclock/podclock/harness/measure/run"
	"github.com/podclock/podclock/harness/session"
	"github.com/podclock/podclock/reports/cli/shell"
	"github.com/podclock/podclock/reports/render/folder"
	"github.com/podclock/podclock/reports/render/terminal"
	"github.com/podclock/podclock/reports/view/benchmark"
)

type benchOptions struct {
	config  session.Config
	plan    bench.Plan
	handler string
	output  *string
}

func (a App) bench() *cobra.Command {
	command := &cobra.Command{
		Use:   "bench",
		Short: "measure what many crash loops or probes on one node cost",
		Long: "Measure the load of many pods on one node: the CPU time of the kubelet, the container runtime and the " +
			"API server, the kubelet's requests, and by how much restarts or probes come late.",
		Args: cobra.NoArgs,
	}
	const measures = "\n\nAll rows are measured one after another in one cluster that is booted and deleted. The " +
		"folder OUT/bench-… has the tables (bench.md, bench.json) and a picture (bench.svg). The exit code is 0 if " +
		"all rows were measured, else 2. Late restarts and probes are counted, not judged."
	restarts := a.benchOf(bench.Plan{Kind: bench.Restarts, Pods: []int{110}, For: 3 * time.Minute}, &cobra.Command{
		Use:   "restarts",
		Short: "containers in crash loops, with the default back-off, the reduced series and a maximum of 1 s",
		Long: "Measure pods whose containers crash as soon as they have started: with the kubelet's defaults, with " +
			"the reduced series (KEP-4603) and with a node's maximum of 1 s (KEP-5593). What a release lacks is left out." +
			measures,
		Example: `  podclock bench restarts
  podclock bench restarts --pods=30 --for=1m --subjects=v1.37.2,v1.34.4`,
	})
	probes := a.benchOf(bench.Plan{Kind: bench.Probes, Pods: []int{10, 30, 60, 110}, For: time.Minute}, &cobra.Command{
		Use:   "probes",
		Short: "pods with a probe each second: from which number on does one come late or get lost",
		Long: "Measure pods with a readiness probe each second, first a few, then more. A probe is late if it comes " +
			"later after the one before than the formula allows, and lost if a tick has none (kubernetes#115782)." + measures,
		Example: `  podclock bench probes
  podclock bench probes --handler=exec --pods=10,20,40 --for=30s`,
	})
	command.AddCommand(restarts, probes)
	return command
}

func (a App) benchOf(usual bench.Plan, command *cobra.Command) *cobra.Command {
	o := benchOptions{plan: usual, config: session.Config{KindBase: a.KindConfig}}
	command.Args = shell.Arguments(0, 0)
	command.RunE = func(c *cobra.Command, _ []string) error { return option.AsGiven(c.Flags(), o.play(c)) }
	command.ValidArgsFunction = cobra.NoFileCompletions
	set := command.Flags()
	set.StringVar(&o.config.Subjects, "subjects", "",
		"the kubelets under test, separated by commas (default the newest)")
	set.IntSliceVar(&o.plan.Pods, "pods", usual.Pods, "the numbers of pods, separated by commas, each a row")
	set.DurationVar(&o.plan.For, "for", usual.For, "how long each row is measured")
	set.BoolVar(&o.config.Keep, "keep", false, "leave the cluster for the next run; podclock down deletes it")
	set.StringVar(&o.config.Out, "out", "", "the folder of all runs, relative to the project's root (default out)")
	option.Variables(set, "subjects", "pods", "for", "keep", "out")
	if usual.Kind == bench.Probes {
		set.StringVar(&o.handler, "handler", string(fixtures.HTTP),
			"how the probes reach their pods: http, exec, tcp or grpc")
		option.Variables(set, "handler")
		shell.CompleteWords(command, "handler", "http", "exec", "tcp", "grpc")
	}
	o.config.AddClusterFlags(set)
	completeClusterFlags(command)
	shell.Complete(command, "subjects", shell.CompleteList(subjectWords))
	shell.CompleteFolders(command, "out")
	o.output = shell.Output(command, shell.Markdown)
	return command
}

// checked returns the configuration. The error is one line with the remedy, before anything boots.
func (o *benchOptions) checked(ctx context.Context) (session.Config, error) {
	o.plan.Handler = fixtures.Handler(o.handler)
	slices.Sort(o.plan.Pods)
	o.plan.Pods = slices.Compact(o.plan.Pods)
	config, err := o.config.Resolve()
	if err != nil {
		return config, err
	}
	limit, err := 0, bench.CheckSubjects(config.AllSubjects())
	if err == nil {
		limit, err = config.PodLimit()
	}
	if err == nil {
		err = o.plan.Check(limit)
	}
	if err == nil {
		err = config.Check(ctx)
	}
	return config, err
}

func (o *benchOptions) play(c *cobra.Command) error {
	config, err := o.checked(c.Context())
	if err != nil {
		return err
	}
	dir, _, err := runs.NewFolder(config.Out, benchmark.Prefix, time.Now())
	if err != nil {
		return err
	}
	b := bench.New(o.plan, config.AllSubjects())
	b.Take = func(r bench.Report) error { return folder.WriteBench(dir, benchmark.Table(r)) }
	progress := terminal.StartBenchProgress(os.Stderr, screen.Of(os.Stderr), b.Report.Asked)
	b.Tell = progress.Tell
	p := programOf(c, false, nil)
	p.Log = progress
	ctx, stop := shell.Interruptible(c)
	defer stop()
	err = session.Boot(ctx, config, dir, p, b.Run)
	progress.Stop()
	table := benchmark.Table(b.Report)
	if len(table.Rows) > 0 {
		err = errors.Join(err, shell.WriteReport(c.OutOrStdout(), *o.output, table, nil))
		_, _ = fmt.Fprintf(c.ErrOrStderr(), "The report is %s.\n", filepath.Join(dir, benchmark.MarkdownFile))
	}
	return shell.Ended(err, table.ExitCode())
}
