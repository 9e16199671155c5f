package judge

import (
	"cmp"
	"slices"

	"github.com/podclock/podclock/harness/measure/trial"
	"github.com/podclock/podclock/harness/rules/formula"
)

// Diagnose explains the deviations of trials of one subject, with all attempts of each. A known wrong behaviour, a
// mistake, is the diagnosis of a trial if it fits every deviating claim of the trial that does not follow from others,
// and if no good claim of any trial excludes it. The rule of another release holds everywhere, so a deviating claim of
// any trial excludes it, too.
//
// Of several, the one that explains the most trials is the diagnosis, then the first by
// [trial.MistakeKind], then the one with the narrowest windows. A trial that no known mistake explains as a whole has
// none. One fault explains all that it causes, so a known mistake that explains no more trials than nothing explains
// fits by chance.
func Diagnose(trials [][]trial.Result) {
	var all []*suspect
	for i, attempts := range trials {
		for _, s := range suspects(attempts) {
			known := slices.IndexFunc(all, func(k *suspect) bool { return k.is(s.mistake) })
			if known < 0 {
				known, all = len(all), append(all, &suspect{})
			}
			all[known].mistake, all[known].width = s.mistake, all[known].width+s.width
			all[known].explains = append(all[known].explains, i)
		}
	}
	for _, attempts := range trials {
		for f := range findings(attempts, trial.Conforms, trial.Divergent, trial.Deviates) {
			all = slices.DeleteFunc(all, func(s *suspect) bool {
				return s.excludedBy(f) && (s.mistake.Kind == trial.OtherRelease || f.Verdict != trial.Deviates)
			})
		}
	}
	slices.SortStableFunc(all, func(a, b *suspect) int {
		return cmp.Or(cmp.Compare(len(b.explains), len(a.explains)), cmp.Compare(a.mistake.Kind, b.mistake.Kind),
			cmp.Compare(a.width, b.width))
	})
	of, unexplained, explained := make([]*suspect, len(trials)), 0, map[*suspect]int{}
	for i, attempts := range trials {
		switch best := slices.IndexFunc(all, func(s *suspect) bool { return slices.Contains(s.explains, i) }); {
		case best >= 0:
			of[i] = all[best]
			explained[of[i]]++
		case deviates(attempts):
			unexplained++
		}
	}
	for i, attempts := range trials {
		for f := range findings(attempts, trial.Deviates) {
			f.Diagnosis = nil
			if explained[of[i]] > unexplained {
				f.Diagnosis = of[i].of(f)
			}
		}
	}
}

// deviates reports whether a claim that does not follow from others deviates.
func deviates(attempts []trial.Result) bool {
	for f := range findings(attempts, trial.Deviates) {
		if !f.Follows {
			return true
		}
	}
	return false
}

// suspect is a known mistake that explains trials.
type suspect struct {
	mistake  trial.Mistake
	explains []int
	width    int64
}

// suspects returns the known mistakes that fit all deviating claims of a trial.
func suspects(attempts []trial.Result) (all []suspect) {
	first := true
	for f := range findings(attempts, trial.Deviates) {
		if f.Follows {
			continue
		}
		if first {
			for _, r := range f.Mistakes {
				all = append(all, suspect{mistake: r})
			}
			first = false
		}
		all = slices.DeleteFunc(all, func(s suspect) bool { return s.of(f) == nil })
		for i := range all {
			all[i].width += width(all[i].of(f).Would)
		}
	}
	return all
}

// is reports whether a known mistake of another claim is the same one.
func (s suspect) is(r trial.Mistake) bool {
	return r.Name == s.mistake.Name && r.Reference == s.mistake.Reference
}

// of returns the suspect's part of the diagnosis of a finding, nil if it does not fit.
func (s suspect) of(f *trial.Finding) *trial.Diagnosis {
	if f.Follows {
		return &trial.Diagnosis{Name: s.mistake.Name, Reference: s.mistake.Reference}
	}
	for _, r := range f.Mistakes {
		if s.is(r) && r.Fits {
			return &r.Diagnosis
		}
	}
	return nil
}

func (s suspect) excludedBy(f *trial.Finding) bool {
	return slices.ContainsFunc(f.Mistakes, func(r trial.Mistake) bool { return s.is(r) && r.Excluded })
}

// findings yields the findings of all attempts that have one of some verdicts.
func findings(attempts []trial.Result, verdicts ...trial.Verdict) func(yield func(*trial.Finding) bool) {
	return func(yield func(*trial.Finding) bool) {
		for _, a := range attempts {
			for i := range a.Findings {
				if f := &a.Findings[i]; slices.Contains(verdicts, f.Verdict) && !yield(f) {
					return
				}
			}
		}
	}
}

func width(w formula.Window) int64 { return w.Latest - w.Earliest }
