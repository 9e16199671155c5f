package series

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/podclock/podclock/harness/mutants/drawn"
	"github.com/podclock/podclock/reports/view"
)

// Score is how many drawn mutants one draw found.
type Score struct {
	// ID is the name of its folder, which begins with "drawn-" and the time.
	ID      string   `json:"id"`
	Version string   `json:"version"`
	Seeds   []uint64 `json:"seeds"`
	drawn.Figures
}

// loadScores adds the scores of the draws that lie beside the runs in the folders, the oldest first.
func (b *HistoryBuilder) loadScores(folders ...string) {
	for _, folder := range folders {
		files, _ := filepath.Glob(filepath.Join(folder, "drawn-*", drawn.File)) // only a wrong pattern is an error
		for _, file := range files {
			r, err := drawn.Load(file)
			if err != nil {
				b.PassOver(file, err)
				continue
			}
			b.scores = append(b.scores, Score{r.ID, r.Version, r.Seeds, drawn.Count(r.Mutants)})
		}
	}
	slices.SortStableFunc(b.scores, func(x, y Score) int { return strings.Compare(x.ID, y.ID) })
	b.scores = b.scores[max(0, len(b.scores)-b.most):]
}

func (h History) scoresSection() view.Section {
	p := view.Section{
		ID: "scores", Title: "Drawn mutants",
		Note:   "Shares are of the mutants that compile and are not equivalent.",
		Header: []string{"draw", "version", "seeds", "valid", "differ", "killed"},
	}
	share := func(n, of int) view.Number {
		if of == 0 {
			return "–"
		}
		return view.Number(fmt.Sprintf("%.1f %%", 100*float64(n)/float64(of)))
	}
	for _, s := range h.Scores {
		n := s.Valid()
		p.AddRow(s.ID, s.Version, strings.Trim(fmt.Sprint(s.Seeds), "[]"), n, share(s.Different, n), share(s.Killed, n))
	}
	return p
}
