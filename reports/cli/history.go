package cli

import (
	"fmt"
	"math"

	"github.com/spf13/cobra"

	runs "github.com/podclock/podclock/harness/measure/run"
	"github.com/podclock/podclock/reports/cli/shell"
	"github.com/podclock/podclock/reports/render/trend"
	"github.com/podclock/podclock/reports/view/series"
)

func (a App) history() *cobra.Command {
	var most int
	var judge bool
	command := &cobra.Command{
		Use:               "history RUNS...",
		Short:             "print how trials went in many saved runs: verdicts, values, flakes",
		Args:              shell.Arguments(1, math.MaxInt),
		ValidArgsFunction: completeRuns,
		Long:              "Print how trials went in saved runs. RUNS is a folder of runs, or a run's folder.",
		Example: `  podclock history out
  podclock history nights --most=30 --output=html > trend.html`,
	}
	o := shell.Output(command, shell.Markdown, shell.HTML)
	command.RunE = func(c *cobra.Command, args []string) error {
		if most < 1 {
			return fmt.Errorf("--most=%d: it must be at least 1", most)
		}
		options := series.HistoryOptions{Most: most}
		if judge {
			options.Judge = func(r runs.Run) runs.Run {
				r, _ = a.rejudge(r)
				return r
			}
		}
		h, err := series.LoadHistory(options, args...)
		if err != nil {
			return err
		}
		return writeSeries(c.OutOrStdout(), *o, h, trend.History)
	}
	command.Flags().IntVar(&most, "most", series.MostRuns, "the number of runs to read, the newest first")
	command.Flags().BoolVar(&judge, "judge", false, judgeUsage)
	return command
}
