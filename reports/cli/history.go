package cli

import (
	"fmt"
	"io"
	"math"

	"github.com/spf13/cobra"

	"github.com/podclock/podclock/reports"
	"github.com/podclock/podclock/reports/render"
	"github.com/podclock/podclock/reports/trend"
)

// history tells how trials went over many runs.
func history() *cobra.Command {
	var most int
	var judge bool
	command := &cobra.Command{
		Use:               "history RUNS...",
		Short:             "tell how trials went over many saved runs: verdicts, values, what flakes",
		Args:              arguments(1, math.MaxInt),
		ValidArgsFunction: completeRuns,
		Long:              "Tell how trials went over many saved runs, the newest of those in the folders that are named. RUNS is a folder of runs, or a run's folder.",
		Example: `  podclock history out
  podclock history nights --most=30 --output=html > trend.html`,
	}
	o := output(command, asMarkdown, asHTML)
	command.RunE = func(c *cobra.Command, args []string) error {
		if most < 1 {
			return fmt.Errorf("--most=%d: it is how many runs there are at most, at least one", most)
		}
		options := reports.HistoryOptions{Most: most}
		if judge {
			find := render.Finder()
			options.Judge = func(r reports.Run) reports.Run {
				r, _ = reports.Rejudge(r, find)
				return r
			}
		}
		h, err := reports.LoadHistory(options, args...)
		if err != nil {
			return err
		}
		return writeHistory(c.OutOrStdout(), o.value, h)
	}
	command.Flags().IntVar(&most, "most", reports.MostRuns, "how many runs are looked at, the newest")
	command.Flags().
		BoolVar(&judge, "judge", false, "judge the runs again first, with the formulas and the judge of now")
	return command
}

func writeHistory(w io.Writer, format string, h reports.History) error {
	switch format {
	case asText:
		return reports.HistoryText(w, h, screenOf(w))
	case asMarkdown:
		return reports.HistoryMarkdown(w, h)
	case asHTML:
		return trend.History(w, h)
	case asJSON:
		return reports.HistoryJSON(w, h)
	}
	return write(w, format, h)
}
