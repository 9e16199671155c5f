package main

import (
	"os"
	"testing"

	. "github.com/onsi/gomega"
)

func TestManPagesAndCompletions(t *testing.T) {
	g := NewWithT(t)
	r := files{folder: t.TempDir()}
	g.Expect(r.describe(t.Context())).To(Succeed())
	page, err := os.ReadFile(r.path(manual, "podclock-predict.1"))
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(string(page)).To(And(ContainSubstring("NAME"), ContainSubstring("\\fB--kubernetes\\fP"),
		ContainSubstring("a delete, an eviction, a failing")))
	bash, err := os.ReadFile(r.path(completions, "podclock.bash"))
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(string(bash)).To(ContainSubstring("__start_podclock"))
}
