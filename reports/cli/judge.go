package cli

import (
	"cmp"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	runs "github.com/podclock/podclock/harness/measure/run"
	"github.com/podclock/podclock/harness/measure/trial"
	"github.com/podclock/podclock/reports/cli/shell"
	"github.com/podclock/podclock/reports/render/markdown"
	"github.com/podclock/podclock/reports/render/terminal"
	"github.com/podclock/podclock/reports/view"
)

func (a App) judge() *cobra.Command {
	command := &cobra.Command{
		Use:               "judge RUN",
		Short:             "judge a saved run again, without a cluster",
		Args:              shell.Arguments(1, 1),
		ValidArgsFunction: completeRuns,
		Long: "Judge every attempt of a saved run again with the present formulas and judge, and print the changed " +
			"verdicts. A trial that was another one when it ran keeps its saved verdict. RUN is a run's folder, the link " +
			"to one, or its " + runs.RunFile + ".",
		Example: `  podclock judge out/latest
  podclock judge out/latest -o json | jq .changes`,
	}
	o := shell.Output(command, shell.Markdown)
	command.RunE = func(c *cobra.Command, args []string) error {
		saved, err := runs.Load(args[0])
		if err != nil {
			return err
		}
		run, changes := a.rejudge(saved)
		return shell.Ended(writeJudged(c.OutOrStdout(), *o, run, changes), run.ExitCode())
	}
	return command
}

type judged struct {
	Run        string        `json:"run"`
	ExitCode   int           `json:"exitCode"`
	ExitReason string        `json:"exitReason"`
	Verdicts   []verdict     `json:"verdicts"`
	Changes    []runs.Change `json:"changes"`
}

type verdict struct {
	Trial   string        `json:"trial"`
	Subject string        `json:"subject"`
	Verdict trial.Verdict `json:"verdict"`
	Why     string        `json:"why,omitempty"`
	// Kept is why the saved verdict was not judged again.
	Kept string `json:"kept,omitempty"`
}

func writeJudged(w io.Writer, format string, run runs.Run, changes []runs.Change) error {
	switch format {
	case shell.Markdown:
		return markdown.Run(w, view.OverviewOf(run, nil))
	case shell.Text:
		v := view.OverviewOf(run, nil)
		if err := terminal.Run(w, v, terminal.Options{Screen: shell.ScreenOf(w)}); err != nil {
			return err
		}
		text := ""
		for _, c := range changes {
			text += fmt.Sprintln(c)
		}
		text = cmp.Or(text, "Every verdict is the saved one.\n")
		for _, o := range run.Outcomes {
			if o.Kept != "" {
				text += fmt.Sprintf("%s on %s was not judged again: %s\n", o.Trial, o.Subject, o.Kept)
			}
		}
		_, err := io.WriteString(w, text)
		return err
	}
	all := judged{
		Run: run.ID, ExitCode: run.ExitCode(), ExitReason: view.ExitReason(run), Verdicts: []verdict{},
		Changes: append([]runs.Change{}, changes...), // a nil list would be null
	}
	for _, o := range run.Outcomes {
		all.Verdicts = append(all.Verdicts, verdict{o.Trial, o.Subject, o.Verdict, o.Why, o.Kept})
	}
	return shell.Write(w, format, all)
}
