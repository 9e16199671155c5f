package cli

import (
	"github.com/podclock/podclock/reports/listing"
	"github.com/spf13/cobra"
)

// subjects returns the command that lists what can be put under test.
func subjects() *cobra.Command {
	command := &cobra.Command{
		Use:   "subjects",
		Short: "list the kubelets that can be put under test: versions, lanes, mutations and what they break",
		Args:  arguments(0, 0),
		Long: "List the kubelets that can be put under test. A subject is spelled VERSION, VERSION+MUTATION, or as " +
			"the path of a kubelet's binary; virtual: before a version " +
			"puts it into the virtual lane, and #2 behind it makes it a second copy of the same kubelet.",
		Example: `  podclock subjects
  podclock subjects -o json | jq -r '.mutations[] | select(.formula == "termination/remainder").name'`,
	}
	o := output(command)
	command.RunE = func(c *cobra.Command, _ []string) error {
		known := listing.NewSubjects()
		if o.value != asText {
			return write(c.OutOrStdout(), o.value, known)
		}
		return known.Text(c.OutOrStdout(), screenOf(c.OutOrStdout()).Columns())
	}
	return command
}
