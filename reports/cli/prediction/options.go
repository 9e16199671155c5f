package prediction

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/podclock/podclock/harness/predict/findings"
	"github.com/podclock/podclock/harness/predict/live"
	"github.com/podclock/podclock/harness/predict/preset"
	"github.com/podclock/podclock/harness/predict/request"
	"github.com/podclock/podclock/harness/rules/formula"
	"github.com/podclock/podclock/reports/cli/shell"
	"github.com/podclock/podclock/reports/predict/forecast"
)

// options are the options of predictions and of what changes them.
type options struct {
	files                  []string
	asked                  request.Request
	cluster                live.Access
	recursive, all, schema bool
	failOn, output         *string
	version                string
}

// add adds the flags of predictions and of what changes them. failOn describes --fail-on.
func (o *options) add(command *cobra.Command, failOn string) {
	flags := command.Flags()
	o.asked.AddFlags(flags)
	flags.BoolVarP(&o.recursive, "recursive", "R", false, "read the folders below a folder, too")
	flags.BoolVar(&o.schema, "schema", false, "print the JSON schema of -o json and -o yaml")
	shell.CompleteWords(command, "kubernetes", formula.Versions()...)
	shell.CompleteWords(command, "ignore", findings.IDs()...)
	shell.CompleteWords(command, "preset", preset.Names()...)
	for _, file := range []string{"baseline", "config", "kubelet-config"} {
		shell.CompleteFiles(command, file, "yaml", "yml", "json")
	}
	o.failOn = shell.Choose(command, "fail-on", "", "", failOn,
		string(findings.Error), string(findings.Warning), string(findings.Note))
	for _, free := range []string{
		"feature-gates", "severity", "template-path", "hook-takes", "exits-after", "runs-for",
		"eviction-max-pod-grace-period", "eviction-soft-grace-period", "max-container-restart-period",
		"volume-stats-agg-period", "sync-frequency",
	} {
		shell.Complete(command, free, cobra.NoFileCompletions)
	}
}

// FoundSome is the exit code of predictions with findings of --fail-on.
const FoundSome = 1

// code returns the exit code of predictions that have findings of some levels.
func (o options) code(finds func(findings.Level) bool) int {
	if level := findings.Level(*o.failOn); level != "" && finds(level) {
		return FoundSome
	}
	return shell.Succeeded
}

// ignore ignores the findings of a baseline, and names its entries that fit none.
func ignore(c *cobra.Command, f forecast.Forecast, b findings.Baseline) {
	for _, k := range f.Ignore(b) {
		_, _ = fmt.Fprintf(c.ErrOrStderr(), "%s: %s has no finding %s at %s any more: remove the entry, or write the "+
			"baseline again\n", b.File, k.Object, k.Rule, k.Field)
	}
}

func unjoined(err error) []error {
	if several, ok := err.(interface{ Unwrap() []error }); ok {
		return several.Unwrap()
	}
	return []error{err}
}
