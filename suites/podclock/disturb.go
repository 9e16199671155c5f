package podclock

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/podclock/podclock/reports"
	"github.com/podclock/podclock/suites/disturbance"
)

// disturb runs trials while their nodes are disturbed, and tells what the verdicts became.
func disturb() *cobra.Command {
	command := &cobra.Command{
		Use: "disturb", Short: "run trials while their nodes are disturbed, and tell what the verdicts became", Args: cobra.NoArgs,
		Long: "Run trials first undisturbed, then under each disturbance. A clean kubelet must never deviate because of one, and a trial by which a mutant deviates " +
			"undisturbed must never conform or diverge on it. Without --focus and --subjects there is a choice of both.",
		Example: `  podclock disturb
  podclock disturb --disturbances=kubelet,runtime --focus='termination/grace-1$' --subjects=v1.36.3,v1.36.3+no-minimum-grace`,
		RunE: func(c *cobra.Command, _ []string) error {
			config, err := disturbance.ParseConfig(variables(c.Flags()))
			if err != nil {
				return asAsked(c.Flags(), err)
			}
			series, err := disturbance.New(config, c.ErrOrStderr())
			if err != nil {
				return err
			}
			table, err := series.Run(c.Context())
			if writing := reports.DisturbancesMarkdown(c.OutOrStdout(), table); writing != nil && err == nil {
				err = writing
			}
			if err != nil {
				return err
			}
			_, err = fmt.Fprintf(c.OutOrStdout(), "\nThe report is %s/%s.\n", series.Dir(), reports.DisturbanceFile)
			return ended(err, table.ExitCode)
		},
	}
	sessionFlags(command)
	focusFlag(command)
	command.Flags().String("disturbances", "", "which, separated by commas (default all)")
	complete(command, "disturbances", completeList(disturbanceWords))
	variable(command.Flags(), "disturbances", "DISTURBANCES")
	return command
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
