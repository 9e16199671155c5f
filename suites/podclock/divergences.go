package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/podclock/podclock/harness/kubelet"
	"github.com/podclock/podclock/harness/trial"
	"github.com/podclock/podclock/reports"
	"github.com/podclock/podclock/suites"
	"github.com/podclock/podclock/suites/session"
)

// divergences writes DIVERGENCES.md. The file is the project's word on what it knows, so a run that saw less of it is refused.
func divergences(out io.Writer) *cobra.Command {
	whatever := false
	command := &cobra.Command{
		Use: "divergences RUN", Short: "write where a saved run found documentation and code apart, as Markdown", Args: cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			saved, err := reports.Load(args[0])
			if err != nil {
				return err
			}
			missing := saved.Missing(kubelet.Versions(), ids())
			if len(missing) > 0 && !whatever {
				return fmt.Errorf("run %s does not tell every divergence: %s. Name a run of make e2e PROFILE=%s SUBJECTS=%s, or write what this one tells with --any",
					saved.ID, strings.Join(missing, "; "), session.Full, strings.Join(kubelet.Versions(), ","))
			}
			find := finder()
			return reports.Divergences(out, saved, reports.DivergencesOptions{Catalogue: find, Settings: profiles(find), Missing: missing})
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

// profiles tells the setting without which a run would not have a trial.
func profiles(find func(id string) (trial.Trial, bool)) func(id string) string {
	return func(id string) string {
		if t, known := find(id); known && !session.Quick.Holds(t) {
			return "PROFILE=" + string(session.Full)
		}
		return ""
	}
}
