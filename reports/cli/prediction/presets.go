package prediction

import (
	"github.com/spf13/cobra"

	"github.com/podclock/podclock/harness/predict/effective"
	"github.com/podclock/podclock/harness/predict/preset"
	"github.com/podclock/podclock/reports/cli/shell"
	"github.com/podclock/podclock/reports/predict/forecast"
)

// Presets returns the command "presets".
func Presets() *cobra.Command {
	command := &cobra.Command{
		Use:     "presets",
		Short:   "list the limits of spot instances, autoscalers and drains for predict --preset, with their sources",
		Example: "  podclock presets\n  podclock presets -o json | jq -r '.[] | select(.limitSeconds <= 120).preset'",
		Args:    cobra.NoArgs,
	}
	o := shell.Output(command)
	command.RunE = func(c *cobra.Command, _ []string) error {
		all := preset.All()
		return shell.Show(c.OutOrStdout(), *o, forecast.Limits(all), func(columns int) string {
			return limits(all, columns)
		})
	}
	return command
}

// limits writes what each preset means.
func limits(all []preset.Preset, columns int) string {
	l := list{columns: columns}
	for _, p := range all {
		limit := "no default, so write " + p.Name + "=10m"
		if p.Limit > 0 {
			limit = effective.Words(p.Limit) + " from " + p.Since
		}
		l.entry(p.Name, limit)
		l.paragraph(p.Description)
		if p.Setting != "" {
			l.paragraph("Operators change it by " + p.Setting + "; tell podclock with " + p.Name + "=TIME.")
		}
		l.WriteString("  Read on " + p.ReadOn + " at " + p.DocumentedAt + "\n")
	}
	return l.String()
}
