package page

import (
	"strings"
	"testing"

	. "github.com/onsi/gomega"
)

// block returns the text between the braces after a selector.
func block(t *testing.T, selector string) []string {
	t.Helper()
	_, after, found := strings.Cut(Style(), selector+" {")
	NewWithT(t).Expect(found).To(BeTrue(), selector)
	inside, _, _ := strings.Cut(after, "}")
	return strings.Fields(inside)
}

// TestColours expects the same dark colours by the system's and by the reader's choice. Every colour needs a
// dark one and one for print.
func TestColours(t *testing.T) {
	g := NewWithT(t)
	dark := block(t, `:root[data-theme="dark"]`)
	g.Expect(block(t, `:root:not([data-theme="light"])`)).To(Equal(dark))
	names := func(block []string) []string {
		var all []string
		for _, word := range block {
			if strings.HasPrefix(word, "--") {
				all = append(all, word)
			}
		}
		return all
	}
	light := names(block(t, ":root"))
	g.Expect(light).NotTo(BeEmpty())
	g.Expect(names(dark)).To(Equal(light))
	g.Expect(names(block(t, `:root, :root[data-theme="dark"], :root:not([data-theme="light"])`))).To(Equal(light))
}

// TestPolicy expects the SHA-256 of a script. This is the hash of "abc" (FIPS 180-2, B.1).
func TestPolicy(t *testing.T) {
	g := NewWithT(t)
	policy := string(Policy("abc"))
	g.Expect(policy).To(ContainSubstring("default-src 'none';"))
	g.Expect(policy).To(ContainSubstring("script-src 'sha256-ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0=';"))
}

// TestSitePolicy expects a page with files to reach nothing but them.
func TestSitePolicy(t *testing.T) {
	policy := string(SitePolicy())
	NewWithT(t).Expect(policy).To(And(ContainSubstring("default-src 'none';"), ContainSubstring("connect-src 'self';")))
	for _, loose := range []string{"http:", "https:", "*", "'unsafe-eval'"} {
		NewWithT(t).Expect(policy).NotTo(ContainSubstring(loose))
	}
}
