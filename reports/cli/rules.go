package cli

import (
	"fmt"
	"io"
	"strings"

	"github.com/jedib0t/go-pretty/v6/text"
	"github.com/spf13/cobra"

	"github.com/podclock/podclock/harness/predict/findings"
)

func rules() *cobra.Command {
	command := &cobra.Command{
		Use:   "rules [RULE...]",
		Short: "list the rules of findings, or explain some of them: an example, a fix and the documentation",
		Example: `  podclock rules
  podclock rules hook-equals-grace
  podclock rules -o json | jq -r '.[] | select(.level == "error").id'`,
	}
	command.ValidArgs = findings.IDs()
	o := output(command)
	command.RunE = func(c *cobra.Command, args []string) error {
		chosen, err := findings.Named(args)
		if err != nil {
			return err
		}
		out := c.OutOrStdout()
		if o.value != asText {
			return write(out, o.value, chosen)
		}
		_, err = io.WriteString(out, explained(chosen, len(args) > 0, screenOf(out).ColumnsOr(80)))
		return err
	}
	return command
}

// explained writes one sentence about each rule, or everything.
func explained(all []findings.Rule, everything bool, columns int) string {
	var b strings.Builder
	for i, r := range all {
		if i > 0 {
			b.WriteString("\n")
		}
		fmt.Fprintf(&b, "%s (%s)\n", r.ID, r.Level)
		paragraph(&b, 2, r.Says, columns)
		if !everything {
			continue
		}
		paragraph(&b, 2, "Fix: "+r.Fix+".", columns)
		fmt.Fprintf(&b, "  See %s\n  For example:\n", r.DocumentedAt) // a broken address can't be opened
		for line := range strings.Lines(r.Example) {
			b.WriteString("    " + line)
		}
	}
	return b.String()
}

// paragraph writes indented lines that fit the columns.
func paragraph(b *strings.Builder, by int, s string, columns int) {
	for line := range strings.SplitSeq(text.WrapSoft(s, max(20, columns-by)), "\n") {
		fmt.Fprintf(b, "%*s%s\n", by, "", strings.TrimRight(line, " "))
	}
}
