package cli

import (
	"github.com/spf13/cobra"

	"github.com/podclock/podclock/harness/host/option"
	"github.com/podclock/podclock/harness/node/cluster"
	"github.com/podclock/podclock/reports/cli/shell"
)

// down reads no other flag of a run, so it works even if the tested binary is gone.
func down() *cobra.Command {
	var name string
	command := &cobra.Command{
		Use:     "down",
		Short:   "delete the cluster that a run with --keep left",
		Args:    shell.Arguments(0, 0),
		Long:    "Delete the cluster that a run with --keep left. podclock never touches other clusters.",
		Example: "  podclock down --cluster=mine",
		RunE: func(c *cobra.Command, _ []string) error {
			ctx, stop := shell.Interruptible(c)
			defer stop()
			return cluster.NewProvider(cluster.Options{Name: name, Log: c.ErrOrStderr()}).Destroy(ctx)
		},
	}
	command.Flags().StringVar(&name, "cluster", "podclock", "the kind cluster's name")
	option.Variable(command.Flags(), "cluster", "CLUSTER")
	shell.Complete(command, "cluster", cobra.NoFileCompletions)
	return command
}
