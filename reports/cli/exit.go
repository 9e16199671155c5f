package cli

import (
	"strconv"

	"github.com/spf13/cobra"

	runs "github.com/podclock/podclock/harness/run"
)

// exitCode ends the program with a code and without another word: what there was to say is said.
type exitCode int

func (c exitCode) Error() string { return "exit code " + strconv.Itoa(int(c)) }

// ended is the error of a command that came to a code, unless something went wrong on the way.
func ended(wrong error, code int) error {
	if wrong != nil || code == runs.ExitConforms {
		return wrong
	}
	return exitCode(code)
}

// exitCodes is a page of the help.
func exitCodes() *cobra.Command {
	return &cobra.Command{
		Use: "exit-codes", Short: "what the program's exit codes mean",
		Long: `Every command ends with one of three codes:

  0  all is as it should be: trials were judged and none deviates, no prediction has a finding that
     --fail-on asks for, nothing got worse
  1  what the command looks for was found: a trial deviates (run, judge, repeat), a clean kubelet
     deviates or a mutant conforms under a disturbance (disturb), a mutant was not caught or the
     released code was (sensitivity), a finding (predict), something got worse (compare)
  2  it could not be told: bad input, a set-up that failed, an interrupt, more than a tenth
     inconclusive, runs that can't be compared

A command that only writes what is known (report, history, catalogue, subjects …) ends with 0 or 2,
and an interrupt ends it like any program. One that measures is ended by a second interrupt: the first
has it save what it has and clean up.
make turns every failure into its own 2: what wants to tell 1 from 2 calls the program.`,
	}
}
