package suites

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/onsi/gomega"
)

// The README names trials by their IDs: one that was renamed or removed would be a rule that nobody shows any more.
func TestReadmeNamesTrials(t *testing.T) {
	g := gomega.NewWithT(t)
	readme, err := os.ReadFile("README.md")
	g.Expect(err).NotTo(gomega.HaveOccurred())
	areas := map[string]bool{}
	for _, tr := range Catalogue() {
		areas[tr.Area()] = true
	}
	named := 0
	for _, id := range regexp.MustCompile(`[a-z]+/[a-z0-9-]+`).FindAllString(string(readme), -1) {
		if area, _, _ := strings.Cut(id, "/"); areas[area] {
			_, ok := byID[id]
			g.Expect(ok).To(gomega.BeTrue(), "there is no trial %s", id)
			named++
		}
	}
	g.Expect(named).To(gomega.BeNumerically(">", 100))
}
