package main

import (
	"os"
	"testing"

	. "github.com/onsi/gomega"
)

func TestLicencesThatDoNotFitAreRefused(t *testing.T) {
	g := NewWithT(t)
	ours, err := os.ReadFile("../LICENSE")
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
}
