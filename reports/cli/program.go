// Package cli is the podclock program, with one command in each file. Commands read flags, call other packages and
// write their results. They know no rules of a kubelet, and judge nothing. Those that predict are a package of their
// own.
package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/jedib0t/go-pretty/v6/text"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"k8s.io/klog/v2"

	"github.com/podclock/podclock/harness/host/option"
	"github.com/podclock/podclock/harness/host/program"
	"github.com/podclock/podclock/harness/measure/trial"
	"github.com/podclock/podclock/images"
	"github.com/podclock/podclock/reports/cli/consent"
	"github.com/podclock/podclock/reports/cli/diff"
	"github.com/podclock/podclock/reports/cli/drift"
	"github.com/podclock/podclock/reports/cli/e2e"
	"github.com/podclock/podclock/reports/cli/export"
	"github.com/podclock/podclock/reports/cli/fuzz"
	"github.com/podclock/podclock/reports/cli/incluster"
	"github.com/podclock/podclock/reports/cli/internal/delivery"
	"github.com/podclock/podclock/reports/cli/observing"
	"github.com/podclock/podclock/reports/cli/openshift"
	"github.com/podclock/podclock/reports/cli/prediction"
	"github.com/podclock/podclock/reports/cli/reach"
	"github.com/podclock/podclock/reports/cli/shell"
	"github.com/podclock/podclock/reports/cli/try"
	"github.com/podclock/podclock/reports/cli/verify"
	"github.com/podclock/podclock/reports/cli/version"
)

// Main runs the program with the user's arguments and returns the exit code.
func (a App) Main() int {
	args := os.Args[1:]
	switch name := filepath.Base(os.Args[0]); {
	case name == filepath.Base(images.TarLink):
		return shell.ExitCode(delivery.Tar(os.Stdout, args), os.Stderr)
	case name == filepath.Base(images.ShellLink):
		return shell.ExitCode(e2e.Shell(os.Stdout, args), os.Stderr)
	case name == filepath.Base(images.E2ELink):
		args = images.AsE2E
	case openshift.Named(name):
		args = append([]string{openshift.Use}, args...)
	}
	return a.Execute(context.Background(), args, os.Stdin, os.Stdout, os.Stderr)
}

// Execute writes results to out, progress and errors to log, and returns the exit code.
func (a App) Execute(ctx context.Context, args []string, in io.Reader, out, log io.Writer) int {
	// Reports describe a lost API server, so client-go's log is not needed.
	klog.LogToStderr(false)
	klog.SetOutput(io.Discard)
	root := a.program()
	root.SetArgs(args)
	root.SetIn(in)
	root.SetOut(out)
	root.SetErr(log)
	return shell.ExitCode(root.ExecuteContext(ctx), log)
}

const (
	measuring  = "measuring"
	predicting = "predicting"
	reading    = "reading"
	lookup     = "lookup"
	maintain   = "maintain"
)

// Program returns the program with all its commands, as the release describes them.
func Program(catalogue func() []trial.Trial) *cobra.Command {
	return App{Catalogue: catalogue}.program()
}

func (a App) program() *cobra.Command {
	root := &cobra.Command{
		Use:   "podclock",
		Short: "measure how a Kubernetes node kills and restarts pods, and predict it",
		Long: "podclock measures how a Kubernetes node kills and restarts pods, to the millisecond. It judges this " +
			"by the documentation and by formulas of the kubelet's source, which also predict what happens to a pod.",
		Example: `  podclock predict -f pod.yaml                  how long until this pod is killed, and why
  podclock run --lane=virtual                   every trial on the kubelets' own code, under virtual time
  podclock run --subjects=v1.36.3,v1.34.4       the quick trials on real nodes, in a cluster that is booted and deleted
  podclock report out/latest --format=html      the last run as a page`,
		Annotations:  displayed(os.Args[0]),
		SilenceUsage: true, SilenceErrors: true,
		PersistentPreRunE: func(c *cobra.Command, _ []string) error {
			return option.ReadEnvironment(c.Flags(), os.LookupEnv)
		},
	}
	root.AddGroup(&cobra.Group{ID: predicting, Title: "Predict:"}, &cobra.Group{ID: measuring, Title: "Measure:"},
		&cobra.Group{ID: reading, Title: "Read results:"}, &cobra.Group{ID: lookup, Title: "Look up:"},
		&cobra.Group{ID: maintain, Title: "Maintain:"})
	for group, commands := range map[string][]*cobra.Command{
		predicting: {prediction.Predict(program.Read().Name())},
		measuring: {
			a.run(), try.Command(a.trying()), try.Changes(a.trying()), a.repeat(), a.disturb(), a.bench(), a.mutants(),
			sensitivity(a.mutants()),
			fuzz.Command(shell.CompleteList(subjectWords)), observing.Command(), a.openshift(),
		},
		reading: {
			a.report(), a.compare(), a.history(), a.fleet(), a.judge(), a.divergences(), a.trackRecord(),
			diff.Command(completeRuns, shell.CompleteList(subjectWords)), export.Command(a.Catalogue, completeRuns),
		},
		lookup: {
			a.list(), subjects(), prediction.Rules(), prediction.Presets(), consent.Rights(), conformanceCommands(),
			incluster.Command(a.run().Flags()), version.Command(),
		},
		maintain: {
			build(), drift.Command(), reach.Command(a.Catalogue), imagesCommand(), down(), consent.Clean(),
		},
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
	version.Flag(root)
	root.SetHelpCommandGroupID(maintain)
	root.SetCompletionCommandGroupID(maintain)
	root.SetFlagErrorFunc(func(c *cobra.Command, err error) error {
		if unknown := (*pflag.NotExistError)(nil); errors.As(err, &unknown) {
			return fmt.Errorf("%w; %s --help lists the flags", err, c.CommandPath())
		}
		return err
	})
	wrapHelp(root)
	shell.NameInExamples(root, root.Annotations[cobra.CommandDisplayNameAnnotation])
	return root
}

func conformanceCommands() *cobra.Command {
	c := verify.Command()
	c.AddCommand(e2e.Command(""))
	return c
}

func exitCodes() *cobra.Command {
	return &cobra.Command{
		Use: "exit-codes", Short: "what the program's exit codes mean",
		Long: `Every command ends with one of these codes:

  0  good: trials were judged and none deviates, no prediction has a finding of --fail-on, nothing
     got worse
  1  bad: a trial deviates (run, judge, repeat, fleet), a released kubelet deviates or a mutant
     conforms under a disturbance (disturb), a test failed (openshift), a mutant was not killed or the
     reference was (mutants), a claim or a prediction does not hold (fuzz), a finding (predict), a death that
     --fail-on names (observe), something got worse (compare), a report may not be published
     (conformance verify), a namespace waits for something (clean), a function of a formula is gone (drift)
  2  unknown: bad input, a set-up that failed, an interrupt, more than a tenth inconclusive, runs
     that can't be compared
  3  changed: a function of a formula differs (drift), or what a kubelet does differs from what
     another one does (try, diff)

A command that only reads (report, history, catalogue, subjects …) ends with 0 or 2, and an interrupt
ends it at once. A command that measures saves its results and cleans up after the first interrupt;
the second ends it at once.
make turns every failure into exit code 2. To distinguish 1 from 2, call the program.`,
	}
}

// displayed returns the annotation that makes help show the program as a kubectl plugin if it is named like one.
func displayed(program string) map[string]string {
	name := strings.TrimSuffix(filepath.Base(program), ".exe")
	plugin, is := strings.CutPrefix(name, "kubectl-")
	if !is {
		return nil
	}
	return map[string]string{cobra.CommandDisplayNameAnnotation: "kubectl " + strings.ReplaceAll(plugin, "_", "-")}
}

const helpColumns = 110

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
