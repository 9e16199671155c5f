package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/podclock/podclock/harness/measure/trial"
	"github.com/podclock/podclock/harness/rules/formula"
	"github.com/podclock/podclock/reports/cli/listing"
	"github.com/podclock/podclock/reports/cli/shell"
)

func (a App) list() *cobra.Command {
	command := &cobra.Command{
		Use:               "catalogue [AREA|TRIAL...]",
		Short:             "list every trial, its claims and their formulas",
		ValidArgsFunction: a.completeTrials,
		Long: "List every trial, or those of some areas or IDs: purpose, duration, kubelets, claims, formulas and " +
			"their sources.",
		Example: `  podclock catalogue termination/hook-hangs
  podclock catalogue eviction sidecars
  podclock catalogue -o json | jq -r '.trials[].id'`,
	}
	o := shell.Output(command, shell.Markdown)
	command.RunE = func(c *cobra.Command, args []string) error {
		chosen, err := named(a.Catalogue(), args)
		if err != nil {
			return err
		}
		l := listing.New(chosen, formula.Versions())
		var text string
		switch *o {
		case shell.Text:
			text = l.Text()
		case shell.Markdown:
			text = l.Markdown()
		default:
			return shell.Write(c.OutOrStdout(), *o, l)
		}
		if _, err := fmt.Fprint(c.OutOrStdout(), text); err != nil {
			return fmt.Errorf("write the catalogue: %w", err)
		}
		return nil
	}
	return command
}

func named(all []trial.Trial, names []string) ([]trial.Trial, error) {
	if len(names) == 0 {
		return all, nil
	}
	var chosen []trial.Trial
	met := map[string]bool{}
	for _, t := range all {
		is := func(name string) bool { return name == t.ID || strings.TrimSuffix(name, "/") == t.Area() }
		if slices.ContainsFunc(names, is) {
			chosen = append(chosen, t)
		}
		for _, name := range names {
			met[name] = met[name] || is(name)
		}
	}
	for _, name := range names {
		if !met[name] {
			return nil, fmt.Errorf("there is no trial and no area %q; podclock catalogue without arguments lists all",
				name)
		}
	}
	return chosen, nil
}
