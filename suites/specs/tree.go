package specs

import (
	"slices"

	. "github.com/onsi/ginkgo/v2"

	"github.com/podclock/podclock/harness/measure/runner"
)

// tree makes a spec of each selected trial: subject, area, trial. A trial's own labels and its area are labels.
func tree(selected []runner.Selection, body func(SpecContext, runner.Selection)) {
	for subject, trials := range grouped(selected, func(s runner.Selection) string { return s.Subject }) {
		Describe(subject, func() {
			for area, trials := range grouped(trials, func(s runner.Selection) string { return s.Trial.Area() }) {
				Describe(area, Label(area), func() {
					for _, one := range trials {
						It(one.Trial.ID, Label(one.Trial.Labels...), func(ctx SpecContext) { body(ctx, one) })
					}
				})
			}
		})
	}
}

// grouped yields the selections of each key, in the order in which the keys first appear.
func grouped(
	all []runner.Selection, key func(runner.Selection) string,
) func(yield func(string, []runner.Selection) bool) {
	return func(yield func(string, []runner.Selection) bool) {
		var keys []string
		of := map[string][]runner.Selection{}
		for _, one := range all {
			k := key(one)
			if !slices.Contains(keys, k) {
				keys = append(keys, k)
			}
			of[k] = append(of[k], one)
		}
		for _, k := range keys {
			if !yield(k, of[k]) {
				return
			}
		}
	}
}
