package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/podclock/podclock/harness/host/option"
	runs "github.com/podclock/podclock/harness/measure/run"
	"github.com/podclock/podclock/harness/session"
	"github.com/podclock/podclock/harness/session/rounds"
	"github.com/podclock/podclock/reports/cli/shell"
	"github.com/podclock/podclock/reports/render/folder"
	"github.com/podclock/podclock/reports/render/markdown"
	"github.com/podclock/podclock/reports/view/repetition"
)

type repeatOptions struct {
	App
	config         session.Config
	rounds, copies int
	of             []string
	to             string
	below          float64 // in percent
	judge          bool
}

func (a App) repeat() *cobra.Command {
	o := repeatOptions{App: a}
	command := &cobra.Command{
		Use:   "repeat",
		Short: "run the same trials in many rounds, and print how their values scatter in their windows",
		Args:  shell.Arguments(0, 0),
		Long: "Run the selected trials in many rounds in one cluster. Print how their values scatter, and the " +
			"unusual verdicts. With --of, read saved runs instead.",
		Example: `  podclock repeat --rounds=25 --copies=2
  podclock repeat --of=out --of=elsewhere/20260302-095800 --to=repeats`,
		RunE: func(c *cobra.Command, _ []string) error {
			if !(o.below >= 0 && o.below <= 100) { // false for NaN
				return option.Invalid("inconclusive-below", o.below, "it must be a share in percent, from 0 to 100")
			}
			if len(o.of) > 0 {
				if err := option.Only(c.Flags(), "of", "to", "judge", "inconclusive-below"); err != nil {
					return err
				}
				return o.ofSaved(c.OutOrStdout(), c.ErrOrStderr())
			}
			if o.to != "" || o.judge {
				return errors.New("--to and --judge need --of: rounds are saved below --out and judged when they end")
			}
			return option.AsGiven(c.Flags(), o.play(c))
		},
	}
	a.sessionFlags(command, &o.config)
	a.selectionFlags(command, &o.config)
	set := command.Flags()
	set.IntVarP(&o.rounds, "rounds", "n", 50, "the number of rounds")
	set.IntVar(&o.copies, "copies", 1, "the number of workers of each subject")
	set.StringArrayVar(&o.of, "of", nil, "read saved runs: a run's folder, or a folder of runs; may be given more "+
		"than once")
	set.StringVar(&o.to, "to", "", "save the report of --of, with the distribution of every claim, in this folder")
	set.BoolVar(&o.judge, "judge", false, "judge the runs of --of again with the present formulas and judge")
	set.Float64Var(&o.below, "inconclusive-below", 100*repetition.MostInconclusive,
		"the share of inconclusive verdicts to stay below, in percent")
	option.Variable(set, "rounds", "N")
	option.Variable(set, "copies", "COPIES")
	shell.Complete(command, "of", completeRuns)
	return command
}

func (o *repeatOptions) selection(c *cobra.Command) (rounds.Series, error) {
	if o.rounds < 1 {
		return rounds.Series{}, option.Invalid("rounds", o.rounds, "it must be at least 1")
	}
	if o.copies < 1 {
		return rounds.Series{}, option.Invalid("copies", o.copies, "it must be at least 1")
	}
	config, err := o.config.Resolve()
	if err == nil && o.copies > 1 {
		config, err = config.WithCopies(o.copies)
	}
	if err != nil {
		return rounds.Series{}, err
	}
	selected, choice, err := config.Select(o.Catalogue())
	choice.Tell(c.ErrOrStderr())
	return rounds.Series{Config: config, Selected: selected}, err
}

func (o *repeatOptions) play(c *cobra.Command) error {
	selection, err := o.selection(c)
	if err == nil {
		err = selection.Config.Check(c.Context())
	}
	if err != nil {
		return err
	}
	dir, _, err := runs.NewFolder(selection.Config.Out, repetition.RoundsPrefix, time.Now())
	if err != nil {
		return err
	}
	selection.Config.Out = dir
	r := repeatPlay{
		dir: dir, log: c.ErrOrStderr(), report: repetition.NewRounds(o.rounds, o.below/100), asked: o.rounds,
		rounds: rounds.New(selection, programOf(c, false, folder.Write)),
	}
	ctx, stop := shell.Interruptible(c)
	defer stop()
	err = r.play(ctx)
	report := r.report.Rounds()
	_, printing := fmt.Fprintf(c.OutOrStdout(), "%s.\nExit code %d: %s\nThe report is %s.\n",
		report.Title(), report.ExitCode, report.ExitReason(), filepath.Join(dir, repetition.RoundsFile))
	return shell.Ended(errors.Join(err, printing), report.ExitCode)
}

type repeatPlay struct {
	dir    string
	log    io.Writer
	asked  int
	report *repetition.RoundsBuilder
	rounds *rounds.Rounds
}

// play writes the report after every round, so an interrupted series keeps its rounds. It deletes the cluster
// at the end.
func (r *repeatPlay) play(ctx context.Context) error {
	ended, err := r.rounds.Repeat(ctx, r.asked, func(played rounds.Round) (failed string, err error) {
		var round repetition.Round
		if played.Run.ID == "" {
			round = r.report.AddFailed(played.Started.UTC().Format(time.RFC3339), played.Started, played.Err)
		} else {
			round = r.report.Add(played.Run)
		}
		_, _ = fmt.Fprintf(r.log, "round %d of %d, %s\n", played.Number, r.asked, round)
		if played.Err != nil && round.Failed == "" {
			_, _ = fmt.Fprintf(r.log, "round %d: %v\n", played.Number, played.Err)
		}
		_, _ = fmt.Fprintf(r.log, "so far: %s\n", r.report.Rounds().Title())
		return round.Failed, r.write()
	})
	if ended != "" {
		r.report.End(ended)
	}
	if err == nil {
		err = r.write()
	}
	return errors.Join(err, r.rounds.End(ctx))
}

func (r *repeatPlay) write() error { return folder.WriteRounds(r.dir, r.report.Rounds()) }

func (o *repeatOptions) ofSaved(out, log io.Writer) error {
	report, err := o.readSaved(log)
	if err != nil {
		return err
	}
	if o.to == "" {
		return shell.Ended(markdown.Report(out, report.Report()), report.ExitCode)
	}
	if err := os.MkdirAll(o.to, 0o755); err != nil {
		return fmt.Errorf("create the folder of the report (name another one with --to): %w", err)
	}
	if err := folder.WriteRounds(o.to, report); err != nil {
		return err
	}
	_, err = fmt.Fprintf(out, "%s.\nExit code %d: %s\n", report.Title(), report.ExitCode, report.ExitReason())
	return shell.Ended(err, report.ExitCode)
}

// readSaved keeps of each run only what the report needs.
func (o *repeatOptions) readSaved(log io.Writer) (repetition.Rounds, error) {
	report := repetition.NewRounds(0, o.below/100)
	err := eachSaved(o.of, log, func(r runs.Run) {
		if o.judge {
			r, _ = o.rejudge(r)
		}
		report.Ask(1)
		report.Add(r)
	})
	return report.Rounds(), err
}

// eachSaved loads saved runs one after another. A run that is named twice counts once.
func eachSaved(paths []string, log io.Writer, take func(runs.Run)) error {
	folders, err := runs.Folders(paths...)
	if err != nil {
		return err
	}
	type started struct {
		id string
		at int64
	}
	known := map[started]bool{}
	for _, path := range folders {
		loaded, err := runs.Load(path)
		if err != nil {
			return err
		}
		// IDs have whole seconds, so runs of different folders may share one.
		key := started{loaded.ID, loaded.Started.UnixNano()}
		if known[key] {
			_, _ = fmt.Fprintf(log, "%s is run %s, which counts once\n", path, loaded.ID)
			continue
		}
		known[key] = true
		take(loaded)
	}
	return nil
}
