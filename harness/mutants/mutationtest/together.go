package mutationtest

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Together merges reports of one version, the oldest first. Each lane has every mutant once, with its last verdict.
// The end and the problems are those of the last report: what kept an earlier one from judging shows in its mutants,
// and in those that it left out.
// Reports of different versions are an error.
func Together(reports ...Report) (Report, error) {
	if len(reports) == 0 {
		return Report{}, fmt.Errorf("no mutation report to read: name the folder of one, such as out/%s", LatestLink)
	}
	whole := reports[0]
	whole.Lanes = slices.Clone(whole.Lanes)
	for _, r := range reports[1:] {
		if r.Version != whole.Version {
			return Report{}, fmt.Errorf("mutation report %s is of %s and %s is of %s: name reports of one version",
				whole.ID, whole.Version, r.ID, r.Version)
		}
		whole.ID = listed(whole.ID, r.ID)
		whole.Environment.Podclock = listed(whole.Environment.Podclock, r.Environment.Podclock)
		whole.Environment.Settings = nil // each report has its own
		whole.Catalogue = max(whole.Catalogue, r.Catalogue)
		whole.Ended, whole.Problems = r.Ended, r.Problems
		for _, l := range r.Lanes {
			i := slices.IndexFunc(whole.Lanes, func(before LaneReport) bool { return before.Lane == l.Lane })
			if i < 0 {
				whole.Lanes = append(whole.Lanes, l)
			} else {
				whole.Lanes[i] = whole.Lanes[i].and(l)
			}
		}
	}
	return whole, nil
}

const comma = ", "

// IDs returns the IDs of the reports that were merged.
func IDs(r Report) []string { return strings.Split(r.ID, comma) }

// listed adds an item to a list in text, unless it has it.
func listed(list, item string) string {
	if slices.Contains(strings.Split(list, comma), item) {
		return list
	}
	return list + comma + item
}

func (l LaneReport) and(newer LaneReport) LaneReport {
	both := newer
	both.Started = newer.Started.Add(-l.wall()) // so the lane took as long as both
	both.Trials = max(l.Trials, newer.Trials)
	both.References = slices.Concat(l.References, newer.References)
	both.Mutants = slices.Clone(l.Mutants)
	for _, m := range newer.Mutants {
		i := slices.IndexFunc(both.Mutants, func(before Mutant) bool { return before.Name == m.Name })
		switch {
		case i < 0:
			both.Mutants = append(both.Mutants, m)
		case m.Met() || !both.Mutants[i].Met():
			both.Mutants[i] = m
		}
	}
	both.LeftOut = slices.DeleteFunc(slices.Concat(l.LeftOut, newer.LeftOut), func(left LeftOut) bool {
		return slices.ContainsFunc(both.Mutants, func(m Mutant) bool { return m.Name == left.Name })
	})
	slices.SortStableFunc(both.LeftOut, func(a, b LeftOut) int { return strings.Compare(a.Name, b.Name) })
	both.LeftOut = slices.CompactFunc(both.LeftOut, func(a, b LeftOut) bool { return a.Name == b.Name })
	for _, note := range l.Notes {
		if !slices.Contains(both.Notes, note) {
			both.Notes = append(slices.Clip(both.Notes), note)
		}
	}
	return both
}

// mostKills bounds a mutant's kills in a brief report.
const mostKills = 4

// Brief returns what a report must keep for good: each mutant that met its lane, its clearest kills, the first one of
// every diagnosis among them, and the sum of each lane's references. A mutant that never ran is left out by name.
func (r Report) Brief() Report {
	r.Lanes = slices.Clone(r.Lanes)
	for i, l := range r.Lanes {
		r.Lanes[i].Mutants, r.Lanes[i].LeftOut = nil, slices.Clone(l.LeftOut)
		for _, m := range l.Mutants {
			if m.Met() || m.Run > 0 || m.Verdict == Failed {
				r.Lanes[i].Mutants = append(r.Lanes[i].Mutants, m.brief())
			} else {
				r.Lanes[i].LeftOut = append(r.Lanes[i].LeftOut, LeftOut{m.Name, m.Why})
			}
		}
		r.Lanes[i].References = sum(fmt.Sprintf("%s in %s", r.Version, r.ID), l.References)
	}
	return r
}

func (m Mutant) brief() Mutant {
	m.Disputed = nil
	if m.Verdict == Killed {
		m.Open = nil
	}
	var kept []Kill
	var diagnoses []string
	for _, c := range m.Kills {
		c.Why = ""
		isNew := c.Diagnosis != nil && !slices.Contains(diagnoses, c.Diagnosis.Name)
		if len(kept) < mostKills || isNew {
			kept = append(kept, c)
		} else {
			m.MoreKills++
		}
		if isNew {
			diagnoses = append(diagnoses, c.Diagnosis.Name)
		}
	}
	m.Kills = kept
	return m
}

// sum adds up references, and names each trial once that one of them has no verdict of.
func sum(subject string, references []Reference) []Reference {
	if len(references) == 0 {
		return nil
	}
	s := Reference{Subject: subject}
	for _, r := range references {
		s.Trials, s.Claims, s.Divergent = s.Trials+r.Trials, s.Claims+r.Claims, s.Divergent+r.Divergent
		s.Unsupported, s.Build, s.Run = s.Unsupported+r.Unsupported, s.Build+r.Build, s.Run+r.Run
		s.FalseAlarms = append(s.FalseAlarms, r.FalseAlarms...)
		if c := r.Comparison; c != nil {
			if s.Comparison == nil {
				s.Comparison = &Comparison{}
			}
			s.Comparison.Trials += c.Trials
			s.Comparison.Different += c.Different
			s.Comparison.First = cmp.Or(s.Comparison.First, c.First)
		}
		for _, o := range r.Open {
			if !slices.ContainsFunc(s.Open, func(before Open) bool { return before.Trial == o.Trial }) {
				s.Open = append(s.Open, o)
			}
		}
	}
	return []Reference{s}
}
