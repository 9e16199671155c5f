package cli

import (
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/podclock/podclock/harness/predict"
	"github.com/podclock/podclock/harness/predict/effective"
	"github.com/podclock/podclock/harness/predict/findings"
	runs "github.com/podclock/podclock/harness/run"
)

// predictOptions are the options of predictions and of what changes them.
type predictOptions struct {
	files                          []string
	node                           nodeOptions
	recursive, all, schema         bool
	graces                         []int64
	ignored                        []string
	hookTakes, exitsAfter, runsFor time.Duration
	failOn, output                 *choice
}

// assumptions adds the flags of predictions and of what changes them.
func (o *predictOptions) assumptions(command *cobra.Command) {
	o.node.flags(command)
	flags := command.Flags()
	flags.BoolVarP(&o.recursive, "recursive", "R", false, "read the folders below a folder, too")
	flags.DurationVar(&o.hookTakes, "hook-takes", 0,
		"how long commands and requests of preStop hooks take (default unknown: they may return at once, or hang)")
	flags.DurationVar(&o.exitsAfter, "exits-after", 0,
		"how long after SIGTERM processes exit (default unknown: they may exit at once, or ignore it)")
	flags.StringArrayVar(&o.ignored, "ignore", nil, "a rule whose findings are ignored; may be given more than once. "+
		"The annotation "+findings.Annotation+"RULE, with a reason, does so for one workload")
	completeWords(command, "ignore", findings.IDs()...)
	flags.DurationVar(&o.runsFor, "runs-for", 0, "how long a life of a container lasts that crashes again and again")
}

// code returns the exit code of predictions that have findings of some levels.
func (o predictOptions) code(finds func(findings.Level) bool) int {
	if level := findings.Level(o.failOn.value); level != "" && finds(level) {
		return runs.ExitDeviates
	}
	return runs.ExitConforms
}

func (o predictOptions) assumed(c *cobra.Command) (predict.Options, error) {
	options := predict.Options{GracePeriodSeconds: o.graces, RunsFor: o.runsFor, IgnoredRules: o.ignored}
	if _, err := findings.Named(o.ignored); err != nil {
		return options, fmt.Errorf("bad --ignore: %w", err)
	}
	for _, f := range []struct {
		flag  string
		value time.Duration
		into  **time.Duration
	}{{"hook-takes", o.hookTakes, &options.HookTakes}, {"exits-after", o.exitsAfter, &options.ExitsAfter},
		{"runs-for", o.runsFor, nil}} {
		if f.value < 0 || f.value > effective.Longest {
			return options, fmt.Errorf("bad --%s=%v: it is a time from 0s to ten years", f.flag, f.value)
		}
		if f.into != nil && c.Flags().Changed(f.flag) {
			*f.into = &f.value
		}
	}
	for _, seconds := range o.graces {
		if seconds < 0 || seconds > int64(effective.Longest/time.Second) {
			return options, fmt.Errorf("bad --grace-period=%d: it is in seconds, from 0 to ten years", seconds)
		}
	}
	return options, nil
}
