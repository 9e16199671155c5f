// Package drift compares the functions in which formulas were read between two sources of Kubernetes. It knows which
// formulas a change may concern, not whether they still hold.
package drift

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/pmezard/go-difflib/difflib"

	"github.com/podclock/podclock/harness/kubelets/gosource"
	"github.com/podclock/podclock/harness/rules/formula"
)

// Report is what changed between two trees.
type Report struct {
	Old string `json:"old"`
	New string `json:"new"`
	// Compared is the number of formulas that were read in Kubernetes. Drifted are those of them that were read in
	// Changed functions. Elsewhere are the formulas that were read only in other projects.
	Compared  int      `json:"compared"`
	Drifted   []string `json:"drifted"`
	Elsewhere []string `json:"elsewhere"`
	// Changed has the functions with most formulas first.
	Changed []Function `json:"changed"`
	// Gone are the functions that a tree should have and has not.
	Gone []Gone `json:"gone"`
}

// Function is a function that changed, or anything else that Go declares.
type Function struct {
	Name string `json:"name"`
	// Formulas are those that were read in it.
	Formulas []string `json:"formulas"`
	// Diff is unified. Comments and formatting make no difference.
	Diff string `json:"diff"`
}

// Gone is a function that a tree has not.
type Gone struct {
	Name     string   `json:"name"`
	Tree     string   `json:"tree"`
	Why      string   `json:"why"`
	Formulas []string `json:"formulas"`
}

func (g Gone) String() string { return fmt.Sprintf("%s has no %s: %s.", g.Tree, g.Name, g.Why) }

// Summary is the answer in one sentence.
func (r Report) Summary() string {
	summary := fmt.Sprintf("%d of %d formulas were read in functions that changed between %s and %s",
		len(r.Drifted), r.Compared, r.Old, r.New)
	switch n := len(r.Gone); n {
	case 0:
		return summary + "."
	case 1:
		return summary + "; one function is gone."
	default:
		return fmt.Sprintf("%s; %d functions are gone.", summary, n)
	}
}

// ElsewhereNote introduces the formulas that are not compared.
const ElsewhereNote = "These formulas were read only in other projects, which are not compared:"

// Compare compares two trees. A release that never had a function, as the formulas know, need not have it.
func Compare(before, after *Tree, formulas []formula.Formula) (Report, error) {
	r := Report{
		Old: before.Name, New: after.Name,
		Drifted: []string{}, Elsewhere: []string{}, Changed: []Function{}, Gone: []Gone{},
	}
	read, err := r.read(before.Version, after.Version, formulas)
	if err != nil {
		return r, err
	}
	byName := func(a, b pair) int { return cmp.Compare(a.name, b.name) }
	drifted := map[string]bool{}
	for _, p := range slices.SortedFunc(maps.Keys(read), byName) {
		diff, err := r.compare(before, after, p, read[p])
		if err != nil {
			return r, err
		}
		if diff == "" {
			continue
		}
		r.Changed = append(r.Changed, Function{Name: p.name, Formulas: read[p], Diff: diff})
		for _, id := range read[p] {
			drifted[id] = true
		}
	}
	slices.SortStableFunc(r.Changed, func(a, b Function) int { return len(b.Formulas) - len(a.Formulas) })
	for _, f := range formulas {
		if drifted[f.ID] {
			r.Drifted = append(r.Drifted, f.ID)
		}
	}
	return r, nil
}

// pair is where two trees have what a source names. A tree whose release never had it has the zero place.
type pair struct {
	name     string
	old, new formula.Place
}

// read returns the formulas that were read in each pair, and counts the formulas.
func (r *Report) read(before, after string, formulas []formula.Formula) (map[pair][]string, error) {
	read := map[pair][]string{}
	for _, f := range formulas {
		places, err := f.Places()
		if err != nil {
			return nil, err
		}
		places = slices.DeleteFunc(places, func(p formula.Place) bool { return p.Module == "" })
		if len(places) == 0 {
			r.Elsewhere = append(r.Elsewhere, f.ID)
			continue
		}
		r.Compared++
		for _, p := range places {
			both := pair{name: p.String(), old: p.In(before), new: p.In(after)}
			if both.old == both.new && both.old.Module == "" {
				continue
			}
			if !slices.Contains(read[both], f.ID) {
				read[both] = append(read[both], f.ID)
			}
		}
	}
	return read, nil
}

// compare returns how a pair's declarations differ, or notes that one is gone.
func (r *Report) compare(before, after *Tree, p pair, of []string) (diff string, err error) {
	gone := len(r.Gone)
	look := func(t *Tree, p formula.Place) (found declaration) {
		if err != nil || p.Module == "" {
			return declaration{}
		}
		var why string
		if found, why, err = t.find(p); why != "" {
			r.Gone = append(r.Gone, Gone{Name: p.String(), Tree: t.Name, Why: why, Formulas: of})
		}
		return found
	}
	old, now := look(before, p.old), look(after, p.new)
	if err != nil || len(r.Gone) > gone {
		return "", err
	}
	same, err := gosource.Same(old.code(), now.code())
	if err != nil || same {
		return "", err
	}
	had, err := old.lines()
	if err != nil {
		return "", err
	}
	has, err := now.lines()
	if err != nil {
		return "", err
	}
	return difflib.GetUnifiedDiffString(difflib.UnifiedDiff{
		A: had, FromFile: before.Name, B: has, ToFile: after.Name, Context: around,
	})
}

// around is the number of unchanged lines around a change.
const around = 3
