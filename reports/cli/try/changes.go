package try

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/mod/semver"

	"github.com/podclock/podclock/harness/host/option"
	"github.com/podclock/podclock/harness/kubelets"
	"github.com/podclock/podclock/harness/measure/run"
	"github.com/podclock/podclock/harness/session"
	"github.com/podclock/podclock/reports/render/markdown"
)

// fewestSeeds is how many values on each side tell a change of a random wait from chance. Chance orders 8 and 8 values
// completely in two cases of 12,870, and two releases have 3,700 claims.
const fewestSeeds = 8

// Changes returns the command that compares neighbouring releases.
func Changes(n Needs) *cobra.Command {
	o := options{config: session.Config{Lane: run.VirtualLane}}
	command := &cobra.Command{
		Use:   "changes [RELEASE...] [flags]",
		Short: "say what changed between releases of how pods are killed and restarted, as Markdown",
		Long: "Rehearse releases under virtual time, and write as Markdown which verdicts and values differ from " +
			"each to the next one. Without arguments, all versions of the virtual lane.",
		Example: `  podclock changes > docs/changes.md
  podclock changes v1.36.3 v1.37.2 --focus=eviction/`,
		RunE: func(c *cobra.Command, args []string) error { return o.changes(c, n, args) },
	}
	o.config.AddVirtualFlags(command.Flags())
	command.Flags().IntVar(&o.seeds, "seeds", fewestSeeds, fmt.Sprintf("rehearse with so many seeds, at least %d: a "+
		"value has changed if those of all seeds differ by more than chance", fewestSeeds))
	n.Selection(command, &o.config)
	return command
}

func (o options) changes(c *cobra.Command, n Needs, names []string) error {
	if len(names) == 0 {
		names = kubelets.VirtualVersions()
	}
	subjects, err := kubelets.ParseSubjects(run.VirtualLane, strings.Join(names, ","))
	if err != nil {
		return err
	}
	if len(subjects) == 1 {
		return fmt.Errorf("%s alone has no neighbour: name at least two releases", names[0])
	}
	slices.SortFunc(subjects, func(a, b kubelets.Subject) int { return semver.Compare(a.Version, b.Version) })
	if o.seeds < fewestSeeds {
		const format = "it must be at least %d: chance orders fewer values, too"
		return option.Invalid("seeds", o.seeds, format, fewestSeeds)
	}
	o.config.Subjects = strings.Join(names, ",")
	var runs []run.Run
	for range o.seeds {
		r, _, err := o.play(c, n)
		if err != nil {
			return err
		}
		runs = append(runs, r)
		o.config.Seed++
	}
	return markdown.Releases(c.OutOrStdout(), runs, subjects)
}
