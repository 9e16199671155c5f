package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/podclock/podclock/harness/measure/trial"
	"github.com/podclock/podclock/harness/rules/formula"
	"github.com/podclock/podclock/reports/cli/shell"
	"github.com/podclock/podclock/reports/render/markdown"
	"github.com/podclock/podclock/reports/view"
)

// divergences writes docs/generated/divergences.md. It refuses incomplete runs.
func (a App) divergences() *cobra.Command {
	partial, judge := false, false
	command := &cobra.Command{
		Use:               "divergences RUN",
		Short:             "write where documentation and code differ in a saved run, as Markdown",
		Args:              shell.Arguments(1, 1),
		ValidArgsFunction: completeRuns,
		Example:           "  podclock divergences out/latest > docs/generated/divergences.md",
		RunE: func(c *cobra.Command, args []string) error {
			saved, err := a.load(args[0], judge)
			if err != nil {
				return err
			}
			missing := view.Missing(saved, formula.Versions(), a.ids())
			if len(missing) > 0 && !partial {
				return fmt.Errorf("run %s lacks divergences: %s. Name a run of make e2e PROFILE=%s SUBJECTS=%s, "+
					"or add --any", saved.ID, strings.Join(missing, "; "), trial.Full,
					strings.Join(formula.Versions(), ","))
			}
			return markdown.Divergences(c.OutOrStdout(), saved, trial.Finder(a.Catalogue()), missing)
		},
	}
	command.Flags().BoolVar(&judge, "judge", false, judgeUsage)
	command.Flags().BoolVar(&partial, "any", false, "accept any run, and note what it lacks")
	return command
}

// ids returns the trials that real nodes play.
func (a App) ids() []string {
	var all []string
	for _, t := range a.Catalogue() {
		if !t.VirtualOnly() {
			all = append(all, t.ID)
		}
	}
	return all
}
