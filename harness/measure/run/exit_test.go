package run

import (
	"fmt"
	"slices"
	"testing"

	"github.com/onsi/gomega"

	"github.com/podclock/podclock/harness/measure/trial"
)

// some returns outcomes of one area on one subject. Each attempt of the inconclusive ones has a finding by one rule.
func some(subject, area string, conforming, inconclusive int, rules ...string) (all []Outcome) {
	for i := range conforming + inconclusive {
		o := Outcome{Trial: fmt.Sprintf("%s/%d", area, i), Subject: subject, Verdict: trial.Conforms}
		if i < inconclusive {
			o.Verdict = trial.Inconclusive
			for _, rule := range rules {
				f := trial.Finding{Verdict: trial.Inconclusive, Rule: rule}
				result := trial.Result{Verdict: f.Verdict, Findings: []trial.Finding{f}}
				o.Attempts = append(o.Attempts, Attempt{Result: result})
			}
		}
		all = append(all, o)
	}
	return all
}

// The limits hold for each subject and area, not for the run. Unsupported trials do not count.
func TestExitCodeOfWhatIsUnjudged(t *testing.T) {
	const x, y = "v1.36.3", "v1.23.1"
	unsupported := func(n int) (all []Outcome) {
		for i := range n {
			o := Outcome{Trial: fmt.Sprintf("hooks/u%d", i), Subject: x, Verdict: trial.Unsupported}
			all = append(all, o)
		}
		return all
	}
	changing := []string{"doubt", "never came", "doubt"}
	for name, c := range map[string]struct {
		outcomes []Outcome
		want     int
		unjudged []string
	}{
		"all conform": {some(x, "hooks", 5, 0), ExitConforms, nil},
		"no sidecar pod starts": {
			slices.Concat(some(x, "hooks", 160, 0), some(x, "sidecars", 0, 9, "doubt", "doubt")), ExitUnjudged,
			[]string{"v1.36.3, sidecars: 9 of 9 trials (in every attempt: doubt)"},
		},
		"one in every attempt, for one reason": {
			some(x, "hooks", 160, 1, "never came", "never came"), ExitUnjudged,
			[]string{"v1.36.3, hooks: 1 of 161 trials (in every attempt: never came)"},
		},
		"one in every attempt, for changing reasons": {
			some(x, "hooks", 20, 1, changing...), ExitConforms, []string{"v1.36.3, hooks: 1 of 21 trials"},
		},
		"one in every attempt, by the node's delay": {
			some(x, "hooks", 20, 1, "delayed work", "delayed work"), ExitConforms,
			[]string{"v1.36.3, hooks: 1 of 21 trials"},
		},
		"one by a rule without a name": {
			some(x, "hooks", 20, 1, "", ""), ExitConforms, []string{"v1.36.3, hooks: 1 of 21 trials"},
		},
		"one was never tried": {
			some(x, "hooks", 160, 1), ExitUnjudged,
			[]string{"v1.36.3, hooks: 1 of 161 trials (in every attempt: never tried)"},
		},
		"one of a small area": {
			slices.Concat(some(x, "hooks", 20, 0), some(x, "taints", 4, 1, changing...)), ExitConforms,
			[]string{"v1.36.3, taints: 1 of 5 trials"},
		},
		"two of a small area": {
			slices.Concat(some(x, "hooks", 160, 0), some(x, "taints", 3, 2, changing...)), ExitUnjudged,
			[]string{"v1.36.3, taints: 2 of 5 trials"},
		},
		"an area of one trial": {
			slices.Concat(some(x, "hooks", 160, 0), some(x, "taints", 0, 1, changing...)), ExitUnjudged,
			[]string{"v1.36.3, taints: 1 of 1 trial"},
		},
		"few in each area, too many of a subject": {
			slices.Concat(some(x, "hooks", 4, 1, changing...), some(x, "taints", 4, 1, changing...)), ExitUnjudged,
			[]string{"v1.36.3, hooks: 1 of 5 trials", "v1.36.3, taints: 1 of 5 trials", "v1.36.3: 2 of 10 trials"},
		},
		"one of four subjects": {
			slices.Concat(some("a", "hooks", 100, 0), some("b", "hooks", 100, 0), some(y, "hooks", 100, 0),
				some(x, "hooks", 88, 12, changing...)), ExitUnjudged, []string{"v1.36.3, hooks: 12 of 100 trials"},
		},
		"unsupported ones": {
			append(unsupported(100), some(x, "hooks", 8, 2, changing...)...), ExitUnjudged,
			[]string{"v1.36.3, hooks: 2 of 10 trials"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			g := gomega.NewWithT(t)
			r := Run{Outcomes: c.outcomes}
			var unjudged []string
			for _, u := range r.Unjudged() {
				unjudged = append(unjudged, u.String())
			}
			g.Expect(unjudged).To(gomega.Equal(c.unjudged))
			g.Expect(r.ExitCode()).To(gomega.Equal(c.want))
			g.Expect(slices.ContainsFunc(r.Outcomes, r.Fails)).To(gomega.Equal(c.want != ExitConforms))
		})
	}
}

// An inconclusive outcome fails in its area and its subject only, and those that fit its area's limit do not fail
// because of another area.
func TestFails(t *testing.T) {
	g := gomega.NewWithT(t)
	changing := []string{"doubt", "never came", "doubt"}
	failing := func(outcomes ...[]Outcome) (all []string) {
		r := Run{Outcomes: slices.Concat(outcomes...)}
		for _, o := range r.Outcomes {
			if r.Fails(o) {
				all = append(all, o.Subject+" "+o.Trial)
			}
		}
		return all
	}
	g.Expect(failing(some("a", "hooks", 20, 1, changing...), some("a", "taints", 3, 2, changing...),
		some("b", "taints", 20, 1, changing...))).
		To(gomega.Equal([]string{"a taints/0", "a taints/1"}))
	g.Expect(failing(some("a", "hooks", 4, 1, changing...), some("a", "taints", 4, 1, changing...))).
		To(gomega.Equal([]string{"a hooks/0", "a taints/0"}), "too many of the subject")
	others := []Outcome{
		{Trial: "hooks/1", Subject: "a", Verdict: trial.Deviates}, {Trial: "hooks/2", Subject: "a", Verdict: "fine"},
		{Trial: "hooks/3", Subject: "a", Verdict: trial.Divergent},
		{Trial: "hooks/4", Subject: "a", Verdict: trial.Unsupported},
	}
	g.Expect(failing(others)).To(gomega.Equal([]string{"a hooks/1", "a hooks/2"}))
}
