package prediction

import (
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/podclock/podclock/harness/predict/manifest"
	"github.com/podclock/podclock/harness/predict/manifest/source"
	"github.com/podclock/podclock/reports/apis/predictions/v1alpha1"
	"github.com/podclock/podclock/reports/cli/shell"
	"github.com/podclock/podclock/reports/predict/forecast"
)

// predictDiff is `podclock predict diff`.
func predictDiff() *cobra.Command {
	var o options
	command := &cobra.Command{
		Use:   "diff BEFORE AFTER",
		Short: "print what a change of manifests changes in how pods are killed and restarted",
		Long: "Predict from two versions of manifests, and print only the answers and findings that differ. A " +
			"version is a file, a folder, a pattern, an https address, - for standard input, or a git revision. " +
			"REVISION:PATH names a file or folder of a revision. A revision alone means the other version's path, " +
			"or the current folder if it has none.\n\nWith --fail-on, only new findings count.",
		Example: `  podclock predict diff old.yaml new.yaml
  podclock predict diff main deploy/ -R
  podclock predict diff main:deploy/web.yaml HEAD:deploy/web.yaml -o markdown
  podclock predict diff origin/main deploy/ --fail-on=warning`,
		Args: func(c *cobra.Command, args []string) error {
			if o.schema {
				return nil
			}
			return cobra.ExactArgs(2)(c, args)
		},
		RunE: func(c *cobra.Command, args []string) error {
			if o.schema {
				_, err := io.WriteString(c.OutOrStdout(), v1alpha1.DiffSchema)
				return err
			}
			return o.diff(c, args[0], args[1])
		},
	}
	o.add(command, "end with 1 if there is a new finding of this level or a higher one")
	o.output = shell.Output(command, shell.Markdown)
	return command
}

func (o options) diff(c *cobra.Command, before, after string) error {
	asked, err := o.asked.Resolve(c.Flags())
	if err != nil {
		return err
	}
	if before == source.StandardInput && after == source.StandardInput {
		return errors.New("both versions are standard input: name a file, a folder or a revision for one of them")
	}
	var sides [2]forecast.Forecast
	objects := 0
	for i, v := range [2]struct{ named, other string }{{before, after}, {after, before}} {
		var m manifest.Manifest
		m, err = source.Version(c.Context(), v.named, v.other, o.recursive, c.InOrStdin(), asked.Templates...)
		if err != nil {
			break
		}
		objects += len(m.Objects) + len(m.Skipped)
		sides[i] = forecast.Of(source.Name(v.named), m, asked.Kubelet, asked.Options)
	}
	if err == nil && objects == 0 {
		err = fmt.Errorf("there is no object in %s or %s: are the manifests empty?", before, after)
	}
	w := c.OutOrStdout()
	if format := *o.output; err != nil && (format == shell.JSON || format == shell.YAML) {
		return errors.Join(err, shell.WriteLine(w, format, forecast.RefusedDiff(before, after, unjoined(err))))
	}
	if err != nil {
		return err
	}
	sides[0].Ignore(asked.Baseline)
	ignore(c, sides[1], asked.Baseline)
	d := forecast.DiffOf(sides[0], sides[1])
	switch *o.output {
	case shell.Text:
		screen := shell.ScreenOf(w)
		err = forecast.DiffText(w, d, forecast.TextOptions{Columns: screen.ColumnsOr(0), Colour: screen.Colour})
	case shell.Markdown:
		err = forecast.DiffMarkdown(w, d)
	default:
		err = shell.WriteLine(w, *o.output, forecast.DiffDocument(d))
	}
	return shell.Ended(err, o.code(d.Finds))
}
