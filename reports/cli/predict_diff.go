package cli

import (
	"errors"

	"github.com/spf13/cobra"

	"github.com/podclock/podclock/harness/manifest/source"
	"github.com/podclock/podclock/harness/predict/findings"
	"github.com/podclock/podclock/reports/forecast"
)

// predictDiff is `podclock predict diff`.
func predictDiff() *cobra.Command {
	var o predictOptions
	command := &cobra.Command{
		Use:   "diff BEFORE AFTER",
		Short: "print what a change of manifests changes in how pods are killed and restarted",
		Long: "Predict from two versions of manifests, and print only the answers and findings that differ. A " +
			"version is a file, a folder, an https address, - for standard input, or a git revision. REVISION:PATH " +
			"names a file or folder of a revision. A revision alone means the other version's path, or the current " +
			"folder if it has none.\n\nWith --fail-on, only new findings count.",
		Example: `  podclock predict diff old.yaml new.yaml
  podclock predict diff main deploy/ -R
  podclock predict diff main:deploy/web.yaml HEAD:deploy/web.yaml -o markdown
  podclock predict diff origin/main deploy/ --fail-on=warning`,
		Args: cobra.ExactArgs(2),
		RunE: func(c *cobra.Command, args []string) error { return o.diff(c, args[0], args[1]) },
	}
	o.assumptions(command)
	o.failOn = choose(command, "fail-on", "", "", "end with 1 if there is a new finding of this level or a higher one",
		string(findings.Error), string(findings.Warning), string(findings.Note))
	o.output = output(command, asMarkdown)
	return command
}

func (o predictOptions) diff(c *cobra.Command, before, after string) error {
	options, err := o.assumed(c)
	if err != nil {
		return err
	}
	k, err := o.node.kubelet(c.Flags())
	if err != nil {
		return err
	}
	if before == source.StandardInput && after == source.StandardInput {
		return errors.New("both versions are standard input: name a file, a folder or a revision for one of them")
	}
	var sides [2]forecast.Forecast
	for i, v := range [2]struct{ named, other string }{{before, after}, {after, before}} {
		m, err := source.Version(c.Context(), v.named, v.other, o.recursive, c.InOrStdin())
		if err != nil {
			return err
		}
		sides[i] = forecast.Of(source.Name(v.named), m, k, options)
	}
	d := forecast.DiffOf(sides[0], sides[1])
	w := c.OutOrStdout()
	switch o.output.value {
	case asText:
		screen := screenOf(w)
		err = forecast.DiffText(w, d, forecast.TextOptions{Columns: screen.ColumnsOr(0), Colour: screen.Colour})
	case asMarkdown:
		err = forecast.DiffMarkdown(w, d)
	default:
		err = write(w, o.output.value, d)
	}
	return ended(err, o.code(d.Finds))
}
