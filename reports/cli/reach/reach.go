// Package reach is the command that measures which code of Kubernetes the trials execute.
package reach

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/podclock/podclock/harness/host/option"
	"github.com/podclock/podclock/harness/kubelets"
	"github.com/podclock/podclock/harness/measure/trial"
	"github.com/podclock/podclock/harness/reach"
	"github.com/podclock/podclock/harness/session"
	"github.com/podclock/podclock/reports/cli/shell"
	"github.com/podclock/podclock/reports/render/markdown"
)

// Command returns podclock reach.
func Command(catalogue func() []trial.Trial) *cobra.Command {
	versions := kubelets.VirtualVersions()
	command := &cobra.Command{
		Use:   "reach",
		Short: "list the code of Kubernetes that decides how pods die, and which of it the trials execute",
		Args:  shell.Arguments(0, 0),
		Long: "Play every trial once on a virtual node that counts which statements of the kubelet and of the API " +
			"server it executes. Only the code that decides how pods die and restart counts. What no trial executes " +
			"is listed, with the reason why no trial needs to.\n\n" +
			"The exit code is 0, or 2 if a reason is not needed in the newest version or a trial could not be played.",
		Example: `  podclock reach
  podclock reach --version=v1.36.3 --output=markdown`,
	}
	version := shell.Choose(command, "version", "", versions[0], "the version of Kubernetes", versions...)
	of := command.Flags().String("of", "", "a saved map (--output=json) to read instead of playing trials")
	save := command.Flags().String("save", "", "also write the map's short form to a file, for reports on runs")
	output := shell.Output(command, shell.Markdown)
	command.RunE = func(c *cobra.Command, _ []string) error {
		ctx, stop := shell.Interruptible(c)
		defer stop()
		var m reach.Map
		var err error
		if *of != "" {
			m, err = reach.Load(*of)
		} else {
			m, err = measure(ctx, c, *version, catalogue())
		}
		if err == nil && *save != "" {
			err = m.Save(*save)
		}
		if err != nil {
			return option.AsGiven(c.Flags(), err)
		}
		unneeded, err := m.Excuse(ctx, reach.Excuses())
		if err != nil {
			return err
		}
		switch *output {
		case shell.Markdown:
			err = markdown.Reach(c.OutOrStdout(), m)
		case shell.JSON:
			err = shell.WriteLine(c.OutOrStdout(), shell.JSON, m)
		default:
			err = shell.Show(c.OutOrStdout(), *output, m, func(int) string { return onScreen(m) })
		}
		if len(unneeded) > 0 && m.Version == versions[0] && err == nil {
			err = fmt.Errorf("no reason is needed where code is gone or trials reach it: remove those for %v", unneeded)
		}
		return err
	}
	return command
}

func measure(ctx context.Context, c *cobra.Command, version string, trials []trial.Trial) (reach.Map, error) {
	root, err := session.Root()
	if err != nil {
		return reach.Map{}, err
	}
	return reach.Measure(ctx, reach.Options{
		Root: root, Version: version, Trials: trials, Parts: reach.Lifecycle(), Seed: 1, Log: c.ErrOrStderr(),
	})
}

// onScreen writes the share of each file.
func onScreen(m reach.Map) string {
	var b strings.Builder
	all := reach.Share{}
	for _, f := range m.Files {
		s := f.Share()
		all = all.Plus(s)
		fmt.Fprintf(&b, "%5.1f %%  %5d of %5d  %s\n", s.Percent(), s.Reached+s.Excused, s.Statements, f.Name)
	}
	fmt.Fprintf(&b,
		"%5.1f %%  %5d of %5d  statements of Kubernetes %s are reached by %d trials or excused: %d and %d\n",
		all.Percent(), all.Reached+all.Excused, all.Statements, m.Version, len(m.Trials), all.Reached, all.Excused)
	return b.String()
}
