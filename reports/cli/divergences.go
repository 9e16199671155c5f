package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/podclock/podclock/harness/kubelet"
	runs "github.com/podclock/podclock/harness/run"
	"github.com/podclock/podclock/harness/session"
	"github.com/podclock/podclock/reports/markdown"
	"github.com/podclock/podclock/reports/render"
	"github.com/podclock/podclock/reports/view"
	"github.com/podclock/podclock/suites"
)

// divergences writes docs/generated/divergences.md. The file is the project's word on what it knows, so a run that saw
// less of it is refused.
func divergences() *cobra.Command {
	whatever := false
	command := &cobra.Command{
		Use:               "divergences RUN",
		Short:             "write where a saved run found documentation and code apart, as Markdown",
		Args:              arguments(1, 1),
		ValidArgsFunction: completeRuns,
		Example:           "  podclock divergences out/latest > docs/generated/divergences.md",
		RunE: func(c *cobra.Command, args []string) error {
			saved, err := runs.Load(args[0])
			if err != nil {
				return err
			}
			missing := view.Missing(saved, kubelet.Versions(), ids())
			if len(missing) > 0 && !whatever {
				return fmt.Errorf(
					"run %s does not tell every divergence: %s. Name a run of make e2e PROFILE=%s SUBJECTS=%s, or write what this one tells with --any",
					saved.ID,
					strings.Join(missing, "; "),
					session.Full,
					strings.Join(kubelet.Versions(), ","),
				)
			}
			find := render.Finder()
			return markdown.Divergences(c.OutOrStdout(), saved,
				view.DivergencesOptions{Catalogue: find, Settings: render.Settings(find), Missing: missing})
		},
	}
	command.Flags().BoolVar(&whatever, "any", false, "write what any run tells, with a note of what it lacks")
	return command
}

// ids are those of the whole catalogue.
func ids() []string {
	var all []string
	for _, t := range suites.Catalogue() {
		all = append(all, t.ID)
	}
	return all
}
