package markdown

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/podclock/podclock/harness/kubelets"
	"github.com/podclock/podclock/harness/measure/run"
	"github.com/podclock/podclock/harness/rules/formula"
	"github.com/podclock/podclock/harness/virtual/trace"
	"github.com/podclock/podclock/reports/view"
	"github.com/podclock/podclock/reports/view/difference"
)

// Releases writes as Markdown what changed from each release to the next one, of runs with a seed each.
func Releases(w io.Writer, runs []run.Run, releases []kubelets.Subject) error {
	var b strings.Builder
	fmt.Fprintf(&b, "# What changed between releases\n\n"+
		"\"make changes-md\" writes this page from the virtual lane: each release's own kubelet plays every trial, "+
		"with %d seeds, which\ndecide its random waits. A value has a row if those of all seeds differ by more than "+
		"chance. Chance alone makes less than one row\nof a section. The row has their medians. A verdict is that of "+
		"the first seed. The known changes are those that formulas ask for,\nwith their sources "+
		"([versions.md](versions.md)). A row names those that the claim's own formula asks for. A change of calls,\n"+
		"requests or events that no claim measures is not listed.\n", len(runs))
	for i := len(releases) - 1; i > 0; i-- {
		between(&b, runs, releases[i-1], releases[i])
	}
	return view.WriteAll(w, "what changed between releases", &b)
}

func between(b *strings.Builder, runs []run.Run, old, now kubelets.Subject) {
	before, after := trace.Side{Name: old.String()}, trace.Side{Name: now.String()}
	for _, r := range runs {
		before.Values = append(before.Values, trace.ValuesOf(r, old.String())...)
		after.Values = append(after.Values, trace.ValuesOf(r, now.String())...)
	}
	a := difference.Of(runs[0], before, after)
	fmt.Fprintf(b, "\n## %s to %s\n\n", old.Version, now.Version)
	known := knownChanges(b, old.Version, now.Version)
	changed := slices.DeleteFunc(slices.Clone(a.Changed), func(c difference.Claim) bool { return !tells(c) })
	fmt.Fprintf(b, "Measured: of %s in %s, %d have another verdict or value.\n", run.Plural(a.Claims, "claim"),
		run.Plural(a.Trials, "trial"), len(changed))
	if len(changed) == 0 {
		return
	}
	b.WriteString("\n| trials | such as | which shows | claim | before | after | known change |\n" +
		"|---|---|---|---|---|---|---|\n")
	for _, like := range alike(changed) {
		c := like[0]
		asked := slices.DeleteFunc(slices.Clone(known), func(k string) bool { return !slices.Contains(c.Changes, k) })
		fmt.Fprintf(b, "| %d | %s | %s | %s | %s | %s | %s |\n", len(like), view.Code(c.Trial),
			aboutOf(runs[0], c.Trial), view.Code(c.Claim), c.From(), c.To(), strings.Join(asked, ", "))
	}
}

// tells reports whether a changed claim is about how a pod dies or starts. Comparisons of all values of a formula are
// not, and neither are claims about false reports that only one side has.
func tells(c difference.Claim) bool {
	return c.Before != nil && c.After != nil && !run.IsCheck(run.Outcome{Trial: c.Trial}) ||
		c.Judged() && c.Was != "" && c.Is != ""
}

// alike returns the claims in groups that say the same, one of each trial. A trial counts once, with the claim that
// changed most.
func alike(changed []difference.Claim) (groups [][]difference.Claim) {
	seen, place := map[string]bool{}, map[[3]string]int{}
	for _, c := range changed {
		if seen[c.Trial] {
			continue
		}
		seen[c.Trial] = true
		key := [3]string{c.Claim, c.From(), c.To()}
		view.Place(place, key, &groups, []difference.Claim{})
		groups[place[key]] = append(groups[place[key]], c)
	}
	slices.SortStableFunc(groups, func(x, y []difference.Claim) int { return len(y) - len(x) })
	return groups
}

func aboutOf(r run.Run, name string) string {
	i := slices.IndexFunc(r.Outcomes, func(o run.Outcome) bool { return o.Trial == name })
	return strings.ReplaceAll(r.Outcomes[i].About, "|", "\\|")
}

// knownChanges writes the changes that one release has by default and the other has not, and returns their references.
func knownChanges(b *strings.Builder, old, now string) (references []string) {
	b.WriteString("Known changes:\n\n")
	for _, c := range formula.Changes {
		was, is := c.In(old), c.In(now)
		if was == is {
			continue
		}
		gone := ""
		if was {
			gone = "no longer: "
		}
		fmt.Fprintf(b, "- %s%s (%s)\n", gone, c.Name, c.Reference)
		references = append(references, c.Reference)
	}
	if len(references) == 0 {
		b.WriteString("- none\n")
	}
	b.WriteByte('\n')
	slices.Sort(references)
	return slices.Compact(references)
}
