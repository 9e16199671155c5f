// Package drift is the command that finds the formulas whose source changed.
package drift

import (
	"github.com/spf13/cobra"

	"github.com/podclock/podclock/harness/kubelets/builder"
	"github.com/podclock/podclock/harness/kubelets/drift"
	runs "github.com/podclock/podclock/harness/measure/run"
	"github.com/podclock/podclock/harness/rules/formula"
	"github.com/podclock/podclock/reports/cli/shell"
	"github.com/podclock/podclock/reports/view/difference"
)

// Command returns podclock drift.
func Command() *cobra.Command {
	command := &cobra.Command{
		Use:   "drift OLD NEW",
		Short: "list the formulas whose functions changed between two sources of Kubernetes",
		Args:  shell.Arguments(2, 2),
		Long: "List the functions of Kubernetes in which formulas were read and that changed, each with its " +
			"difference. Comments and formatting make none. OLD and NEW are each a release, whose source the go " +
			"command downloads unless it has it, the folder of a clone of kubernetes/kubernetes, uncommitted changes " +
			"included, or a revision of it, such as ./kubernetes@main.\n\n" +
			"A function that changed does not make a formula wrong: read the difference. What a function calls is " +
			"not compared.\n\n" +
			"The exit code is 0 if no such function changed, 3 if one did, 1 if one is gone, and 2 if the sources " +
			"can't be compared.",
		Example: "  podclock drift v1.36.3 v1.37.2\n" +
			"  podclock drift " + formula.NewestKnown + " ./kubernetes --output=markdown",
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
			return formula.Known(), cobra.ShellCompDirectiveDefault
		},
	}
	o := shell.Output(command, shell.Markdown)
	command.RunE = func(c *cobra.Command, args []string) error {
		var trees [2]*drift.Tree
		for i, name := range args {
			var err error
			if trees[i], err = drift.Open(c.Context(), name, formula.All(), builder.Download); err != nil {
				return err
			}
		}
		r, err := drift.Compare(trees[0], trees[1], formula.All())
		if err != nil {
			return err
		}
		err = shell.WriteReport(c.OutOrStdout(), *o, difference.Drift(r), nil)
		return shell.Ended(err, exitCode(r))
	}
	return command
}

func exitCode(r drift.Report) int {
	switch {
	case len(r.Gone) > 0:
		return runs.ExitDeviates
	case len(r.Changed) > 0:
		return runs.ExitChanged
	}
	return runs.ExitConforms
}
