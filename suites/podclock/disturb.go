package main

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/caarlos0/env/v11"
	"github.com/spf13/cobra"
	"k8s.io/klog/v2"

	"github.com/podclock/podclock/reports"
	"github.com/podclock/podclock/suites/disturbance"
)

// disturb runs trials while their nodes are disturbed, and tells what the verdicts became. What it does goes to log, the result to out.
func disturb(code *int, out, log io.Writer) *cobra.Command {
	var again string
	command := &cobra.Command{
		Use: "disturb", Short: "run trials while their nodes are disturbed, and tell what the verdicts became", Args: cobra.NoArgs,
		Long: "Run the trials that FOCUS selects on SUBJECTS, first undisturbed, then under each of DISTURBANCES. A clean kubelet must never deviate because of one, and " +
			"a trial by which a mutant deviates undisturbed must never conform or diverge on it.",
		RunE: func(c *cobra.Command, _ []string) error {
			if again != "" {
				return judgeDisturbances(code, out, again)
			}
			// What client-go logs of an API server that went away, the report says in its own words.
			klog.LogToStderr(false)
			klog.SetOutput(io.Discard)
			config, err := disturbance.ParseConfig(env.ToMap(os.Environ()))
			if err != nil {
				return err
			}
			series, err := disturbance.New(config, log)
			if err != nil {
				return err
			}
			table, err := series.Run(c.Context())
			*code = table.ExitCode
			return errors.Join(err, tellDisturbances(out, series.Dir(), table))
		},
	}
	command.Flags().StringVar(&again, "judge", "", "a folder of saved disturbances: judge them again, from what the runs of their rows recorded, and write the report anew")
	return command
}

// judgeDisturbances judges saved disturbances again.
func judgeDisturbances(code *int, out io.Writer, dir string) error {
	table, err := reports.DisturbancesAgain(dir, finder())
	if err != nil {
		return err
	}
	*code = table.ExitCode
	return errors.Join(reports.WriteDisturbances(dir, table), tellDisturbances(out, dir, table))
}

// tellDisturbances writes the table, and where it is saved.
func tellDisturbances(out io.Writer, dir string, table reports.Disturbances) error {
	if err := reports.DisturbancesMarkdown(out, table); err != nil {
		return err
	}
	if _, err := fmt.Fprintf(out, "\nThe report is %s/%s.\n", dir, reports.DisturbanceFile); err != nil {
		return fmt.Errorf("write where the report is: %w", err)
	}
	return nil
}
