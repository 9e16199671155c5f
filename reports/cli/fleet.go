package cli

import (
	"context"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	runs "github.com/podclock/podclock/harness/measure/run"
	"github.com/podclock/podclock/harness/node/external"
	"github.com/podclock/podclock/harness/session"
	"github.com/podclock/podclock/reports/cli/internal/delivery"
	"github.com/podclock/podclock/reports/cli/shell"
	"github.com/podclock/podclock/reports/render/folder"
	"github.com/podclock/podclock/reports/render/markdown"
	"github.com/podclock/podclock/reports/view/repetition"
)

// ending is what a run or a fleet left.
type ending struct {
	dir string
	// complete means that every trial was judged, so that a further run would play nothing.
	complete, measured bool
	code               int
}

// fleetPlay plays the trials on the nodes of a cluster in waves. Each wave is a run of its own in the fleet's folder.
type fleetPlay struct {
	ending
	log    io.Writer
	report *repetition.FleetBuilder
	waves  []session.Config
	play   func(ctx context.Context, wave session.Config) (r runs.Run, interrupted, err error)
}

// newestFleet returns the folder of the newest fleet, or "".
func newestFleet(out string) string {
	entries, _ := os.ReadDir(out)
	for _, e := range slices.Backward(entries) {
		if e.IsDir() && strings.HasPrefix(e.Name(), repetition.FleetPrefix) {
			return filepath.Join(out, e.Name())
		}
	}
	return ""
}

// plan makes a wave of each run in the fleet's folder, for its nodes, then waves of the other nodes.
func (f *fleetPlay) plan(config session.Config, atOnce int) error {
	config.Out, config.Continue = f.dir, false
	entries, err := os.ReadDir(f.dir)
	if err != nil {
		return err
	}
	left := slices.Clone(config.External.Nodes)
	f.report = repetition.NewFleet(len(left))
	for _, e := range entries {
		if !e.IsDir() {
			continue
		}
		config.Folder = filepath.Join(f.dir, e.Name())
		r, err := runs.Unfinished(config.Folder)
		if err != nil {
			return err
		}
		if r.ID == "" {
			continue
		}
		var nodes []external.Node
		left = slices.DeleteFunc(left, func(n external.Node) bool {
			has := slices.ContainsFunc(r.Subjects, func(s runs.Subject) bool { return s.Name == n.Name })
			if has {
				nodes = append(nodes, n)
			}
			return has
		})
		f.report.Ask(len(r.Subjects) - len(nodes)) // these left the cluster
		f.waves = append(f.waves, config.On(nodes))
	}
	config.Folder = ""
	for nodes := range slices.Chunk(left, atOnce) {
		f.waves = append(f.waves, config.On(nodes))
	}
	return nil
}

// playAll plays one wave after another, and writes the report after each. An interrupt ends the wave, whose results
// count. If a wave can't begin, the next one does. Waves that continue come first. The report has their results also if
// an interrupt keeps them from going on.
func (f *fleetPlay) playAll(ctx context.Context) error {
	f.complete = true
	began, before := time.Now(), 0
	for i, wave := range f.waves {
		if wave.Folder != "" {
			before = i + 1
		} else if ctx.Err() != nil {
			why := context.Cause(ctx)
			f.report.AddProblem(fmt.Sprintf("interrupted after %d of %d waves: %v", i, len(f.waves), why))
			f.complete = false
			break
		}
		if i == before {
			began = time.Now()
		}
		_, _ = fmt.Fprintf(f.log, "wave %d of %d: %s%s\n", i+1, len(f.waves),
			runs.Plural(len(wave.SubjectNames()), "node"), ends(began, i-before, len(f.waves)-i))
		r, _, err := f.play(ctx, wave) // an interruption is a problem of the run
		if r.ID != "" {
			f.report.Add(r)
		}
		if err != nil {
			f.report.AddProblem(fmt.Sprintf("wave %d of %d: %v", i+1, len(f.waves), err))
		}
		f.complete = f.complete && err == nil && delivery.Complete(r)
		f.measured = f.measured || r.Ran()
		so := f.report.Fleet()
		_, _ = fmt.Fprintf(f.log, "so far: %s\n", so.Title())
		if err := folder.WriteFleet(f.dir, so); err != nil {
			return err
		}
	}
	return folder.WriteFleet(f.dir, f.report.Fleet())
}

// ends returns, in words, when the last wave ends, judged by those that have ended.
func ends(began time.Time, ended, left int) string {
	if ended < 1 {
		return ""
	}
	last := time.Now().Add(time.Since(began) / time.Duration(ended) * time.Duration(left))
	return ", the last one ends about " + last.Format(time.TimeOnly)
}

func (a App) fleet() *cobra.Command {
	return &cobra.Command{
		Use:   "fleet FOLDER...",
		Short: "print what saved runs of a cluster's nodes say together, by group",
		Long: "Print what saved runs say of a cluster's nodes: how many of each group deviate, which ones, and which " +
			"ones are unlike the others. A folder is a run, or has runs, as that of a fleet does.",
		Example: "  podclock fleet out/fleet-20261125-060000\n  podclock fleet first-driver/out second-driver/out",
		Args:    shell.Arguments(1, math.MaxInt),
		RunE: func(c *cobra.Command, args []string) error {
			report := repetition.NewFleet(0)
			err := eachSaved(args, c.ErrOrStderr(), func(r runs.Run) {
				report.Ask(len(r.Subjects))
				report.Add(r)
			})
			if err != nil {
				return err
			}
			f := report.Fleet()
			return shell.Ended(markdown.Report(c.OutOrStdout(), f.Report()), f.ExitCode)
		},
		ValidArgsFunction: completeRuns,
	}
}
