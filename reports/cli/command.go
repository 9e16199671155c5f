package cli

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/podclock/podclock/harness/trial"
	"github.com/spf13/cobra"
)

// app is the program with its catalogue.
type app struct{ catalogue func() []trial.Trial }

// interruptible returns the context of a command that saves its results and cleans up after an interrupt. A second
// interrupt ends it at once.
func interruptible(c *cobra.Command) (ctx context.Context, stop context.CancelFunc) {
	ctx, stop = signal.NotifyContext(c.Context(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop)
	return ctx, stop
}

// arguments bounds the number of arguments of a command. The error shows how to call it.
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
