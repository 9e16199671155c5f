package prediction

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/podclock/podclock/harness/predict/findings"
	"github.com/podclock/podclock/reports/cli/shell"
)

// Rules returns the command "rules".
func Rules() *cobra.Command {
	command := &cobra.Command{
		Use:   "rules [RULE...]",
		Short: "list the rules of findings, or explain some of them: an example, a fix and the documentation",
		Example: `  podclock rules
  podclock rules hook-equals-grace
  podclock rules -o json | jq -r '.[] | select(.level == "error").id'`,
	}
	command.ValidArgs = findings.IDs()
	o := shell.Output(command)
	command.RunE = func(c *cobra.Command, args []string) error {
		chosen, err := findings.Named(args)
		if err != nil {
			return err
		}
		return shell.Show(c.OutOrStdout(), *o, chosen, func(columns int) string {
			return explained(chosen, len(args) > 0, columns)
		})
	}
	return command
}

// explained writes one sentence about each rule, or everything.
func explained(all []findings.Rule, everything bool, columns int) string {
	l := list{columns: columns}
	for _, r := range all {
		l.entry(r.ID, string(r.Level))
		l.paragraph(r.Description)
		if !everything {
			continue
		}
		l.paragraph("Fix: " + r.Fix + ".")
		l.WriteString("  See " + r.DocumentedAt + "\n  For example:\n") // a broken address can't be opened
		for line := range strings.Lines(r.Example) {
			l.WriteString("    " + line)
		}
	}
	return l.String()
}
