// Package fuzz is the command that runs random scenarios on virtual nodes.
package fuzz

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"runtime"
	"time"

	"github.com/spf13/cobra"

	"github.com/podclock/podclock/harness/fuzz"
	"github.com/podclock/podclock/harness/fuzz/predicted"
	"github.com/podclock/podclock/harness/host/option"
	"github.com/podclock/podclock/harness/kubelets"
	"github.com/podclock/podclock/harness/kubelets/builder"
	"github.com/podclock/podclock/harness/measure/run"
	"github.com/podclock/podclock/harness/session"
	"github.com/podclock/podclock/reports/cli/shell"
	"github.com/podclock/podclock/reports/render/folder"
	"github.com/podclock/podclock/reports/render/markdown"
	"github.com/podclock/podclock/reports/render/terminal"
	"github.com/podclock/podclock/reports/view/fuzzed"
)

// The default numbers of scenarios, without and with predictions. Predictions take as long as ten times as many.
const (
	usualScenarios = 10_000
	usualPredicted = 1_000
)

// shrinking is how long one counterexample may be shrunk.
const shrinking = time.Minute

type options struct {
	subjects         string
	scenarios, kinds int
	seed             uint64
	predictions      bool
	out              string
	output           *string
	// node is [built], or what a test plays on.
	node func(ctx context.Context, s kubelets.Subject, log io.Writer) (fuzz.Runner, error)
}

// Command returns the command. completeSubjects completes a list of subjects.
func Command(completeSubjects cobra.CompletionFunc) *cobra.Command {
	o := options{node: built}
	command := &cobra.Command{
		Use:   "fuzz",
		Short: "run random pods and faults on virtual nodes, and find claims or predictions that do not hold",
		Args:  shell.Arguments(0, 0),
		Long: "Draw random pods and faults, and run them on the kubelets' own code under virtual time. Each scenario " +
			"has the claims that the formulas make about it. With --predictions, each pod is also predicted from its " +
			"manifest, and every predicted step and number is compared with what happens.\n\n" +
			"A violation is shrunk to a small scenario, and printed with its seed, the measured value, the pod as " +
			"YAML and the claims. A seed always draws the same scenario: --seed=SEED --scenarios=1 runs it again.\n\n" +
			"The exit code is 1 if a claim or a prediction does not hold, and 2 if a scenario has no verdict.",
		Example: `  podclock fuzz
  podclock fuzz --subjects=virtual:v1.36.3,virtual:./kubernetes --scenarios=2000
  podclock fuzz --predictions
  podclock fuzz --seed=4711 --scenarios=1`,
		RunE: func(c *cobra.Command, _ []string) error { return option.AsGiven(c.Flags(), o.play(c)) },
	}
	set := command.Flags()
	set.StringVar(&o.subjects, "subjects", "", "the kubelets under test, in the virtual lane, separated by commas "+
		"(default virtual:"+kubelets.VirtualVersions()[0]+")")
	set.IntVarP(&o.scenarios, "scenarios", "n", 0, fmt.Sprintf("the number of scenarios for each subject (default %d, "+
		"with --predictions %d)", usualScenarios, usualPredicted))
	set.Uint64Var(&o.seed, "seed", 1, "the seed of the first scenario; the following ones have the following seeds")
	set.IntVar(&o.kinds, "kinds", 10, "end a subject after so many kinds of violations")
	set.BoolVar(&o.predictions, "predictions", false, "predict each pod from its manifest, and compare")
	set.StringVar(&o.out, "out", "", "the folder of reports, relative to the project's root (default out)")
	option.Variables(set, "subjects", "scenarios", "seed", "kinds", "out")
	shell.Complete(command, "subjects", completeSubjects)
	shell.CompleteFolders(command, "out")
	o.output = shell.Output(command, shell.Markdown)
	return command
}

// checked returns the subjects and the folder of reports. The error is one line that names the flag and the remedy.
func (o *options) checked(given func(flag string) bool) (subjects []kubelets.Subject, out string, err error) {
	const least = "write a whole number above 0"
	switch {
	case o.scenarios <= 0 && given("scenarios"):
		return nil, "", option.Invalid("scenarios", o.scenarios, least)
	case o.kinds <= 0:
		return nil, "", option.Invalid("kinds", o.kinds, least)
	case o.seed == 0:
		return nil, "", option.Invalid("seed", o.seed, least)
	case o.scenarios == 0 && o.predictions:
		o.scenarios = usualPredicted
	case o.scenarios == 0:
		o.scenarios = usualScenarios
	}
	if o.subjects == "" {
		o.subjects = kubelets.VirtualVersions()[0]
	}
	subjects, err = kubelets.ParseSubjects(run.VirtualLane, o.subjects)
	if errors.Is(err, kubelets.ErrNodeOnly) {
		err = fmt.Errorf("%w: random scenarios run on virtual nodes only", err)
	}
	if err != nil {
		return nil, "", option.Invalid("subjects", o.subjects, "%w", err)
	}
	config, err := session.Config{Lane: run.VirtualLane, Subjects: o.subjects, Out: o.out}.Resolve()
	return subjects, config.Out, err
}

func (o options) play(c *cobra.Command) error {
	subjects, out, err := o.checked(c.Flags().Changed)
	if err != nil {
		return err
	}
	dir, _, err := run.NewFolder(out, fuzzed.Prefix, time.Now())
	if err != nil {
		return err
	}
	ctx, stop := shell.Interruptible(c)
	defer stop()
	answer := fuzzed.Answer{Seed: o.seed, Scenarios: o.scenarios, Predictions: o.predictions}
	for _, s := range subjects {
		log := c.ErrOrStderr()
		node, err := o.node(ctx, s, log)
		if err == nil {
			answer.Subjects = append(answer.Subjects, o.fuzz(ctx, s, node, log))
		}
		switch {
		case ctx.Err() != nil:
			answer.Problem = fmt.Sprintf("interrupted: %v", context.Cause(ctx))
		case err != nil:
			answer.Problem = fmt.Sprintf("%s could not be put under test: %v", s, err)
		}
		if err := folder.WriteFuzz(dir, answer); err != nil {
			return err
		}
		if answer.Problem != "" {
			break
		}
	}
	return shell.Ended(o.write(c.OutOrStdout(), answer, dir), answer.ExitCode())
}

// built returns the virtual node of a subject, and builds it if necessary.
func built(ctx context.Context, s kubelets.Subject, log io.Writer) (fuzz.Runner, error) {
	binary, err := builder.Build(ctx, s, builder.Options{Log: log})
	return fuzz.Node{Name: s.String(), Binary: binary.Path, Env: binary.Env, Gates: s.FeatureGates()}, err
}

// fuzz runs the scenarios of one subject.
func (o options) fuzz(ctx context.Context, of kubelets.Subject, node fuzz.Runner, log io.Writer) fuzzed.Subject {
	progress := terminal.StartFuzzProgress(log, shell.ScreenOf(log), of.String(), o.scenarios)
	defer progress.Stop()
	campaign := fuzz.Campaign{
		Runner: node, Seed: o.seed, Scenarios: o.scenarios, AtOnce: runtime.NumCPU(),
		Kinds: o.kinds, Shrinking: shrinking, Ran: progress.Ran, Found: progress.Found,
	}
	if !o.predictions {
		report := campaign.Run(ctx)
		return fuzzed.Subject{Name: of.String(), Report: report, Lacks: report.Lacks(o.scenarios, o.kinds)}
	}
	predicting := predicted.New(campaign.Runner)
	campaign.Runner = predicting
	report := campaign.Run(ctx)
	summary := predicting.Summary()
	s := fuzzed.Subject{Name: of.String(), Report: report, Predicted: &summary}
	s.Lacks = append(report.Lacks(o.scenarios, o.kinds), predicted.Lacks(summary, report.Scenarios)...)
	s.Wide, s.Needless = predicted.Imprecise(summary, report.Scenarios, of.Version)
	return s
}

// document is an answer for programs.
type document struct {
	ExitCode   int    `json:"exitCode"`
	ExitReason string `json:"exitReason"`
	Folder     string `json:"folder"`
	fuzzed.Answer
}

func (o options) write(w io.Writer, a fuzzed.Answer, dir string) error {
	if *o.output == shell.Markdown {
		return markdown.Report(w, a.Full())
	}
	err := shell.WriteReport(w, *o.output, document{a.ExitCode(), a.ExitReason(), dir, a}, nil)
	if err == nil && *o.output == shell.Text {
		_, err = fmt.Fprintf(w, "The report is %s.\n", filepath.Join(dir, fuzzed.MarkdownFile))
	}
	return err
}
