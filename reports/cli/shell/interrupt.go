package shell

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"

	"github.com/spf13/cobra"
)

// SameInterrupt is how soon a second signal is taken for the first one: make, timeout and a terminal pass one on, too.
const SameInterrupt = time.Second

// Interruptible returns a context that the first interrupt ends. A second one ends the program at once, and says what
// that leaves.
func Interruptible(c *cobra.Command) (ctx context.Context, stop context.CancelFunc) {
	ctx, stop, _ = Interrupts(c)
	return ctx, stop
}

// Interrupts is Interruptible beside a library that handles interrupts as well: take removes its handlers.
func Interrupts(c *cobra.Command) (ctx context.Context, stop, take func()) {
	ctx, cancel := context.WithCancelCause(c.Context())
	signals := make(chan os.Signal, 1)
	ends := []os.Signal{os.Interrupt, syscall.SIGTERM}
	signal.Notify(signals, ends...)
	go func() {
		first, more := <-signals
		if !more {
			return
		}
		cancel(fmt.Errorf("%v signal received", first))
		at := time.Now()
		for s := range signals {
			if time.Since(at) < SameInterrupt {
				continue
			}
			_, _ = fmt.Fprintln(c.ErrOrStderr(), "podclock: interrupted again:", left(c))
			os.Exit(128 + int(s.(syscall.Signal)))
		}
	}()
	take = func() {
		signal.Reset(ends...)
		signal.Notify(signals, ends...)
	}
	return ctx, sync.OnceFunc(func() {
		cancel(nil)
		signal.Stop(signals)
		close(signals)
	}), take
}

// left says what a command leaves that has no time to clean up.
func left(c *cobra.Command) string {
	f := c.Flag("cluster")
	if f == nil {
		return "nothing that it made is cleaned up"
	}
	name := cmp.Or(f.Value.String(), "podclock")
	const format = "if podclock made cluster %s, it stays until the next run, or podclock down --cluster=%[1]s"
	return fmt.Sprintf(format, name)
}

// Arguments refuses other numbers of arguments.
func Arguments(least, most int) cobra.PositionalArgs {
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
