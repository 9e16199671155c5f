// Package version is the command that prints which podclock this is.
package version

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/podclock/podclock/harness/host/program"
	runs "github.com/podclock/podclock/harness/measure/run"
	"github.com/podclock/podclock/harness/rules/formula"
	"github.com/podclock/podclock/reports/cli/listing"
	"github.com/podclock/podclock/reports/cli/shell"
)

// Command returns podclock version.
func Command() *cobra.Command {
	command := &cobra.Command{
		Use:     "version",
		Short:   "print which podclock this is, and which releases of Kubernetes its formulas were read in",
		Args:    shell.Arguments(0, 0),
		Example: "  podclock version -o json\n  podclock version --changes > docs/versions.md",
	}
	changes := command.Flags().Bool("changes", false,
		"write which releases have each change that the formulas ask for, as Markdown")
	o := shell.Output(command)
	command.RunE = func(c *cobra.Command, _ []string) error {
		if *changes {
			_, err := fmt.Fprint(c.OutOrStdout(), listing.Changes())
			return err
		}
		k := knows()
		return shell.Show(c.OutOrStdout(), *o, k, func(int) string { return k.String() })
	}
	return command
}

// Flag gives the program the flag --version, which prints what the command does.
func Flag(root *cobra.Command) {
	root.Version = program.Read().Version
	root.SetVersionTemplate(knows().String())
	root.InitDefaultVersionFlag()
	root.Flags().Lookup("version").Usage = "print which podclock this is, as podclock version does"
}

// known is what this program is, and what it knows.
type known struct {
	program.Info
	// Between these versions the formulas hold.
	OldestKubernetes string   `json:"oldestKubernetes"`
	NewestKubernetes string   `json:"newestKubernetes"`
	Kubelets         []string `json:"kubelets"`
	RunSchema        string   `json:"runSchema"`
}

func knows() known {
	return known{
		Info: program.Read(), OldestKubernetes: formula.OldestKnown, NewestKubernetes: formula.NewestKnown,
		Kubelets: formula.Versions(), RunSchema: runs.Schema,
	}
}

func (k known) String() string {
	return fmt.Sprintf("%s\n", k.Info) +
		fmt.Sprintf("formulas read in Kubernetes %s to %s; kubelets to put under test: %s\n",
			k.OldestKubernetes, k.NewestKubernetes, strings.Join(k.Kubelets, ", ")) +
		fmt.Sprintf("saved runs of the format %s\n", k.RunSchema)
}
