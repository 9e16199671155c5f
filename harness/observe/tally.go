package observe

import (
	"slices"
	"strings"
	"time"

	"github.com/podclock/podclock/harness/rules/formula"
)

// Tally counts facts by workload.
type Tally struct {
	all  map[string]*Summary
	took map[string][]time.Duration
}

// Summary is what happened to a workload.
type Summary struct {
	Namespace, Workload string
	Deaths              int
	Departures          int
	// Causes count the deaths.
	Causes map[formula.Cause]int
	// Killed are the deaths by SIGKILL, Late those after their window, Deviating those outside.
	Killed, Late, Deviating int
	// Unpredicted are the deaths on request that have no window.
	Unpredicted int
	// P50, P99 and Longest are of the times from the beginning of a kill to the death. Kills counts them.
	Kills             int
	P50, P99, Longest time.Duration
}

// Add counts a fact.
func (t *Tally) Add(f Fact) {
	switch f := f.(type) {
	case Death:
		s := t.of(f.Pod)
		s.Deaths++
		s.Causes[f.Cause]++
		if f.Outcome == SIGKILL {
			s.Killed++
		}
		if took, asked := f.Took(); asked {
			name := f.Namespace + "/" + f.Workload
			t.took[name] = append(t.took[name], max(0, took.Probably))
			if slices.ContainsFunc(f.Windows, func(c Compared) bool { return c.Unpredicted != "" }) {
				s.Unpredicted++
			}
		}
		s.compare(f.Windows)
	case Departure:
		t.of(f.Pod).Departures++
	case Successor:
		t.of(f.Of).compare(f.Windows)
	}
}

func (s *Summary) compare(all []Compared) {
	if Late(all) {
		s.Late++
	}
	if Deviates(all) {
		s.Deviating++
	}
}

func (t *Tally) of(p Pod) *Summary {
	name := p.Namespace + "/" + p.Workload
	if t.all == nil {
		t.all, t.took = map[string]*Summary{}, map[string][]time.Duration{}
	}
	if t.all[name] == nil {
		t.all[name] = &Summary{Namespace: p.Namespace, Workload: p.Workload, Causes: map[formula.Cause]int{}}
	}
	return t.all[name]
}

// Summaries returns a summary of each workload, in the order of their names.
func (t *Tally) Summaries() []Summary {
	all := make([]Summary, 0, len(t.all))
	for name, s := range t.all {
		took := slices.Sorted(slices.Values(t.took[name]))
		if s.Kills = len(took); s.Kills > 0 {
			s.P50, s.P99, s.Longest = quantile(took, 50), quantile(took, 99), took[len(took)-1]
		}
		all = append(all, *s)
	}
	slices.SortFunc(all, func(a, b Summary) int {
		return strings.Compare(a.Namespace+"/"+a.Workload, b.Namespace+"/"+b.Workload)
	})
	return all
}

// quantile returns the smallest of sorted values that so many percent of them do not exceed.
func quantile(sorted []time.Duration, percent int) time.Duration {
	const whole = 100
	return sorted[(len(sorted)*percent+whole-1)/whole-1]
}
