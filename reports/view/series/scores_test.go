package series

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/podclock/podclock/harness/mutants/drawn"
)

func TestScoresOfDraws(t *testing.T) {
	g := NewWithT(t)
	dir := t.TempDir()
	for _, r := range []drawn.Report{
		{ID: "drawn-2", Version: "v1.37.2", Seeds: []uint64{8, 9}, Mutants: []drawn.Mutant{
			{Status: drawn.Killed}, {Status: drawn.Different}, {Status: drawn.Survived}, {Status: drawn.Equivalent}, {},
		}},
		{ID: "drawn-1", Version: "v1.37.2", Seeds: []uint64{7}},
	} {
		text, err := json.Marshal(r)
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(os.Mkdir(filepath.Join(dir, r.ID), 0o755)).To(Succeed())
		g.Expect(os.WriteFile(filepath.Join(dir, r.ID, drawn.File), text, 0o644)).To(Succeed())
	}
	g.Expect(os.Mkdir(filepath.Join(dir, "drawn-3"), 0o755)).To(Succeed())
	g.Expect(os.WriteFile(filepath.Join(dir, "drawn-3", drawn.File), []byte("{"), 0o644)).To(Succeed())
	var left []string
	passOver := func(file string, _ error) { left = append(left, file) }
	scores := loadScores(5, passOver, dir)
	g.Expect(scoresSection(scores).Rows).To(Equal([][]string{
		{"drawn-1", "v1.37.2", "7", "0", "–", "–"}, {"drawn-2", "v1.37.2", "8 9", "3", "66.7 %", "33.3 %"},
	}))
	g.Expect(left).To(ConsistOf(ContainSubstring("drawn-3")))
	g.Expect(loadScores(1, passOver, dir)).To(Equal(scores[1:]), "the newest")
}
