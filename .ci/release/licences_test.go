package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	. "github.com/onsi/gomega"
)

func TestLicencesThatDoNotFitAreRefused(t *testing.T) {
	g := NewWithT(t)
	ours, err := os.ReadFile("../../LICENSE")
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(identify("example.org/a/LICENSE", ours)).To(Equal("Apache-2.0"))
	for name, text := range map[string]string{
		"another licence": "SPDX-License-Identifier: GPL-3.0-only\n",
		"no licence":      "Do what is right.\n",
	} {
		_, err = identify("example.org/b/COPYING", []byte(text))
		g.Expect(err).To(MatchError(ContainSubstring("example.org/b/COPYING")), name)
	}
	g.Expect(identify("example.org/a/NOTICE", []byte("By A."))).To(BeEmpty(), "a notice is no licence")

	plotted := map[string][]byte{}
	g.Expect(add(plotted, "uPlot", filepath.Join("..", "..", filepath.FromSlash(plots)), false)).To(Succeed())
	g.Expect(plotted).To(HaveKey("uPlot/uplot.LICENSE"), "code that is no module")

	all, err := together("v0.4.0",
		map[string][]byte{"example.org/a/LICENSE": ours, "example.org/a/NOTICE": []byte("By A.")})
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(string(all)).To(And(ContainSubstring("example.org/a/LICENSE  Apache-2.0\n"),
		ContainSubstring(strings.TrimSpace(string(ours))), ContainSubstring("\n\nBy A.\n")), "with their texts")
}
