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

// loadScores returns the scores of the newest draws that lie beside the runs in the folders, the oldest first. It
// passes over those that it cannot read.
func loadScores(most int, passOver func(file string, err error), folders ...string) (scores []Score) {
	for _, folder := range folders {
		files, _ := filepath.Glob(filepath.Join(folder, "drawn-*", drawn.File)) // only a wrong pattern is an error
		for _, file := range files {
			r, err := drawn.Load(file)
			if err != nil {
				passOver(file, err)
				continue
			}
			scores = append(scores, Score{r.ID, r.Version, r.Seeds, drawn.Count(r.Mutants)})
		}
	}
	slices.SortStableFunc(scores, func(x, y Score) int { return strings.Compare(x.ID, y.ID) })
	return scores[max(0, len(scores)-most):]
}

func scoresSection(scores []Score) view.Section {
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
	for _, s := range scores {
		n := s.Valid()
		p.AddRow(s.ID, s.Version, strings.Trim(fmt.Sprint(s.Seeds), "[]"), n, share(s.Different, n), share(s.Killed, n))
	}
	return p
}
