package cli

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/podclock/podclock/harness/session/disturbance"
	"github.com/podclock/podclock/reports/disturbances"
	"github.com/podclock/podclock/reports/folder"
	"github.com/podclock/podclock/reports/markdown"
	"github.com/podclock/podclock/reports/render"
)

// disturb runs trials while their nodes are disturbed, and tells what the verdicts became.
func disturb() *cobra.Command {
	var again string
	command := &cobra.Command{
		Use:   "disturb",
		Short: "run trials while their nodes are disturbed, and tell what the verdicts became",
		Args:  arguments(0, 0),
		Long: "Run trials first undisturbed, then under each disturbance. A clean kubelet must never deviate because of one, and a trial by which a mutant deviates " +
			"undisturbed must never conform or diverge on it. Without --focus and --subjects there is a choice of both.",
		Example: `  podclock disturb
  podclock disturb --disturbances=kubelet,runtime --focus='termination/grace-1$' --subjects=v1.36.3,v1.36.3+no-minimum-grace`,
		RunE: func(c *cobra.Command, _ []string) error {
			if again != "" {
				if err := only(c.Flags(), "judge"); err != nil {
					return err
				}
				table, err := disturbances.DisturbancesAgain(again, render.Finder())
				if err != nil {
					return err
				}
				return ended(
					errors.Join(folder.WriteDisturbances(again, table),
						tellDisturbances(c.OutOrStdout(), again, table)),
					table.ExitCode,
				)
			}
			config, err := disturbance.ParseConfig(variables(c.Flags()))
			if err != nil {
				return asAsked(c.Flags(), err)
			}
			series, err := disturbance.New(config, c.ErrOrStderr())
			if err != nil {
				return err
			}
			ctx, stop := interruptible(c)
			defer stop()
			table, err := series.Run(ctx)
			return ended(errors.Join(err, tellDisturbances(c.OutOrStdout(), series.Dir(), table)), table.ExitCode)
		},
	}
	sessionFlags(command)
	focusFlag(command)
	command.Flags().String("disturbances", "", "which, separated by commas (default all)")
	complete(command, "disturbances", completeList(disturbanceWords))
	variable(command.Flags(), "disturbances", "DISTURBANCES")
	command.Flags().
		StringVar(&again, "judge", "", "a folder of saved disturbances: judge them again, from what the runs of their rows recorded, and write the report anew")
	complete(command, "judge", cobra.FixedCompletions(nil, cobra.ShellCompDirectiveFilterDirs))
	return command
}

// tellDisturbances writes the table, and where it is saved.
func tellDisturbances(w io.Writer, dir string, table disturbances.Disturbances) error {
	if err := markdown.Disturbances(w, table); err != nil {
		return err
	}
	if _, err := fmt.Fprintf(w, "\nThe report is %s.\n", filepath.Join(dir, disturbances.DisturbanceFile)); err != nil {
		return fmt.Errorf("write where the report is: %w", err)
	}
	return nil
}

// disturbanceWords are the disturbances' names; that of none is in any case.
func disturbanceWords(string) []cobra.Completion {
	var words []cobra.Completion
	for _, d := range disturbance.All() {
		if d.Name != disturbance.None {
			words = append(words, cobra.CompletionWithDesc(d.Name, d.Says))
		}
	}
	return words
}
