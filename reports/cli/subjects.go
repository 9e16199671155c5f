package cli

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/jedib0t/go-pretty/v6/text"
	"github.com/spf13/cobra"

	"github.com/podclock/podclock/harness/kubelet"
	"github.com/podclock/podclock/harness/kubelet/mutation"
)

// subjects lists what can be put under test.
func subjects() *cobra.Command {
	command := &cobra.Command{
		Use:   "subjects",
		Short: "list the kubelets that can be put under test: versions, lanes, mutations and what they break",
		Args:  arguments(0, 0),
		Long: "List the kubelets that can be put under test. A subject is spelled VERSION, VERSION+MUTATION, or as the path of a kubelet's binary; virtual: before a version " +
			"puts it into the virtual lane, and #2 behind it makes it a second copy of the same kubelet.",
		Example: `  podclock subjects
  podclock subjects -o json | jq -r '.mutations[] | select(.formula == "termination/remainder").name'`,
	}
	o := output(command)
	command.RunE = func(c *cobra.Command, _ []string) error {
		known := newKnown()
		if o.value != asText {
			return write(c.OutOrStdout(), o.value, known)
		}
		return known.text(c.OutOrStdout())
	}
	return command
}

// known is everything that a subject is spelled from.
type known struct {
	// Versions are the newest first; the first is that of every cluster's control plane.
	Versions  []knownVersion  `json:"versions"`
	Mutations []knownMutation `json:"mutations"`
}

type knownVersion struct {
	Version string         `json:"version"`
	Lanes   []kubelet.Lane `json:"lanes"`
}

type knownMutation struct {
	Name      string             `json:"name"`
	Component mutation.Component `json:"component"`
	Breaks    string             `json:"breaks"`
	Formula   string             `json:"formula"`
	// Node and Virtual are the versions that can have it in each lane.
	Node    []string `json:"node"`
	Virtual []string `json:"virtual"`
	// Mends says that the mutant does what is documented where the released code does not.
	Mends bool `json:"mends,omitempty"`
	// Unseen is why nobody outside the process could tell the mutant, Unmeasured why no trial does.
	Unseen     string `json:"unseen,omitempty"`
	Unmeasured string `json:"unmeasured,omitempty"`
	Reference  string `json:"reference,omitempty"`
}

func newKnown() known {
	var k known
	for _, version := range kubelet.Versions() {
		v := knownVersion{Version: version, Lanes: []kubelet.Lane{kubelet.LaneNode}}
		if slices.Contains(kubelet.VirtualVersions(), version) {
			v.Lanes = append(v.Lanes, kubelet.LaneVirtual)
		}
		k.Versions = append(k.Versions, v)
	}
	for _, m := range mutation.All() {
		one := knownMutation{
			Name:       m.Name,
			Component:  m.Component,
			Breaks:     m.Breaks,
			Formula:    m.Formula,
			Node:       []string{},
			Virtual:    []string{},
			Mends:      m.Mends,
			Unseen:     m.Unseen,
			Unmeasured: m.Unmeasured,
			Reference:  m.Reference,
		}
		for _, version := range kubelet.Versions() {
			if possible(version + "+" + m.Name) {
				one.Node = append(one.Node, version)
			}
			if possible(string(kubelet.LaneVirtual) + ":" + version + "+" + m.Name) {
				one.Virtual = append(one.Virtual, version)
			}
		}
		k.Mutations = append(k.Mutations, one)
	}
	return k
}

// text is for a terminal.
func (k known) text(w io.Writer) error {
	table := tabwriter.NewWriter(w, 0, 0, 3, ' ', 0)
	_, _ = fmt.Fprintln(table, "VERSION\tLANES")
	for _, v := range k.Versions {
		_, _ = fmt.Fprintf(table, "%s\t%s\n", v.Version, joined(v.Lanes))
	}
	if err := table.Flush(); err != nil {
		return fmt.Errorf("write the versions: %w", err)
	}
	width := screenOf(w).Columns()
	for _, m := range k.Mutations {
		_, err := fmt.Fprintf(w, "\n%s\n%s\n  formula %s, %s, %s\n", m.Name, indented(m.Breaks, width), m.Formula,
			m.Component, m.where())
		if err != nil {
			return fmt.Errorf("write the mutations: %w", err)
		}
		for _, line := range m.remarks() {
			if _, err := fmt.Fprintln(w, indented(line, width)); err != nil {
				return fmt.Errorf("write the mutations: %w", err)
			}
		}
	}
	_, err := fmt.Fprintf(w, "\n%d versions, %d mutations.\n", len(k.Versions), len(k.Mutations))
	return err
}

// where says which versions can have the mutation.
func (m knownMutation) where() string {
	if slices.Equal(m.Node, m.Virtual) {
		return "both lanes: " + strings.Join(m.Node, " ")
	}
	var lanes []string
	for _, l := range []struct {
		lane     kubelet.Lane
		versions []string
	}{{kubelet.LaneNode, m.Node}, {kubelet.LaneVirtual, m.Virtual}} {
		if len(l.versions) > 0 {
			lanes = append(lanes, string(l.lane)+": "+strings.Join(l.versions, " "))
		}
	}
	return strings.Join(lanes, "; ")
}

// remarks are what else there is to say of it.
func (m knownMutation) remarks() []string {
	var lines []string
	if m.Mends {
		lines = append(lines, "mends what the released code does otherwise than documented")
	}
	if m.Reference != "" {
		lines = append(lines, "reference: "+m.Reference)
	}
	if m.Unseen != "" {
		lines = append(lines, "can't be seen: "+m.Unseen)
	}
	if m.Unmeasured != "" {
		lines = append(lines, "not measured: "+m.Unmeasured)
	}
	return lines
}

// indented breaks text into lines of a width, each of which begins with two spaces.
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
