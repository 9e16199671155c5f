package cli

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/podclock/podclock/harness/detection"
	"github.com/podclock/podclock/harness/kubelet"
	"github.com/podclock/podclock/harness/kubelet/mutation"
	runs "github.com/podclock/podclock/harness/run"
	"github.com/podclock/podclock/harness/session"
	"github.com/podclock/podclock/reports/markdown"
	"github.com/podclock/podclock/reports/render"
	"github.com/podclock/podclock/reports/view"
)

// trackRecord writes docs/generated/track-record.md. As docs/generated/divergences.md, it is the project's word on what it knows, so what
// saw less of it is refused.
func trackRecord() *cobra.Command {
	whatever := false
	command := &cobra.Command{
		Use:               "track-record RUN PROOF…",
		Short:             "write which real bugs a saved run and saved proofs of sensitivity reproduce, as Markdown",
		Args:              arguments(2, math.MaxInt),
		ValidArgsFunction: completeRuns,
		Example:           "  podclock track-record out/latest out/latest-sensitivity > docs/generated/track-record.md",
		RunE: func(c *cobra.Command, args []string) error {
			run, err := runs.Load(args[0])
			if err != nil {
				return err
			}
			proof, err := loadProofs(args[1:])
			if err != nil {
				return err
			}
			missing := view.Missing(run, kubelet.Versions(), ids())
			for i, lack := range missing {
				missing[i] = "the run: " + lack
			}
			missing = append(missing, unproved(proof, mutation.All())...)
			if len(missing) > 0 && !whatever {
				return fmt.Errorf(
					"run %s and proof %s do not tell every bug: %s. Name a run of make e2e PROFILE=%s SUBJECTS=%s and a proof of make sensitivity, "+
						"or write what these tell with --any",
					run.ID,
					proof.ID,
					strings.Join(missing, "; "),
					session.Full,
					strings.Join(kubelet.Versions(), ","),
				)
			}
			find := render.Finder()
			return markdown.TrackRecord(c.OutOrStdout(), run, proof,
				view.DivergencesOptions{Catalogue: find, Settings: render.Settings(find), Missing: missing})
		},
	}
	command.Flags().BoolVar(&whatever, "any", false, "write what any run and proof tell, with a note of what they lack")
	return command
}

// loadProofs reads saved proofs, as one.
func loadProofs(paths []string) (detection.Report, error) {
	var all []detection.Report
	for _, path := range paths {
		p, err := detection.Load(path)
		if err != nil {
			return detection.Report{}, err
		}
		all = append(all, p)
	}
	return detection.Together(all...)
}

// unproved says what a proof lacks to tell of every mutation that has a reference, and to be believed.
func unproved(p detection.Report, mutations []mutation.Mutation) []string {
	var never, lacks []string
	for _, m := range mutations {
		if m.Reference == "" || !m.Versions.Contains(p.Version) {
			continue
		}
		met := func(l detection.LaneReport) bool {
			return slices.ContainsFunc(l.Mutants,
				func(tried detection.Mutant) bool { return tried.Name == m.Name && tried.Trials > 0 })
		}
		if !slices.ContainsFunc(p.Lanes, met) {
			never = append(never, m.Name)
		}
	}
	if len(never) > 0 {
		lacks = append(lacks, "the proof never put under test "+strings.Join(never, ", "))
	}
	return append(lacks, doubtful(p)...)
}

// doubtful says why a proof's catches do not count: it is of another version than the newest, it was cut
// short, or the released code deviates in it.
func doubtful(p detection.Report) (lacks []string) {
	if newest := kubelet.Versions()[0]; p.Version != newest {
		lacks = append(lacks,
			fmt.Sprintf("the proof is of %s, the newest is %s", cmp.Or(p.Version, "no version"), newest))
	}
	if p.Ended.IsZero() {
		lacks = append(lacks, "the proof did not come to its end")
	}
	if len(p.Problems) > 0 {
		lacks = append(lacks, "the proof had problems: "+strings.Join(p.Problems, "; "))
	}
	for _, l := range p.Lanes {
		if l.Ended.IsZero() {
			lacks = append(lacks, fmt.Sprintf("the proof's %s lane did not come to its end", l.Lane))
		}
		if len(l.Problems) > 0 {
			lacks = append(lacks,
				fmt.Sprintf("the proof's %s lane had problems: %s", l.Lane, strings.Join(l.Problems, "; ")))
		}
		if n := l.Figures().FalseAlarms; n > 0 {
			lacks = append(
				lacks,
				fmt.Sprintf("the proof's %s lane has false alarms: on the released code %d of its trials deviate",
					l.Lane, n),
			)
		}
	}
	return lacks
}
