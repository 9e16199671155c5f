package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"slices"
	"time"

	"github.com/spf13/cobra"

	runs "github.com/podclock/podclock/harness/run"
	"github.com/podclock/podclock/harness/session"
	"github.com/podclock/podclock/harness/stage"
	"github.com/podclock/podclock/reports/cli/shell"
	"github.com/podclock/podclock/reports/folder"
	"github.com/podclock/podclock/reports/markdown"
	"github.com/podclock/podclock/reports/repetition"
)

// fleetPlay plays the trials on the nodes of a cluster in waves. Each wave is a run of its own in the fleet's folder.
type fleetPlay struct {
	dir    string
	log    io.Writer
	report *repetition.FleetBuilder
	waves  []session.Config
	play   func(ctx context.Context, wave session.Config) (r runs.Run, interrupted, err error)
}

// wavesOf returns a configuration for each wave of at most so many nodes.
func wavesOf(config session.Config, atOnce int) (waves []session.Config) {
	for nodes := range slices.Chunk(config.Existing.Nodes, atOnce) {
		waves = append(waves, config.On(nodes))
	}
	return waves
}

func playFleet(
	ctx context.Context, c *cobra.Command, config session.Config, selected []stage.Selection, program session.Program,
	atOnce int,
) error {
	dir, err := repetition.FleetFolder(config.Out, time.Now())
	if err != nil {
		return err
	}
	config.Out = dir
	f := fleetPlay{
		dir: dir, log: c.ErrOrStderr(), report: repetition.NewFleet(len(config.Existing.Nodes)),
		waves: wavesOf(config, atOnce),
	}
	f.play = func(ctx context.Context, wave session.Config) (runs.Run, error, error) {
		here := slices.DeleteFunc(slices.Clone(selected), func(s stage.Selection) bool {
			return !slices.Contains(wave.SubjectNames(), s.Subject)
		})
		s, err := session.New(wave, here, program)
		if err != nil {
			return runs.Run{}, nil, err
		}
		return s.Play(ctx, session.SettingUp, nil)
	}
	err = f.playAll(ctx)
	report := f.report.Fleet()
	err = errors.Join(err, markdown.Series(c.OutOrStdout(), report.Report()))
	_, printing := fmt.Fprintln(c.OutOrStdout(), "The report is", filepath.Join(dir, repetition.FleetFile))
	return shell.Ended(errors.Join(err, printing), report.ExitCode)
}

// playAll plays one wave after another, and writes the report after each. An interrupt ends the wave, whose results
// count. A wave that can't begin does not keep the others from theirs.
func (f *fleetPlay) playAll(ctx context.Context) error {
	began := time.Now()
	for i, wave := range f.waves {
		if ctx.Err() != nil {
			why := context.Cause(ctx)
			f.report.AddProblem(fmt.Sprintf("interrupted after %d of %d waves: %v", i, len(f.waves), why))
			break
		}
		_, _ = fmt.Fprintf(f.log, "wave %d of %d: %s%s\n", i+1, len(f.waves),
			runs.Plural(len(wave.SubjectNames()), "node"), f.end(began, i))
		r, _, err := f.play(ctx, wave) // an interruption is a problem of the run
		if r.ID != "" {
			f.report.Add(r)
		}
		if err != nil {
			f.report.AddProblem(fmt.Sprintf("wave %d of %d: %v", i+1, len(f.waves), err))
		}
		so := f.report.Fleet()
		_, _ = fmt.Fprintf(f.log, "so far: %s\n", so.Title())
		if err := folder.WriteFleet(f.dir, so); err != nil {
			return err
		}
	}
	return folder.WriteFleet(f.dir, f.report.Fleet())
}

// end says when the last wave ends, judged by those that have ended.
func (f *fleetPlay) end(began time.Time, ended int) string {
	if ended == 0 {
		return ""
	}
	each := time.Since(began) / time.Duration(ended)
	ends := began.Add(each * time.Duration(len(f.waves)))
	return ", the last one ends about " + ends.Format(time.TimeOnly)
}

func (a app) fleet() *cobra.Command {
	return &cobra.Command{
		Use:   "fleet FOLDER...",
		Short: "print what saved runs of a cluster's nodes say together, by group",
		Long: "Print what saved runs say of a cluster's nodes: how many of each group deviate, which ones, and which " +
			"ones are unlike the others. A folder is a run, or has runs, as that of a fleet does.",
		Example: "  podclock fleet out/fleet-20261125-060000\n  podclock fleet first-driver/out second-driver/out",
		Args:    arguments(1, math.MaxInt),
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
			return shell.Ended(markdown.Series(c.OutOrStdout(), f.Report()), f.ExitCode)
		},
		ValidArgsFunction: completeRuns,
	}
}
