// Package podclock is the podclock program: one command a file. A command reads its flags, calls the
// packages that know how, and writes what they say; it knows no rule of a kubelet, and judges nothing.
package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/jedib0t/go-pretty/v6/text"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"k8s.io/klog/v2"

	runs "github.com/podclock/podclock/harness/run"
	"github.com/podclock/podclock/harness/session/option"
)

// Main runs the program as its user called it, and returns its exit code.
func Main() int {
	// What client-go logs of an API server that went away, the reports say in their own words.
	klog.LogToStderr(false)
	klog.SetOutput(io.Discard)
	return Execute(context.Background(), os.Args[1:], os.Stdin, os.Stdout, os.Stderr)
}

// interruptible is the context of a command that, when it is interrupted, keeps what it has and cleans up.
// A second interrupt ends it at once, as the first does every command that only reads.
func interruptible(c *cobra.Command) (ctx context.Context, stop context.CancelFunc) {
	ctx, stop = signal.NotifyContext(c.Context(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop)
	return ctx, stop
}

// Execute runs the program with these arguments and returns its exit code, one of [reports.ExitConforms]
// and the others. Results go to out; what is being done, and what went wrong, to log.
func Execute(ctx context.Context, args []string, in io.Reader, out, log io.Writer) int {
	root := program()
	root.SetArgs(args)
	root.SetIn(in)
	root.SetOut(out)
	root.SetErr(log)
	err := root.ExecuteContext(ctx)
	var code exitCode
	switch {
	case err == nil:
		return runs.ExitConforms
	case errors.As(err, &code):
		return int(code)
	}
	_, _ = fmt.Fprintln(log, "podclock:", err)
	return runs.ExitUnjudged
}

// The groups of commands in the program's help.
const (
	measuring  = "measuring"
	predicting = "predicting"
	reading    = "reading"
	knowing    = "knowing"
	keeping    = "keeping"
)

// program is the root of all commands.
func program() *cobra.Command {
	root := &cobra.Command{
		Use:   "podclock",
		Short: "measure how a Kubernetes node kills and restarts pods, and predict it",
		Long: "podclock measures how a Kubernetes node kills and restarts pods, to the millisecond, and judges what it measured against the documented formulas and " +
			"against what the kubelet's own source computes. The same formulas predict what happens to a pod, from its manifest alone.",
		Example: `  podclock predict -f pod.yaml                  how long until this pod is killed, and why
  podclock run --lane=virtual                   every trial on the kubelets' own code, under virtual time
  podclock run --subjects=v1.36.3,v1.34.4       the quick trials on real nodes, in a cluster that is booted and deleted
  podclock report out/latest --format=html      the last run as a page`,
		SilenceUsage:      true,
		SilenceErrors:     true,
		PersistentPreRunE: func(c *cobra.Command, _ []string) error { return option.ReadEnvironment(c.Flags(), os.LookupEnv) },
	}
	root.AddGroup(&cobra.Group{ID: predicting, Title: "Predict:"}, &cobra.Group{ID: measuring, Title: "Measure:"},
		&cobra.Group{ID: reading, Title: "Read what was measured:"}, &cobra.Group{ID: knowing, Title: "Look up:"},
		&cobra.Group{ID: keeping, Title: "Keep house:"})
	for group, commands := range map[string][]*cobra.Command{
		predicting: {predictions()},
		measuring:  {run(), repeat(), disturb(), sensitivity()},
		reading:    {report(), compare(), history(), judge(), divergences(), trackRecord()},
		knowing:    {catalogue(), subjects(), version()},
		keeping:    {build(), down()},
	} {
		for _, c := range commands {
			c.GroupID = group
			if c.ValidArgsFunction == nil {
				c.ValidArgsFunction = cobra.NoFileCompletions // it takes no arguments
			}
			root.AddCommand(c)
		}
	}
	root.AddCommand(exitCodes())
	root.SetHelpCommandGroupID(keeping)
	root.SetCompletionCommandGroupID(keeping)
	root.SetFlagErrorFunc(func(c *cobra.Command, err error) error {
		if unknown := (*pflag.NotExistError)(nil); errors.As(err, &unknown) {
			return fmt.Errorf("%w; %s --help tells which there are", err, c.CommandPath())
		}
		return err
	})
	wrapHelp(root)
	return root
}

// arguments are those that a command takes, at least and at most. The error says how it is called.
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

// helpColumns is how wide help is written.
const helpColumns = 110

// wrapHelp breaks the lines of all help, which are written here as they come.
func wrapHelp(root *cobra.Command) {
	root.SetUsageTemplate(
		strings.ReplaceAll(root.UsageTemplate(), ".FlagUsages ", fmt.Sprintf(".FlagUsagesWrapped %d ", helpColumns)),
	)
	for _, c := range append(root.Commands(), root) {
		var lines []string
		for line := range strings.SplitSeq(c.Long, "\n") {
			if len(line) > helpColumns {
				line = text.WrapSoft(line, helpColumns)
			}
			lines = append(lines, line)
		}
		c.Long = strings.Join(lines, "\n")
	}
}
