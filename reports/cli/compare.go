package cli

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	runs "github.com/podclock/podclock/harness/measure/run"
	"github.com/podclock/podclock/reports/cli/shell"
	"github.com/podclock/podclock/reports/render/trend"
	"github.com/podclock/podclock/reports/view"
	"github.com/podclock/podclock/reports/view/series"
)

type compareOptions struct {
	App
	subjects []string
	history  []string
	judge    bool
	output   *string
}

func (a App) compare() *cobra.Command {
	o := compareOptions{App: a}
	command := &cobra.Command{
		Use:               "compare BEFORE [AFTER]",
		Short:             "compare two saved runs or two kubelets: what got worse, what moved",
		Args:              shell.Arguments(1, 2),
		ValidArgsFunction: completeRuns,
		Long: "Compare two saved runs: changed verdicts, new and missing trials, values that moved further than " +
			"chance explains. With --subjects, compare only these, or two of one run without AFTER. The runs of " +
			"--history show how far values scatter.",
		Example: `  podclock compare nights/20260301-020000 out/latest --history=nights
  podclock compare out/latest --subjects=v1.34.4,v1.36.3
  podclock compare before after --output=html > comparison.html`,
		RunE: func(c *cobra.Command, args []string) error {
			before, after, err := o.sides(args)
			if err != nil {
				return err
			}
			var history series.History
			if len(o.history) > 0 {
				if history, err = series.LoadHistory(series.HistoryOptions{}, o.history...); err != nil {
					return fmt.Errorf("--history: %w", err)
				}
			}
			compared := series.Compare(before, after, history)
			err = writeSeries(c.OutOrStdout(), *o.output, compared, trend.Comparison)
			return shell.Ended(err, compared.ExitCode)
		},
	}
	flags := command.Flags()
	flags.StringSliceVar(&o.subjects, "subjects", nil, "the subject to compare, or BEFORE,AFTER: that of "+
		"each run (default all, by name)")
	shell.Complete(command, "subjects", shell.CompleteList(subjectWords))
	flags.StringArrayVar(&o.history, "history", nil,
		"earlier runs: a run's folder, or a folder of runs; may be given more than once")
	shell.Complete(command, "history", completeRuns)
	flags.BoolVar(&o.judge, "judge", false, judgeUsage)
	o.output = shell.Output(command, shell.Markdown, shell.HTML)
	return command
}

func (o compareOptions) sides(args []string) (before, after runs.Run, err error) {
	was, is, err := shell.Sides(o.subjects, args)
	if err != nil {
		return before, after, err
	}
	first, second := args[0], args[len(args)-1]
	if before, err = o.load(first, o.judge); err != nil {
		return before, after, err
	}
	after = before
	if second != first {
		if after, err = o.load(second, o.judge); err != nil {
			return before, after, err
		}
	}
	if was != "" {
		if before, err = series.Only(before, was); err == nil {
			after, err = series.Only(after, is)
		}
	}
	return before, after, err
}

func writeSeries[S interface{ Report() view.Report }](
	w io.Writer, format string, s S, page func(io.Writer, S) error,
) error {
	if format == shell.JSON {
		return view.JSON(w, s)
	}
	return shell.WriteReport(w, format, s, page)
}
