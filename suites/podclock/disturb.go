package main

import (
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
	return &cobra.Command{
		Use: "disturb", Short: "run trials while their nodes are disturbed, and tell what the verdicts became", Args: cobra.NoArgs,
		Long: "Run the trials that FOCUS selects on SUBJECTS, first undisturbed, then under each of DISTURBANCES. A clean kubelet must never deviate because of one, and " +
			"a trial by which a mutant deviates undisturbed must never conform or diverge on it.",
		RunE: func(c *cobra.Command, _ []string) error {
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
			if writing := reports.DisturbancesMarkdown(out, table); writing != nil && err == nil {
				err = writing
			}
			if err != nil {
				return err
			}
			*code = table.ExitCode
			_, err = fmt.Fprintf(out, "\nThe report is %s/%s.\n", series.Dir(), reports.DisturbanceFile)
			return err
		},
	}
}
