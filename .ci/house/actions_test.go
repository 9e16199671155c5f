package house

import (
	"path"
	"regexp"
	"strings"
	"testing"

	. "github.com/onsi/gomega"
)

var (
	uses = regexp.MustCompile(`(?m)^ *(?:- )?uses: *(.*)$`)
	// pinned matches an action of others by its full commit, with the version as a comment.
	pinned = regexp.MustCompile(`^[\w.-]+/[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$`)
)

// unpinned returns the actions in a workflow or action that are neither of this repository nor pinned.
func unpinned(text string) (all []string) {
	for _, u := range uses.FindAllStringSubmatch(text, -1) {
		if !strings.HasPrefix(u[1], "./.github/") && !pinned.MatchString(u[1]) {
			all = append(all, u[1])
		}
	}
	return all
}

// TestActionsArePinned fails if a workflow uses an action that its owner can replace.
func TestActionsArePinned(t *testing.T) {
	g, found := NewWithT(t), 0
	walk(t, func(file string, data []byte) {
		if !strings.HasPrefix(file, ".github/") && !regexp.MustCompile(`^action\.ya?ml$`).MatchString(path.Base(file)) {
			return
		}
		found += len(uses.FindAll(data, -1))
		g.Expect(unpinned(string(data))).
			To(BeEmpty(), "%s: pin it by its full commit, with the version as a comment", file)
	})
	g.Expect(found).To(BeNumerically(">", 10))
}

func TestUnpinned(t *testing.T) {
	const commit = "de0fac2e4500dabe0009e67214ff5f5447ce83dd"
	g := NewWithT(t)
	g.Expect(unpinned("- uses: actions/checkout@" + commit + " # v6.0.2\n")).To(BeEmpty())
	g.Expect(unpinned("  uses: ./.github/actions/keep\n")).To(BeEmpty())
	for _, action := range []string{
		"actions/checkout@v6", "actions/checkout@" + commit, "actions/checkout@" + commit[:12] + " # v6.0.2",
		"actions/checkout@" + commit + " # main", "docker://alpine:3", "./elsewhere",
	} {
		g.Expect(unpinned("  - uses: " + action + "\n")).To(ConsistOf(action))
	}
}
