package cli

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	runs "github.com/podclock/podclock/harness/run"
	"github.com/podclock/podclock/harness/trial"
	"github.com/podclock/podclock/reports/render"
)

type app struct{ catalogue func() []trial.Trial }

func (a app) rejudge(r runs.Run) (runs.Run, []runs.Change) {
	return runs.Rejudge(r, render.Finder(a.catalogue()))
}

// load reads a saved run, and judges it again if asked to.
func (a app) load(path string, judge bool) (runs.Run, error) {
	run, err := runs.Load(path)
	if err == nil && judge {
		run, _ = a.rejudge(run)
	}
	return run, err
}

const judgeUsage = "judge the runs again first with the present formulas and judge"

// interruptible returns a context that the first interrupt ends. A second one ends the program.
func interruptible(c *cobra.Command) (ctx context.Context, stop context.CancelFunc) {
	ctx, stop = signal.NotifyContext(c.Context(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop)
	return ctx, stop
}

func arguments(least, most int) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		switch {
		case len(args) < least:
			return fmt.Errorf("an argument is missing: call it as %s", c.UseLine())
		case len(args) > most:
			return fmt.Errorf("unexpected argument %q: call it as %s", args[most], c.UseLine())
		}
		return nil
	}
}
