// Package suites is the catalogue: one package per area, each a list of trials as plain values.
package suites

import (
	"slices"

	"github.com/podclock/podclock/harness/trial"
	"github.com/podclock/podclock/suites/deletion"
	"github.com/podclock/podclock/suites/eviction"
	"github.com/podclock/podclock/suites/probes"
	"github.com/podclock/podclock/suites/restarts"
	"github.com/podclock/podclock/suites/sidecars"
	"github.com/podclock/podclock/suites/termination"
)

// Catalogue returns every trial, area by area.
func Catalogue() []trial.Trial {
	return slices.Concat(
		deletion.Trials(),
		termination.Trials(),
		probes.Trials(),
		eviction.Trials(),
		sidecars.Trials(),
		restarts.Trials(),
	)
}

// Index returns the catalogue by trial ID. Each call builds all trials.
func Index() map[string]trial.Trial {
	all := map[string]trial.Trial{}
	for _, t := range Catalogue() {
		all[t.ID] = t
	}
	return all
}
