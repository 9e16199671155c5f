package cli

import (
	"errors"
	"io"

	"github.com/spf13/cobra"

	"github.com/podclock/podclock/harness/detection"
	"github.com/podclock/podclock/harness/kubelet"
	proof "github.com/podclock/podclock/harness/sensitivity"
	"github.com/podclock/podclock/harness/session"
	"github.com/podclock/podclock/reports/folder"
	"github.com/podclock/podclock/reports/render"
	"github.com/podclock/podclock/reports/terminal"
	"github.com/podclock/podclock/suites"
)

// sensitivity puts mutants under test.
func sensitivity() *cobra.Command {
	var asked proof.Request
	var again string
	command := &cobra.Command{
		Use:   "sensitivity",
		Short: "prove that wrong code is told from right code: put mutants under test beside the released code",
		Args:  arguments(0, 0),
		Long: "Put mutants of Kubernetes under test beside the released code, and tell which are caught, by which trials, and how far outside the window. " +
			"In the virtual lane each mutant meets the whole catalogue; in the node lane many share a cluster, and each meets trials that caught it in the virtual one.",
		Example: `  podclock sensitivity
  podclock sensitivity --mutants=resultrun-one,hook-not-subtracted --lane=both
  podclock sensitivity --mutants='^hook-' --within=75m --lane=node --witnesses=out/latest-sensitivity`,
		RunE: func(c *cobra.Command, _ []string) error {
			if again != "" {
				if err := only(c.Flags(), "judge"); err != nil {
					return err
				}
				proved, err := proof.Again(again, session.Environment(".", nil).Podclock, render.Finder())
				if err != nil {
					return err
				}
				return ended(errors.Join(folder.WriteSensitivity(again, proved), tellProof(c.OutOrStdout(), again, proved)),
					proved.ExitCode())
			}
			options, err := asked.Options(suites.Catalogue(), variables(c.Flags()))
			if err != nil {
				return asAsked(c.Flags(), err)
			}
			options.Log, options.Screen = c.ErrOrStderr(), screenOf(c.ErrOrStderr())
			p, err := proof.New(options)
			if err != nil {
				return err
			}
			ctx, stop := interruptible(c)
			defer stop()
			proved, err := p.Run(ctx)
			return ended(errors.Join(tellProof(c.OutOrStdout(), p.Dir(), proved), err), proved.ExitCode())
		},
	}
	flags := command.Flags()
	flags.StringVar(&asked.Mutants, "mutants", "",
		"names of mutations, separated by commas, or a regular expression for them (default all)")
	complete(command, "mutants", completeList(mutationWords))
	variable(flags, "mutants", "MUTANTS")
	proofChoices(command, &asked)
	flags.BoolVar(&asked.WholeProfile, "whole-profile", false,
		"in the node lane, too, each mutant meets the whole profile rather than what should catch it: hours")
	variable(flags, "whole-profile", "WHOLE_PROFILE")
	flags.StringVar(&asked.Out, "out", "out",
		"where proofs are saved; a relative path is meant from the project's root")
	complete(command, "out", cobra.FixedCompletions(nil, cobra.ShellCompDirectiveFilterDirs))
	variable(flags, "out", "OUT")
	flags.Float64Var(&asked.AtLeast, "at-least", 95, "the score in percent below which the exit code is 1")
	variable(flags, "at-least", "AT_LEAST")
	flags.DurationVar(
		&asked.Within,
		"within",
		0,
		"how long the node lane may take, such as 75m: mutants of all areas come first, and the others are left out, by name (default as long as all take)",
	)
	variable(flags, "within", "WITHIN")
	flags.StringVar(
		&asked.Witnesses,
		"witnesses",
		"",
		"a saved proof whose virtual lane names the trials of the node lane, for --lane=node (default trials of each mutant's formula); a relative path is meant from the project's root",
	)
	variable(flags, "witnesses", "WITNESSES")
	clusterFlags(command)
	flags.StringVar(
		&again,
		"judge",
		"",
		"a saved proof's folder: judge its node lane again, from what the runs of its waves recorded, and write its reports anew",
	)
	complete(command, "judge", cobra.FixedCompletions(nil, cobra.ShellCompDirectiveFilterDirs))
	return command
}

// tellProof writes what a proof came to.
func tellProof(w io.Writer, dir string, proved detection.Report) error {
	return terminal.Sensitivity(w, proved, terminal.Options{Screen: screenOf(w), Folder: dir})
}

// proofChoices are the flags of a proof that are one of some words.
func proofChoices(command *cobra.Command, asked *proof.Request) {
	flags := command.Flags()
	for _, f := range []struct {
		value                        *string
		flag, variable, usual, usage string
		among                        []string
	}{
		{&asked.Lane, "lane", "LANE", string(kubelet.LaneVirtual), "virtual, node or both: where mutants are put under test", []string{string(kubelet.LaneVirtual), string(kubelet.LaneNode), proof.Both}},
		{&asked.Profile, "profile", "PROFILE", "", "the trials of at most " + lasts(session.QuickBound) + ", or all (default full): those of the virtual lane, and of which the node lane's are chosen",
			[]string{string(session.Quick), string(session.Full)}},
		{&asked.Version, "version", "VERSION", "", "the Kubernetes version to mutate (default the newest)", kubelet.Versions()},
	} {
		flags.StringVar(f.value, f.flag, f.usual, f.usage)
		complete(command, f.flag, cobra.FixedCompletions(f.among, cobra.ShellCompDirectiveNoFileComp))
		variable(flags, f.flag, f.variable)
	}
}
