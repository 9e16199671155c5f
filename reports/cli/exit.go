package cli

import (
	"strconv"

	"github.com/spf13/cobra"

	runs "github.com/podclock/podclock/harness/run"
)

// exitCode ends the program without a message.
type exitCode int

func (c exitCode) Error() string { return "exit code " + strconv.Itoa(int(c)) }

// ended returns an error for this exit code. wrong comes first.
func ended(wrong error, code int) error {
	if wrong != nil || code == runs.ExitConforms {
		return wrong
	}
	return exitCode(code)
}

func exitCodes() *cobra.Command {
	return &cobra.Command{
		Use: "exit-codes", Short: "what the program's exit codes mean",
		Long: `Every command ends with one of three codes:

  0  good: trials were judged and none deviates, no prediction has a finding of --fail-on, nothing
     got worse
  1  bad: a trial deviates (run, judge, repeat), a released kubelet deviates or a mutant conforms
     under a disturbance (disturb), a mutant was not caught or the reference was (sensitivity),
     a finding (predict), something got worse (compare)
  2  unknown: bad input, a set-up that failed, an interrupt, more than a tenth inconclusive, runs
     that can't be compared

A command that only reads (report, history, catalogue, subjects …) ends with 0 or 2, and an interrupt
ends it at once. A command that measures saves its results and cleans up after the first interrupt;
the second ends it at once.
make turns every failure into exit code 2. To distinguish 1 from 2, call the program.`,
	}
}
