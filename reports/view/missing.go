package view

import (
	"fmt"
	"slices"
	"strings"

	"github.com/podclock/podclock/harness/measure/run"
)

// fullProfile is the profile that offers the whole catalogue.
const fullProfile = "full"

// Missing returns what a run lacks to cover all trials on all versions, one line each. A run does not record
// its FOCUS, SKIP and LABELS, so its trials are compared with the IDs of the catalogue.
func Missing(r run.Run, versions, catalogue []string) []string {
	var lacks []string
	if r.Profile != fullProfile {
		lacks = append(lacks, fmt.Sprintf("its profile is %q, not %q", r.Profile, fullProfile))
	}
	present, absent := []string{}, []string{}
	for _, v := range versions {
		if slices.ContainsFunc(r.Subjects, func(s run.Subject) bool { return s.Name == v }) {
			present = append(present, v)
		} else {
			absent = append(absent, v)
		}
	}
	if len(absent) > 0 {
		lacks = append(lacks, "its subjects do not include "+strings.Join(absent, ", "))
	}
	if gaps := unselected(r, present, catalogue); len(gaps) > 0 {
		lacks = append(lacks, fmt.Sprintf(
			"%s of the catalogue not selected (by profile, FOCUS, SKIP or LABELS, or newer than the run): %s",
			run.Plural(len(gaps), "trial"), Listed(gaps)))
	}
	if len(r.Problems) > 0 {
		lacks = append(lacks, "it had problems: "+strings.Join(r.Problems, "; "))
	}
	return lacks
}

// unselected returns the trials that have no outcome on at least one of the subjects.
func unselected(r run.Run, subjects, catalogue []string) []string {
	selected := map[[2]string]bool{}
	for _, o := range r.Outcomes {
		selected[[2]string{o.Trial, o.Subject}] = true
	}
	var gaps []string
	for _, id := range catalogue {
		if slices.ContainsFunc(subjects, func(s string) bool { return !selected[[2]string{id, s}] }) {
			gaps = append(gaps, id)
		}
	}
	return gaps
}
