package cli

import (
	"github.com/spf13/cobra"

	"github.com/podclock/podclock/reports/cli/listing"
	"github.com/podclock/podclock/reports/cli/shell"
)

func subjects() *cobra.Command {
	command := &cobra.Command{
		Use:   "subjects",
		Short: "list the kubelets that can be put under test: versions, lanes, mutations and what they break, runtimes",
		Args:  shell.Arguments(0, 0),
		Long: "List the kubelets that can be put under test: VERSION, VERSION+MUTATION, the path of a binary, or " +
			"a checkout of kubernetes/kubernetes: FOLDER with its uncommitted changes, or FOLDER@REVISION. " +
			"virtual: before a version or a checkout selects the virtual lane, @RUNTIME behind one another " +
			"container runtime, and #2 a second copy.",
		Example: `  podclock subjects
  podclock subjects -o json | jq -r '.mutations[] | select(.formula == "termination/remainder").name'`,
	}
	o := shell.Output(command)
	command.RunE = func(c *cobra.Command, _ []string) error {
		known := listing.NewSubjects()
		if *o != shell.Text {
			return shell.Write(c.OutOrStdout(), *o, known)
		}
		return known.Text(c.OutOrStdout(), shell.ScreenOf(c.OutOrStdout()).Columns())
	}
	return command
}
