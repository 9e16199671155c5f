// Package verify is the command that checks conformance reports.
package verify

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"github.com/podclock/podclock/reports/apis/v1alpha1"
	"github.com/podclock/podclock/reports/cli/shell"
)

// Command returns the command with its subcommand.
func Command() *cobra.Command {
	conformance := &cobra.Command{
		Use: "conformance", Short: "check conformance reports, or run like the conformance image",
	}
	verify := &cobra.Command{
		Use: "verify FILE...", Short: "check that conformance reports are complete, so that they can be published",
		Long: "Check conformance reports. Their results must follow from their verdicts, and they must have what " +
			"others need to repeat the run: who is responsible, the system of the node, the kubelet's " +
			"configuration, the command, the revision of podclock and the measured numbers.\n\n" +
			"The exit code is 1 if a report may not be published, and 2 if a file is no valid report.",
		Example: `  podclock report out/latest --format=conformance --implementation=who.yaml --numbers
  podclock conformance verify out/latest/conformance-*.yaml`,
		Args: cobra.MinimumNArgs(1),
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
			return []cobra.Completion{"yaml", "json"}, cobra.ShellCompDirectiveFilterFileExt
		},
		RunE: func(c *cobra.Command, files []string) error {
			var invalid error
			lacking := false
			for _, file := range files {
				complete, err := check(c.OutOrStdout(), file)
				invalid = errors.Join(invalid, err)
				lacking = lacking || !complete
			}
			if invalid == nil && lacking {
				return shell.Ended(nil, 1)
			}
			return invalid
		},
	}
	conformance.AddCommand(verify)
	return conformance
}

// check prints what a report says, or what it lacks.
func check(out io.Writer, file string) (complete bool, err error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return false, fmt.Errorf("read a conformance report: %w", err)
	}
	r, err := v1alpha1.Read(text)
	if err != nil {
		return false, fmt.Errorf("%s: %w", file, err)
	}
	lacks := r.Publishable()
	verdict := "can be published"
	if len(lacks) > 0 {
		verdict = "may not be published"
	}
	_, err = fmt.Fprintf(out, "%s: %s of run %s is a valid report (%s) and %s\n", file, r.Subject.Name, r.Run, r.Result,
		verdict)
	for _, l := range lacks {
		if err == nil {
			_, err = fmt.Fprintf(out, "  %v\n", l)
		}
	}
	return len(lacks) == 0, err
}
