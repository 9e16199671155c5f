package cli

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/podclock/podclock/harness/predict/effective"
	"github.com/podclock/podclock/harness/predict/preset"
	"github.com/podclock/podclock/reports/forecast"
)

func presets() *cobra.Command {
	command := &cobra.Command{
		Use:     "presets",
		Short:   "list the limits of spot instances, autoscalers and drains for predict --preset, with their sources",
		Example: "  podclock presets\n  podclock presets -o json | jq -r '.[] | select(.limitSeconds <= 120).preset'",
		Args:    cobra.NoArgs,
	}
	o := output(command)
	command.RunE = func(c *cobra.Command, _ []string) error {
		out := c.OutOrStdout()
		if o.value != asText {
			return write(out, o.value, forecast.Limits(preset.All()))
		}
		_, err := io.WriteString(out, limits(preset.All(), screenOf(out).ColumnsOr(80)))
		return err
	}
	return command
}

// limits writes what each preset means.
func limits(all []preset.Preset, columns int) string {
	var b strings.Builder
	for i, p := range all {
		if i > 0 {
			b.WriteString("\n")
		}
		limit := "no default, so write " + p.Name + "=10m"
		if p.Limit > 0 {
			limit = effective.Words(p.Limit) + " from " + p.Since
		}
		fmt.Fprintf(&b, "%s (%s)\n", p.Name, limit)
		paragraph(&b, 2, p.Says, columns)
		if p.Setting != "" {
			paragraph(&b, 2, "Operators change it by "+p.Setting+"; tell podclock with "+p.Name+"=TIME.", columns)
		}
		fmt.Fprintf(&b, "  Read on %s at %s\n", p.ReadOn, p.DocumentedAt)
	}
	return b.String()
}
