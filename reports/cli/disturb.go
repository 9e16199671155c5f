package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/podclock/podclock/harness/host/option"
	runs "github.com/podclock/podclock/harness/measure/run"
	"github.com/podclock/podclock/harness/measure/trial"
	"github.com/podclock/podclock/harness/session"
	"github.com/podclock/podclock/harness/session/rounds"
	"github.com/podclock/podclock/reports/cli/shell"
	"github.com/podclock/podclock/reports/render/folder"
	"github.com/podclock/podclock/reports/render/markdown"
	"github.com/podclock/podclock/reports/view/repetition"
)

type disturbOptions struct {
	App
	config session.Config
	names  string
	judge  string
}

func (a App) disturb() *cobra.Command {
	o := disturbOptions{App: a}
	command := &cobra.Command{
		Use:   "disturb",
		Short: "run trials on disturbed nodes, and print how the verdicts changed",
		Args:  shell.Arguments(0, 0),
		Long: "Run trials undisturbed, then under each disturbance. No disturbance may make a released kubelet " +
			"deviate, or a killed mutant conform or diverge. Without --focus and --subjects, podclock chooses both.",
		Example: `  podclock disturb
  podclock disturb --disturbances=kubelet,runtime --focus='termination/grace-1$' \
    --subjects=v1.36.3,v1.36.3+no-minimum-grace`,
		RunE: func(c *cobra.Command, _ []string) error {
			if o.judge == "" {
				return option.AsGiven(c.Flags(), o.play(c))
			}
			if err := option.Only(c.Flags(), "judge"); err != nil {
				return err
			}
			table, err := repetition.JudgeDisturbances(o.judge, trial.Finder(o.Catalogue()))
			if err != nil {
				return err
			}
			err = errors.Join(folder.WriteDisturbances(o.judge, table),
				printDisturbances(c.OutOrStdout(), o.judge, table))
			return shell.Ended(err, table.ExitCode)
		},
	}
	a.sessionFlags(command, &o.config)
	set := command.Flags()
	o.config.AddFocusFlag(set)
	shell.Complete(command, "focus", a.completeTrials)
	set.StringVar(&o.names, "disturbances", "", "the disturbances, separated by commas (default all)")
	option.Variable(set, "disturbances", "DISTURBANCES")
	shell.Complete(command, "disturbances", shell.CompleteList(disturbanceWords))
	set.StringVar(&o.judge, "judge", "", "a folder of saved disturbances: judge its runs again and rewrite the report")
	shell.CompleteFolders(command, "judge")
	return command
}

func (o *disturbOptions) play(c *cobra.Command) error {
	all, err := rounds.Parse(o.names)
	if err != nil {
		return option.Invalid("disturbances", o.names, "%w", err)
	}
	config, err := rounds.Disturbable(o.config)
	if err != nil {
		return err
	}
	selected, choice, err := config.Select(o.Catalogue())
	choice.Tell(c.ErrOrStderr())
	if err == nil {
		err = config.Check(c.Context())
	}
	if err != nil {
		return err
	}
	dir, _, err := runs.NewFolder(config.Out, repetition.DisturbancesPrefix, time.Now())
	if err != nil {
		return err
	}
	config.Out = dir
	r := rounds.New(rounds.Series{Config: config, Selected: selected}, programOf(c, false, folder.Write))
	ctx, stop := shell.Interruptible(c)
	defer stop()
	table, err := playDisturbed(ctx, c.ErrOrStderr(), dir, r, all)
	return shell.Ended(errors.Join(err, printDisturbances(c.OutOrStdout(), dir, table)), table.ExitCode)
}

// playDisturbed writes the table after every round and deletes the cluster at the end.
func playDisturbed(
	ctx context.Context, log io.Writer, dir string, r *rounds.Rounds, all []rounds.Disturbance,
) (repetition.Disturbances, error) {
	var table repetition.Disturbances
	for _, d := range all {
		table.Asked = append(table.Asked, d.Name)
	}
	ended, err := r.Disturb(ctx, all, func(played rounds.Disturbed) error {
		row := repetition.Disturbed(played)
		table.Add(row)
		_, _ = fmt.Fprintln(log, row)
		return folder.WriteDisturbances(dir, table)
	})
	if ended != "" {
		table.End(ended)
	}
	if err == nil {
		err = folder.WriteDisturbances(dir, table)
	}
	return table, errors.Join(err, r.End(ctx))
}

func printDisturbances(w io.Writer, dir string, table repetition.Disturbances) error {
	err := markdown.Report(w, table.Report())
	_, last := fmt.Fprintf(w, "\nThe report is %s.\n", filepath.Join(dir, repetition.DisturbancesFile))
	return errors.Join(err, last)
}

func disturbanceWords(string) []cobra.Completion {
	var words []cobra.Completion
	for _, d := range rounds.All() {
		if d.Name != rounds.None {
			words = append(words, cobra.CompletionWithDesc(d.Name, d.Description))
		}
	}
	return words
}
