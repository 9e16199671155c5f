// Package suites is the catalogue: one file per area, each a list of trials as plain values. Package specs
// binds every selected trial and subject to one Ginkgo spec.
package suites

import (
	"slices"

	"github.com/podclock/podclock/harness/trial"
)

// Catalogue is every trial, area by area.
func Catalogue() []trial.Trial {
	return slices.Concat(
		Deletion(),
		Termination(),
		Probes(),
		Eviction(),
		Sidecars(),
		Restarts(),
	)
}

// Index is the catalogue by IDs, for those who look up many trials: each call makes all of them anew.
func Index() map[string]trial.Trial {
	all := map[string]trial.Trial{}
	for _, t := range Catalogue() {
		all[t.ID] = t
	}
	return all
}
