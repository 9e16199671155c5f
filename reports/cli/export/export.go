// Package export is the command that writes what runs measured in the formats of other tools.
package export

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	runs "github.com/podclock/podclock/harness/measure/run"
	"github.com/podclock/podclock/harness/measure/trial"
	"github.com/podclock/podclock/reports/cli/shell"
	"github.com/podclock/podclock/reports/render/kwok"
	"github.com/podclock/podclock/reports/view/fitted"
)

// Command returns the command. completeRuns completes the names of saved runs.
func Command(catalogue func() []trial.Trial, completeRuns cobra.CompletionFunc) *cobra.Command {
	command := &cobra.Command{
		Use:     "export",
		Short:   "write what a saved run measured for another tool: KWOK",
		Example: "  podclock export kwok out/latest > stages.yaml",
		Args: func(c *cobra.Command, args []string) error {
			if len(args) > 0 {
				return fmt.Errorf("unknown format %q: %s --help lists them", args[0], c.CommandPath())
			}
			return nil
		},
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	command.AddCommand(stages(catalogue, completeRuns))
	return command
}

func stages(catalogue func() []trial.Trial, completeRuns cobra.CompletionFunc) *cobra.Command {
	subject := ""
	command := &cobra.Command{
		Use:   "kwok RUN",
		Short: "write Stages of KWOK, by which simulated pods take the measured times",
		Long: "Write Stages of KWOK for pods (kwok.x-k8s.io/v1alpha1). Their delays have the distribution of what " +
			"RUN measured on one kubelet: from a bound pod to its start, to Ready, from a crash to the restart, and " +
			"from a delete to the end of the object. Grace periods, sleeping hooks, delays of readiness probes and " +
			"back-offs are those of each simulated pod.",
		Example: `  podclock export kwok out/latest > stages.yaml
  podclock export kwok out/latest --subject=v1.37.2 > stages.yaml`,
		Args:              shell.Arguments(1, 1),
		ValidArgsFunction: completeRuns,
		RunE: func(c *cobra.Command, args []string) error {
			r, err := runs.Load(args[0])
			if err != nil {
				return err
			}
			var names []string
			for _, s := range r.Subjects {
				names = append(names, s.Name)
				if subject == s.Name {
					names = []string{subject}
					break
				}
			}
			if len(names) != 1 || subject != "" && names[0] != subject {
				return fmt.Errorf("choose one subject of %s with --subject: %s", args[0], strings.Join(names, ", "))
			}
			t := fitted.Of(r, names[0], trial.Finder(catalogue()))
			if why := t.Missing(); why != "" {
				return fmt.Errorf("%s on %s has %s: play more trials, such as "+
					"--focus='restarts/crash|termination/grace'", args[0], names[0], why)
			}
			_, err = fmt.Fprintf(c.OutOrStdout(), "# Measured on %s in the run %s.\n", t.Subject, r.ID)
			if err != nil {
				return err
			}
			return kwok.Stages(c.OutOrStdout(), t)
		},
	}
	command.Flags().StringVar(&subject, "subject", "", "the kubelet whose times are written (default the only one)")
	return command
}
