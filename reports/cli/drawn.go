package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"regexp"
	"time"

	"github.com/spf13/cobra"

	"github.com/podclock/podclock/harness/host/option"
	"github.com/podclock/podclock/harness/kubelets"
	"github.com/podclock/podclock/harness/measure/run"
	"github.com/podclock/podclock/harness/measure/trial"
	"github.com/podclock/podclock/harness/mutants/drawn"
	"github.com/podclock/podclock/harness/reach"
	"github.com/podclock/podclock/harness/session"
	"github.com/podclock/podclock/reports/cli/shell"
	"github.com/podclock/podclock/reports/render/folder"
	"github.com/podclock/podclock/reports/render/markdown"
)

// drawnMutants are the flags of podclock mutants for mutants that are drawn from the code that trials execute.
type drawnMutants struct {
	count       int
	seeds       []uint
	reach, code string
	locate      bool
}

func (d *drawnMutants) flags(command *cobra.Command) {
	set := command.Flags()
	set.IntVar(&d.count, "count", 0,
		"draw so many mutants from the code that trials execute, in place of the catalogue's mutations")
	set.UintSliceVar(&d.seeds, "seed", []uint{1},
		"which mutants --count draws: a seed, or several, separated by commas")
	set.StringVar(&d.reach, "reach", "",
		"a saved map of that code (podclock reach --output=json) for --count (default: the trials are played first)")
	set.StringVar(&d.code, "code", "", "a regular expression: --count draws only from packages whose path matches")
	set.BoolVar(&d.locate, "locate", false,
		"each mutant of --count that a claim kills meets its other trials: does a run name the mutated function?")
	option.Variables(set, "count", "seed", "reach", "code", "locate")
	shell.CompleteWords(command, "code", reach.Packages(reach.Lifecycle())...)
}

// test draws mutants, and writes what became of them to a folder. If a score in percent is asked for and not reached,
// the exit code is 1.
func (d *drawnMutants) test(
	ctx context.Context, c *cobra.Command, version, out string, atLeast float64, trials []trial.Trial,
) error {
	err := option.Only(c.Flags(), "count", "seed", "reach", "code", "locate", "version", "out", "at-least")
	if err != nil {
		return err
	}
	if d.count < 0 {
		return option.Invalid("count", d.count, "it must be a number of mutants")
	}
	root, err := session.Root()
	if err != nil {
		return err
	}
	m, err := d.measure(ctx, c, root, cmp.Or(version, kubelets.VirtualVersions()[0]), trials)
	if err != nil {
		return err
	}
	out = session.Inside(root, out)
	dir, id, err := run.NewFolder(out, "drawn-", time.Now())
	if err != nil {
		return err
	}
	if err := run.Link(out, "latest-drawn", dir); err != nil {
		return err
	}
	log := c.ErrOrStderr()
	o := drawn.Options{
		Root: root, Trials: trials, Reach: m, Count: d.count, Locate: d.locate, Log: log,
		Judged: func(done, all int, m drawn.Mutant) {
			_, _ = fmt.Fprintf(log, "%4d of %d  %-9s %v\n", done, all, m.Status, m)
		},
	}
	for _, seed := range d.seeds {
		o.Seeds = append(o.Seeds, uint64(seed))
	}
	report, err := drawn.Test(ctx, o)
	report.ID = id
	if err := errors.Join(err, writeDrawn(dir, report), markdown.Drawn(c.OutOrStdout(), report)); err != nil {
		return err
	}
	n := drawn.Count(report.Mutants)
	if c.Flags().Changed("at-least") && 100*float64(n.Killed) < atLeast*float64(n.Valid()) {
		return shell.Ended(nil, run.ExitDeviates)
	}
	return nil
}

// measure returns the map to draw from.
func (d *drawnMutants) measure(
	ctx context.Context, c *cobra.Command, root, version string, trials []trial.Trial,
) (reach.Map, error) {
	code, err := regexp.Compile(d.code)
	if err != nil {
		return reach.Map{}, option.Invalid("code", d.code, "%w", err)
	}
	parts := reach.Matching(reach.Lifecycle(), code)
	if len(parts) == 0 {
		return reach.Map{}, option.Invalid("code", d.code, "no package that podclock reach lists matches")
	}
	if d.reach != "" {
		m, err := reach.Load(d.reach)
		return m.Of(parts), err
	}
	return reach.Measure(ctx, reach.Options{
		Root: root, Version: version, Trials: trials, Parts: parts, Seed: 1, Log: c.ErrOrStderr(),
	})
}

func writeDrawn(dir string, r drawn.Report) error {
	return errors.Join(
		folder.WriteFile(filepath.Join(dir, drawn.File),
			func(w io.Writer) error { return shell.Write(w, shell.JSON, r) }),
		folder.WriteFile(filepath.Join(dir, "drawn.md"), func(w io.Writer) error { return markdown.Drawn(w, r) }),
	)
}
