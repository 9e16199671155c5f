package cli

import (
	"fmt"
	"io"
	"slices"
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
	for _, r := range findings.Rules() {
		command.ValidArgs = append(command.ValidArgs, r.ID)
	}
	o := output(command)
	command.RunE = func(c *cobra.Command, args []string) error {
		chosen, err := rulesOf(args)
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

// rulesOf returns the named rules, all if none is named.
func rulesOf(names []string) ([]findings.Rule, error) {
	all := findings.Rules()
	if len(names) == 0 {
		return all, nil
	}
	var chosen []findings.Rule
	for _, name := range names {
		i := slices.IndexFunc(all, func(r findings.Rule) bool { return r.ID == name })
		if i < 0 {
			return nil, fmt.Errorf("there is no rule %q: podclock rules lists them", name)
		}
		chosen = append(chosen, all[i])
	}
	return chosen, nil
}

// explained writes one sentence about each rule, or everything.
func explained(all []findings.Rule, everything bool, columns int) string {
	var b strings.Builder
	paragraph := func(by int, s string) {
		for line := range strings.SplitSeq(text.WrapSoft(s, max(20, columns-by)), "\n") {
			fmt.Fprintf(&b, "%*s%s\n", by, "", strings.TrimRight(line, " "))
		}
	}
	for i, r := range all {
		if i > 0 {
			b.WriteString("\n")
		}
		fmt.Fprintf(&b, "%s (%s)\n", r.ID, r.Level)
		paragraph(2, r.Says)
		if !everything {
			continue
		}
		paragraph(2, "Fix: "+r.Fix+".")
		fmt.Fprintf(&b, "  See %s\n  For example:\n", r.DocumentedAt) // a broken address can't be opened
		for line := range strings.Lines(r.Example) {
			b.WriteString("    " + line)
		}
	}
	return b.String()
}
