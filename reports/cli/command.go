package cli

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

	runs "github.com/podclock/podclock/harness/measure/run"
	"github.com/podclock/podclock/harness/measure/trial"
	"github.com/podclock/podclock/harness/session"
	"github.com/podclock/podclock/reports/render"
)

// App is the program: its trials, how a run of them is played, the kind configuration that clusters are based on, and
// the record of mutants (mutationtest.Report as JSON) that --within chooses by.
type App struct {
	Catalogue  func() []trial.Trial
	Suite      session.Suite
	KindConfig []byte
	Record     []byte
}

func (a App) rejudge(r runs.Run) (runs.Run, []runs.Change) {
	return runs.Rejudge(r, render.Finder(a.Catalogue()))
}

// load reads a saved run, and judges it again if asked to.
func (a App) load(path string, judge bool) (runs.Run, error) {
	run, err := runs.Load(path)
	if err == nil && judge {
		run, _ = a.rejudge(run)
	}
	return run, err
}

const judgeUsage = "judge the runs again first with the present formulas and judge"

// sameInterrupt is how soon a second signal is taken for the first one: make, timeout and a terminal pass one on, too.
const sameInterrupt = time.Second

// interruptible returns a context that the first interrupt ends. A second one ends the program at once, and says what
// that leaves.
func interruptible(c *cobra.Command) (ctx context.Context, stop context.CancelFunc) {
	ctx, stop, _ = interrupts(c)
	return ctx, stop
}

// interrupts is interruptible beside a library that handles interrupts as well: take removes its handlers.
func interrupts(c *cobra.Command) (ctx context.Context, stop, take func()) {
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
			if time.Since(at) < sameInterrupt {
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
