// Package suites is the catalogue: one package per area, each a list of trials as plain values.
package suites

import (
	_ "embed" // the names of the quick trials
	"slices"
	"strings"

	"github.com/podclock/podclock/harness/measure/trial"
	"github.com/podclock/podclock/suites/deletion"
	"github.com/podclock/podclock/suites/eviction"
	"github.com/podclock/podclock/suites/probes"
	"github.com/podclock/podclock/suites/restarts"
	"github.com/podclock/podclock/suites/sidecars"
	"github.com/podclock/podclock/suites/termination"
)

// quick names the trials of the quick profile. They kill the mutants of docs/generated/mutants that short trials
// kill, for the least CPU time, and show what documents and CI show. A test bounds their number and what they miss.
//
//go:embed quick.txt
var quick string

// Catalogue returns every trial, area by area.
func Catalogue() []trial.Trial {
	all := slices.Concat(
		deletion.Trials(),
		termination.Trials(),
		probes.Trials(),
		eviction.Trials(),
		sidecars.Trials(),
		restarts.Trials(),
	)
	inQuick := map[string]bool{}
	for _, id := range strings.Fields(quick) {
		inQuick[id] = true
	}
	for i, t := range all {
		all[i].Nightly = !inQuick[t.ID]
	}
	return all
}

// Index returns the catalogue by trial ID. Each call builds all trials.
func Index() map[string]trial.Trial {
	all := map[string]trial.Trial{}
	for _, t := range Catalogue() {
		all[t.ID] = t
	}
	return all
}
