package listing

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/jedib0t/go-pretty/v6/text"

	"github.com/podclock/podclock/harness/kubelets"
	"github.com/podclock/podclock/harness/kubelets/mutation"
	"github.com/podclock/podclock/harness/measure/run"
	"github.com/podclock/podclock/harness/rules/formula"
)

// Subjects is what subjects are spelled from.
type Subjects struct {
	// The newest version is first, and is that of every control plane.
	Versions  []Version  `json:"versions"`
	Mutations []Mutation `json:"mutations"`
	Runtimes  []Runtime  `json:"runtimes"`
}

// Runtime is a container runtime, which a subject of the node lane names after an at sign.
type Runtime struct {
	Name string `json:"name"`
	// Kubelets are the versions that can have it, Reason is why others can't.
	Kubelets string `json:"kubelets"`
	Reason   string `json:"reason"`
}

// Version is a release of the kubelet and the lanes that have it.
type Version struct {
	Version string     `json:"version"`
	Lanes   []run.Lane `json:"lanes"`
}

// Mutation is a change of a component's code, which a subject names after a version and a plus sign.
type Mutation struct {
	Name      string             `json:"name"`
	Component mutation.Component `json:"component"`
	Breaks    string             `json:"breaks"`
	Formula   string             `json:"formula"`
	// Node and Virtual are the versions that can have it.
	Node    []string `json:"node"`
	Virtual []string `json:"virtual"`
	// Repairs is true if the mutant does what is documented and the reference does not.
	Repairs bool `json:"mends,omitempty"`
	// Equivalent is why no observer can see the mutant.
	Equivalent string `json:"unseen,omitempty"`
	Reference  string `json:"reference,omitempty"`
}

// NewSubjects lists what subjects are spelled from.
func NewSubjects() Subjects {
	var k Subjects
	for _, version := range formula.Known() {
		v := Version{Version: version, Lanes: []run.Lane{run.NodeLane}}
		if kubelets.InVirtualLane(version) {
			v.Lanes = append(v.Lanes, run.VirtualLane)
		}
		k.Versions = append(k.Versions, v)
	}
	for _, m := range mutation.All() {
		one := Mutation{
			Name: m.Name, Component: m.Component, Breaks: m.Breaks, Formula: m.Formula, Node: []string{},
			Virtual: []string{}, Repairs: m.Repairs, Equivalent: m.Equivalent, Reference: m.Reference,
		}
		for _, version := range formula.Versions() {
			if Possible(version + "+" + m.Name) {
				one.Node = append(one.Node, version)
			}
			if Possible(string(run.VirtualLane) + ":" + version + "+" + m.Name) {
				one.Virtual = append(one.Virtual, version)
			}
		}
		k.Mutations = append(k.Mutations, one)
	}
	for _, r := range kubelets.Runtimes() {
		k.Runtimes = append(k.Runtimes, Runtime{Name: r.Name, Kubelets: r.Kubelets.String(), Reason: r.Reason})
	}
	return k
}

// Text writes the list for this many columns.
func (k Subjects) Text(w io.Writer, width int) error {
	table := tabwriter.NewWriter(w, 0, 0, 3, ' ', 0)
	_, _ = fmt.Fprintln(table, "VERSION\tLANES")
	for _, v := range k.Versions {
		_, _ = fmt.Fprintf(table, "%s\t%s\n", v.Version, joined(v.Lanes))
	}
	if err := table.Flush(); err != nil {
		return fmt.Errorf("write the versions: %w", err)
	}
	for _, m := range k.Mutations {
		text := fmt.Sprintf("\n%s\n%s\n  formula %s, %s, %s\n", m.Name, indented(m.Breaks, width), m.Formula,
			m.Component, m.where())
		for _, line := range m.remarks() {
			text += indented(line, width) + "\n"
		}
		if _, err := io.WriteString(w, text); err != nil {
			return fmt.Errorf("write the mutations: %w", err)
		}
	}
	for _, r := range k.Runtimes {
		text := fmt.Sprintf("\n@%s\n%s\n", r.Name, indented("for kubelets "+r.Kubelets+": "+r.Reason, width))
		if _, err := io.WriteString(w, text); err != nil {
			return fmt.Errorf("write the runtimes: %w", err)
		}
	}
	const format = "\n%d versions, %d mutations, %d runtimes beside the node image's own. Other releases of their " +
		"branches are built, too.\n"
	_, err := fmt.Fprintf(w, format, len(k.Versions), len(k.Mutations), len(k.Runtimes))
	return err
}

func (m Mutation) where() string {
	if slices.Equal(m.Node, m.Virtual) {
		return "both lanes: " + strings.Join(m.Node, " ")
	}
	var lanes []string
	for _, l := range []struct {
		lane     run.Lane
		versions []string
	}{{run.NodeLane, m.Node}, {run.VirtualLane, m.Virtual}} {
		if len(l.versions) > 0 {
			lanes = append(lanes, string(l.lane)+": "+strings.Join(l.versions, " "))
		}
	}
	return strings.Join(lanes, "; ")
}

func (m Mutation) remarks() []string {
	var lines []string
	if m.Repairs {
		lines = append(lines, "does what is documented, unlike the reference")
	}
	if m.Reference != "" {
		lines = append(lines, "reference: "+m.Reference)
	}
	if m.Equivalent != "" {
		lines = append(lines, "can't be seen: "+m.Equivalent)
	}
	return lines
}

func indented(s string, width int) string {
	return "  " + strings.ReplaceAll(text.WrapSoft(s, width-2), "\n", "\n  ")
}

func joined[S ~string](words []S) string {
	var b []string
	for _, w := range words {
		b = append(b, string(w))
	}
	return strings.Join(b, ", ")
}

// Possible reports whether a subject exists.
func Possible(subject string) bool {
	_, err := kubelets.ParseSubject(subject)
	return err == nil
}
