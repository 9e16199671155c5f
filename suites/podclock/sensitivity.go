package main

import (
	"errors"
	"io"
	"os"

	"github.com/caarlos0/env/v11"
	"github.com/spf13/cobra"
	"k8s.io/klog/v2"

	"github.com/podclock/podclock/reports"
	"github.com/podclock/podclock/suites"
	proof "github.com/podclock/podclock/suites/sensitivity"
	"github.com/podclock/podclock/suites/session"
)

// sensitivity puts mutants under test. How far it is goes to log, the result to out.
func sensitivity(code *int, out io.Writer, log *os.File) *cobra.Command {
	var asked proof.Request
	var again string
	command := &cobra.Command{
		Use: "sensitivity", Short: "prove that wrong code is told from right code: put mutants under test beside the released code", Args: cobra.NoArgs,
		Long: "Put mutants of Kubernetes under test beside the released code, and tell which are caught, by which trials, and how far outside the window. " +
			"In the virtual lane each mutant meets the whole catalogue; in the node lane many share a cluster, and each meets trials that caught it in the virtual one. " +
			"Variables of a cluster (CLUSTER, NODE_IMAGE, KIND_CONFIG) are read from the environment.",
		RunE: func(c *cobra.Command, _ []string) error {
			if again != "" {
				return judgeProof(code, out, again)
			}
			options, err := asked.Options(suites.Catalogue(), env.ToMap(os.Environ()))
			if err != nil {
				return err
			}
			options.Log, options.Screen = log, reports.ScreenOf(log)
			// What client-go logs of an API server that went away, the report says in its own words.
			klog.LogToStderr(false)
			klog.SetOutput(io.Discard)
			p, err := proof.New(options)
			if err != nil {
				return err
			}
			proved, err := p.Run(c.Context())
			*code = proved.ExitCode()
			return errors.Join(reports.ProofSummary(out, proved, reports.SummaryOptions{Screen: reports.ScreenOf(os.Stdout), Folder: p.Dir()}), err)
		},
	}
	flags := command.Flags()
	flags.StringVar(&asked.Mutants, "mutants", "", "names of mutations, separated by commas, or a regular expression for them (default all)")
	flags.StringVar(&asked.Lane, "lane", "virtual", "virtual, node, or both")
	flags.StringVar(&asked.Profile, "profile", "", "quick, the trials of at most three minutes, or full (default full): those of the virtual lane, and of which the node lane's are chosen")
	flags.BoolVar(&asked.WholeProfile, "whole-profile", false, "in the node lane, too, each mutant meets the whole profile rather than what should catch it: hours")
	flags.StringVar(&asked.Version, "version", "", "the Kubernetes version to mutate (default the newest)")
	flags.StringVar(&asked.Out, "out", "out", "where proofs are saved; a relative path is meant from the project's root")
	flags.Float64Var(&asked.AtLeast, "at-least", 95, "the score in percent below which the exit code is 1")
	flags.DurationVar(&asked.Within, "within", 0, "how long the node lane may take, such as 75m: mutants of all areas come first, and the others are left out, by name (default as long as all take)")
	flags.StringVar(&asked.Witnesses, "witnesses", "", "a saved proof whose virtual lane names the trials of the node lane, for --lane=node (default trials of each mutant's formula); a relative path is meant from the project's root")
	flags.StringVar(&again, "judge", "", "a saved proof's folder: judge its node lane again, from what the runs of its waves recorded, and write its reports anew")
	return command
}

// judgeProof judges a saved proof again.
func judgeProof(code *int, out io.Writer, dir string) error {
	proved, err := proof.Again(dir, session.Environment(".", nil).Podclock, finder())
	if err != nil {
		return err
	}
	*code = proved.ExitCode()
	return errors.Join(reports.WriteProof(dir, proved), reports.ProofSummary(out, proved, reports.SummaryOptions{Screen: reports.ScreenOf(os.Stdout), Folder: dir}))
}
