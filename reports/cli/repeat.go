package cli

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	runs "github.com/podclock/podclock/harness/run"
	series "github.com/podclock/podclock/harness/session/repeat"
	"github.com/podclock/podclock/reports/folder"
	"github.com/podclock/podclock/reports/markdown"
	"github.com/podclock/podclock/reports/render"
	repeatss "github.com/podclock/podclock/reports/repeats"
)

// repeatOptions are the command's flags.
type repeatOptions struct {
	of    []string
	to    string
	below float64 // in percent
	judge bool
}

// repeat runs a selection again and again, or reads runs that there are, and tells how what was measured scatters.
func repeat() *cobra.Command {
	var o repeatOptions
	command := &cobra.Command{
		Use:   "repeat",
		Short: "run the trials again and again, and tell how what they measure lies inside its windows",
		Args:  arguments(0, 0),
		Long: "Run the selected trials again and again, and tell how what they measure lies inside its windows, and which verdicts were not the usual ones. One cluster stands " +
			"from the first round to the last. With --of, tell that of runs that there are.",
		Example: `  podclock repeat --rounds=25 --copies=2
  podclock repeat --of=out --of=elsewhere/20260302-095800 --to=repeats`,
		RunE: func(c *cobra.Command, _ []string) error {
			if !(o.below >= 0 && o.below <= 100) { // no number is not, either
				return fmt.Errorf("--inconclusive-below=%v: it is a share in percent, from 0 to 100", o.below)
			}
			if len(o.of) > 0 {
				if err := only(c.Flags(), "of", "to", "judge", "inconclusive-below"); err != nil {
					return err
				}
				return o.ofSaved(c.OutOrStdout(), c.ErrOrStderr())
			}
			if o.to != "" || o.judge {
				return errors.New(
					"--to and --judge are for runs that are named by --of; rounds are saved below --out, and judged as they end",
				)
			}
			return o.ofRounds(c)
		},
	}
	sessionFlags(command)
	selectionFlags(command)
	flags := command.Flags()
	flags.IntP("rounds", "n", 50, "how many rounds there are")
	variable(flags, "rounds", "N")
	flags.Int("copies", 1, "how many workers each subject has: so many repeats a round gives")
	variable(flags, "copies", "COPIES")
	flags.StringArrayVar(&o.of, "of", nil,
		"tell it of saved runs: a run's folder, or a folder of runs; may be given more than once")
	complete(command, "of", completeRuns)
	flags.StringVar(
		&o.to,
		"to",
		"",
		"save the report of --of in this folder, with every claim's distribution, instead of writing it to standard output",
	)
	flags.BoolVar(&o.judge, "judge", false, "judge the runs of --of again, with the formulas and the judge of now")
	flags.Float64Var(&o.below, "inconclusive-below", 100*repeatss.InconclusiveBelow,
		"the share of inconclusive verdicts to stay below, in percent")
	return command
}

// ofRounds plays the rounds and tells of them.
func (o repeatOptions) ofRounds(c *cobra.Command) error {
	config, err := series.ParseConfig(variables(c.Flags()))
	if err != nil {
		return asAsked(c.Flags(), err)
	}
	rounds, err := series.New(config, o.below/100, c.ErrOrStderr())
	if err != nil {
		return err
	}
	ctx, stop := interruptible(c)
	defer stop()
	report, err := rounds.Run(ctx)
	_, telling := fmt.Fprintf(c.OutOrStdout(), "%s.\nExit code %d: %s\nThe report is %s.\n",
		report.Title(), report.ExitCode, report.ExitReason(), filepath.Join(rounds.Dir(), repeatss.RepeatFile))
	return ended(errors.Join(err, telling), report.ExitCode)
}

// ofSaved tells of saved runs.
func (o repeatOptions) ofSaved(out, log io.Writer) error {
	report, err := o.readSaved(log)
	if err != nil {
		return err
	}
	if o.to == "" {
		return ended(markdown.Repeat(out, report), report.ExitCode)
	}
	if err := os.MkdirAll(o.to, 0o755); err != nil {
		return fmt.Errorf("creating the folder of the report, %s (name another one with --to): %w", o.to, err)
	}
	if err := folder.WriteRepeat(o.to, report); err != nil {
		return err
	}
	_, err = fmt.Fprintf(out, "%s.\nExit code %d: %s\n", report.Title(), report.ExitCode, report.ExitReason())
	return ended(err, report.ExitCode)
}

// readSaved reads saved runs one after another: only what the report needs of each stays. Each that is
// named was asked for; one that is named twice, as by its own folder and the one above, counts once.
func (o repeatOptions) readSaved(log io.Writer) (repeatss.Repeat, error) {
	folders, err := runs.RunFolders(o.of...)
	if err != nil {
		return repeatss.Repeat{}, err
	}
	type began struct {
		id string
		at int64
	}
	repeats, find, known := repeatss.NewRepeats(0, o.below/100), render.Finder(), map[began]bool{}
	for _, folder := range folders {
		run, err := runs.Load(folder)
		if err != nil {
			return repeatss.Repeat{}, err
		}
		// Folders of runs elsewhere may have begun one in the same second, which is what an ID tells.
		key := began{run.ID, run.Started.UnixNano()}
		if known[key] {
			_, _ = fmt.Fprintf(log, "%s is run %s, which counts once\n", folder, run.ID)
			continue
		}
		known[key] = true
		if o.judge {
			run, _ = runs.Rejudge(run, find)
		}
		repeats.Ask(1)
		repeats.Add(run)
	}
	return repeats.Report(), nil
}
