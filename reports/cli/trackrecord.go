package cli

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/podclock/podclock/harness/kubelets/mutation"
	"github.com/podclock/podclock/harness/measure/trial"
	"github.com/podclock/podclock/harness/mutants/mutationtest"
	"github.com/podclock/podclock/harness/rules/formula"
	"github.com/podclock/podclock/reports/cli/shell"
	"github.com/podclock/podclock/reports/render/markdown"
	"github.com/podclock/podclock/reports/view"
)

// trackRecord writes docs/generated/track-record.md. It refuses incomplete runs.
func (a App) trackRecord() *cobra.Command {
	partial, judge := false, false
	command := &cobra.Command{
		Use:               "track-record RUN REPORT…",
		Short:             "write which real bugs a saved run and saved mutation tests reproduce, as Markdown",
		Args:              shell.Arguments(2, math.MaxInt),
		ValidArgsFunction: completeRuns,
		Example:           "  podclock track-record out/latest out/latest-mutants > docs/generated/track-record.md",
		RunE: func(c *cobra.Command, args []string) error {
			run, err := a.load(args[0], judge)
			if err != nil {
				return err
			}
			tested, err := loadReports(args[1:])
			if err != nil {
				return err
			}
			missing := view.Missing(run, formula.Versions(), a.ids())
			for i, lack := range missing {
				missing[i] = "the run: " + lack
			}
			missing = append(missing, missingMutants(tested, mutation.All())...)
			if len(missing) > 0 && !partial {
				return fmt.Errorf("run %s and mutation test %s lack bugs: %s. Name a run of make e2e PROFILE=%s "+
					"SUBJECTS=%s and one of make mutants, or add --any", run.ID, tested.ID,
					strings.Join(missing, "; "), trial.Full, strings.Join(formula.Versions(), ","))
			}
			return markdown.TrackRecord(c.OutOrStdout(), run, tested, trial.Finder(a.Catalogue()), missing)
		},
	}
	command.Flags().BoolVar(&judge, "judge", false, judgeUsage)
	command.Flags().BoolVar(&partial, "any", false, "accept any runs, and note what they lack")
	return command
}

func loadReports(paths []string) (mutationtest.Report, error) {
	var all []mutationtest.Report
	for _, path := range paths {
		p, err := mutationtest.Load(path)
		if err != nil {
			return mutationtest.Report{}, err
		}
		all = append(all, p)
	}
	return mutationtest.Together(all...)
}

// missingMutants returns what a report lacks to show every mutation with a reference.
func missingMutants(p mutationtest.Report, mutations []mutation.Mutation) []string {
	var never, lacks []string
	for _, m := range mutations {
		if m.Reference == "" || !m.Versions.Contains(p.Version) {
			continue
		}
		met := func(l mutationtest.LaneReport) bool {
			return slices.ContainsFunc(l.Mutants,
				func(tried mutationtest.Mutant) bool { return tried.Name == m.Name && tried.Trials > 0 })
		}
		if !slices.ContainsFunc(p.Lanes, met) {
			never = append(never, m.Name)
		}
	}
	if len(never) > 0 {
		lacks = append(lacks, "the mutation test never put under test "+strings.Join(never, ", "))
	}
	return append(lacks, doubtful(p)...)
}

// doubtful returns why a report's kills do not count.
func doubtful(p mutationtest.Report) (lacks []string) {
	lack := func(format string, args ...any) { lacks = append(lacks, fmt.Sprintf(format, args...)) }
	if newest := formula.Versions()[0]; p.Version != newest {
		lack("the mutation test is of %s, the newest version is %s", cmp.Or(p.Version, "no version"), newest)
	}
	if p.Ended.IsZero() {
		lack("the mutation test did not end")
	}
	if len(p.Problems) > 0 {
		lack("the mutation test had problems: %s", strings.Join(p.Problems, "; "))
	}
	for _, l := range p.Lanes {
		if l.Ended.IsZero() {
			lack("the %s lane of the mutation test did not end", l.Lane)
		}
		if len(l.Problems) > 0 {
			lack("the %s lane of the mutation test had problems: %s", l.Lane, strings.Join(l.Problems, "; "))
		}
		if n := l.Figures().FalseAlarms; n > 0 {
			lack("the %s lane of the mutation test has false alarms: %d trials deviate on the reference", l.Lane, n)
		}
	}
	return lacks
}
