package cli

import (
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/podclock/podclock/harness/host/option"
	runs "github.com/podclock/podclock/harness/measure/run"
	"github.com/podclock/podclock/harness/measure/trial"
	mutants "github.com/podclock/podclock/harness/mutants"
	"github.com/podclock/podclock/harness/mutants/mutationtest"
	"github.com/podclock/podclock/harness/rules/formula"
	"github.com/podclock/podclock/harness/session"
	"github.com/podclock/podclock/reports/cli/shell"
	"github.com/podclock/podclock/reports/render/folder"
	"github.com/podclock/podclock/reports/render/terminal"
)

// sensitivity is the name of the command in earlier versions.
func sensitivity(mutants *cobra.Command) *cobra.Command {
	mutants.Use, mutants.Hidden = "sensitivity", true
	run := mutants.RunE
	mutants.RunE = func(c *cobra.Command, args []string) error {
		_, _ = fmt.Fprintln(c.ErrOrStderr(), "podclock sensitivity is now podclock mutants")
		return run(c, args)
	}
	return mutants
}

func (a App) mutants() *cobra.Command {
	var request mutants.Request
	var judge string
	var drawn drawnMutants
	command := &cobra.Command{
		Use:   "mutants",
		Short: "put mutants of Kubernetes under test, and print which of them the trials kill",
		Args:  shell.Arguments(0, 0),
		Long: "Put mutants of Kubernetes under test beside the unchanged kubelet. Print which are killed, by which " +
			"trials, and how far outside the window. In the virtual lane each mutant meets the whole catalogue. In " +
			"the node lane mutants share clusters, and each meets trials that killed it in the virtual lane.",
		Example: `  podclock mutants
  podclock mutants --mutants=resultrun-one,hook-not-subtracted --lane=both
  podclock mutants --lane=node --within=75m --record=docs/generated/mutants --unmet`,
		RunE: func(c *cobra.Command, _ []string) error {
			if drawn.count != 0 {
				ctx, stop := shell.Interruptible(c)
				defer stop()
				return option.AsGiven(c.Flags(),
					drawn.test(ctx, c, request.Version, request.Out, request.AtLeast, a.Catalogue()))
			}
			if judge != "" {
				if err := option.Only(c.Flags(), "judge", "record"); err != nil {
					return err
				}
				return a.judgeMutants(c.OutOrStdout(), judge, request.Record)
			}
			options, err := request.Options(a.Catalogue())
			if err == nil {
				err = options.CheckCluster(c.Context())
			}
			if err != nil {
				return option.AsGiven(c.Flags(), err)
			}
			log := c.ErrOrStderr()
			options.Program = mutants.Program{
				Log: log,
				Show: func(lane runs.Lane, n int) mutants.Display {
					return terminal.StartMutantsProgress(log, shell.ScreenOf(log), lane, n)
				},
				Save:    folder.WriteMutants,
				Keep:    folder.WriteRecord,
				Session: programOf(c, false, folder.Write),
			}
			r, err := mutants.New(options)
			if err != nil {
				return err
			}
			ctx, stop := shell.Interruptible(c)
			defer stop()
			report, err := r.Play(ctx)
			return shell.Ended(errors.Join(printMutants(c.OutOrStdout(), r.Dir(), report), err), report.ExitCode())
		},
	}
	request.Cluster.KindBase = a.KindConfig
	request.AddFlags(command.Flags())
	shell.Complete(command, "mutants", shell.CompleteList(mutationWords))
	shell.CompleteWords(command, "lane", string(runs.VirtualLane), string(runs.NodeLane), mutants.Both)
	shell.CompleteWords(command, "profile", string(trial.Quick), string(trial.Full))
	shell.CompleteWords(command, "version", formula.Versions()...)
	shell.CompleteFolders(command, "out")
	completeClusterFlags(command)
	command.Flags().StringVar(&judge, "judge", "",
		"a saved mutation test: judge it again from its saved runs, and rewrite its reports")
	shell.CompleteFolders(command, "judge")
	drawn.flags(command)
	return command
}

// judgeMutants judges a saved mutation test again, and adds its verdicts to a record, if one is named.
func (a App) judgeMutants(w io.Writer, dir, record string) error {
	report, err := mutants.Again(dir, session.Environment(nil).Podclock, trial.Finder(a.Catalogue()))
	if err != nil {
		return err
	}
	err = folder.WriteMutants(dir, report)
	if record != "" {
		r, cannot := mutants.LoadRecord(record, report.Version)
		if cannot != nil {
			return option.Invalid("record", record, "%w", cannot)
		}
		err = errors.Join(err, r.Add(report, folder.WriteRecord))
	}
	return shell.Ended(errors.Join(err, printMutants(w, dir, report)), report.ExitCode())
}

func printMutants(w io.Writer, dir string, report mutationtest.Report) error {
	return terminal.Mutants(w, report, terminal.Options{Screen: shell.ScreenOf(w), Folder: dir})
}
