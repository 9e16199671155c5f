package tried

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/podclock/podclock/harness/formula"
	"github.com/podclock/podclock/harness/run"
	"github.com/podclock/podclock/harness/trace"
	"github.com/podclock/podclock/reports/view"
)

// Release is a subject of a run and its version.
type Release struct{ Subject, Version string }

// Releases writes as Markdown what changed from each release of a run to the next one.
func Releases(w io.Writer, r run.Run, releases []Release) error {
	var b strings.Builder
	b.WriteString("# What changed between releases\n\n" +
		"\"make changes-md\" writes this page from one run of the virtual lane: each release's own kubelet plays " +
		"every trial with the\nsame random numbers, so a difference is one of the kubelets. The known changes are " +
		"those that formulas ask for, with their\nsources ([versions.md](versions.md)). A change of calls, requests " +
		"or events that no claim measures is not listed.\n")
	for i := len(releases) - 1; i > 0; i-- {
		between(&b, r, releases[i-1], releases[i])
	}
	return view.WriteAll(w, "what changed between releases", &b)
}

func between(b *strings.Builder, r run.Run, old, now Release) {
	a := Of(r, trace.Side{Name: old.Subject}, trace.Side{Name: now.Subject})
	fmt.Fprintf(b, "\n## %s to %s\n\n", old.Version, now.Version)
	if known := knownChanges(old.Version, now.Version); len(known) > 0 {
		b.WriteString("Known changes:\n\n")
		for _, line := range known {
			fmt.Fprintf(b, "- %s\n", line)
		}
		b.WriteByte('\n')
	}
	empty := func(c Claim) bool { return c.Before == nil && c.After == nil }
	changed := slices.DeleteFunc(slices.Clone(a.Changed), empty)
	fmt.Fprintf(b, "Measured: of %s in %s, %d have another verdict or value.\n", run.Plural(a.Claims, "claim"),
		run.Plural(a.Trials, "trial"), len(changed))
	if len(changed) == 0 {
		return
	}
	b.WriteString("\n| trial | what it shows | claim | before | after |\n|---|---|---|---|---|\n")
	var order []string
	byTrial := map[string][]Claim{}
	for _, c := range changed {
		if byTrial[c.Trial] == nil {
			order = append(order, c.Trial)
		}
		byTrial[c.Trial] = append(byTrial[c.Trial], c)
	}
	for _, name := range order {
		c := byTrial[name][0]
		if i := slices.IndexFunc(byTrial[name], Claim.onBothSides); i >= 0 {
			c = byTrial[name][i] // that says most
		}
		claim := view.Code(c.Claim)
		if more := len(byTrial[name]) - 1; more > 0 {
			claim += fmt.Sprintf(" and %d more", more)
		}
		fmt.Fprintf(b, "| %s | %s | %s | %s | %s |\n", view.Code(name), aboutOf(r, name), claim, c.before(), c.after())
	}
}

func (c Claim) onBothSides() bool { return c.Before != nil && c.After != nil }

func aboutOf(r run.Run, name string) string {
	i := slices.IndexFunc(r.Outcomes, func(o run.Outcome) bool { return o.Trial == name })
	return strings.ReplaceAll(r.Outcomes[i].About, "|", "\\|")
}

// knownChanges are the changes that one release has by default and the other has not.
func knownChanges(old, now string) (lines []string) {
	for _, c := range formula.Changes {
		line := fmt.Sprintf("%s (%s)", c.Name, c.Reference)
		switch was, is := c.In(old), c.In(now); {
		case is && !was:
			lines = append(lines, line)
		case was && !is:
			lines = append(lines, "no longer: "+line)
		}
	}
	return lines
}
