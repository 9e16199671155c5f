// Package diff is the command that compares the traces of two kubelets.
package diff

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	runs "github.com/podclock/podclock/harness/measure/run"
	"github.com/podclock/podclock/harness/virtual/trace"
	"github.com/podclock/podclock/reports/cli/shell"
	"github.com/podclock/podclock/reports/view/difference"
)

type options struct {
	subjects []string
	output   *string
}

// Command returns the command. The completions are those of saved runs and of subjects.
func Command(completeRuns, completeSubjects cobra.CompletionFunc) *cobra.Command {
	o := options{}
	command := &cobra.Command{
		Use:               "diff BEFORE [AFTER]",
		Short:             "compare exactly what two kubelets did under virtual time: calls, requests, events, marks",
		Args:              shell.Arguments(1, 2),
		ValidArgsFunction: completeRuns,
		Long: "Compare the traces of two saved runs of the virtual lane: the first difference of each trial, grouped " +
			"by what changed. Each side is a run, or a folder of runs with several seeds (podclock repeat); then " +
			"the measured values are compared as well. With --subjects, compare only these, or two of one run " +
			"without AFTER.",
		Example: `  podclock diff out/20260301-020000 out/latest
  podclock diff out/latest --subjects=virtual:v1.36.3,virtual:v1.37.2 --output=markdown
  podclock diff repeats-before repeats-after                five seeds on each side`,
		RunE: func(c *cobra.Command, args []string) error {
			before, after, err := o.sides(args)
			if err != nil {
				return err
			}
			r := trace.Compare(before, after)
			err = shell.WriteReport(c.OutOrStdout(), *o.output, difference.Traces(r), nil)
			return shell.Ended(err, r.ExitCode())
		},
	}
	command.Flags().StringSliceVar(&o.subjects, "subjects", nil, "the subject to compare, or BEFORE,AFTER: that of "+
		"each side (default the only one of each)")
	shell.Complete(command, "subjects", completeSubjects)
	o.output = shell.Output(command, shell.Markdown)
	return command
}

func (o options) sides(args []string) (before, after trace.Side, err error) {
	was, is, err := shell.Sides(o.subjects, args)
	if err != nil {
		return before, after, err
	}
	if before, err = Side(args[0], was); err == nil {
		after, err = Side(args[len(args)-1], is)
	}
	if before.Name == after.Name {
		before.Name, after.Name = before.Name+" in "+args[0], after.Name+" in "+args[len(args)-1]
	}
	return before, after, err
}

// Side reads the traces and values of one subject, by default the only one, of a run or a folder of runs.
func Side(path, subject string) (s trace.Side, err error) {
	folders, err := runs.Folders(path)
	if err != nil {
		return s, err
	}
	for _, folder := range folders {
		traces, err := trace.Load(folder)
		if err != nil {
			return s, err
		}
		if s.Name, err = theSubject(subject, traces); err != nil {
			return s, fmt.Errorf("%s: %w", folder, err)
		}
		subject = s.Name
		r, err := runs.Load(folder)
		if err != nil {
			return s, err
		}
		for _, t := range traces {
			if t.Subject == subject {
				s.Traces = append(s.Traces, t)
			}
		}
		s.Values = append(s.Values, trace.ValuesOf(r, subject)...)
	}
	return s, nil
}

func theSubject(wanted string, traces []trace.Trace) (string, error) {
	var all []string
	for _, t := range traces {
		all = append(all, t.Subject)
	}
	slices.Sort(all)
	all = slices.Compact(all)
	switch {
	case wanted == "" && len(all) == 1:
		return all[0], nil
	case slices.Contains(all, wanted):
		return wanted, nil
	}
	return "", fmt.Errorf("it has traces of %s: choose with --subjects=BEFORE,AFTER", strings.Join(all, ", "))
}
