package conformance

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/podclock/podclock/harness/measure/run"
	"github.com/podclock/podclock/harness/measure/trial"
	"github.com/podclock/podclock/harness/rules/formula"
	"github.com/podclock/podclock/reports/apis/v1alpha1"
)

// plan is the selected trials of a subject, as the catalogue has them.
type plan []trial.Trial

// planOf looks up the run's trials in the catalogue, in the order of their IDs. It ignores their outcomes.
func planOf(r run.Run, catalogue func(id string) (trial.Trial, bool)) (plan, error) {
	var p plan
	for _, o := range r.Outcomes {
		if run.IsCheck(o) {
			p = append(p, trial.Trial{ID: o.Trial, About: o.About})
			continue
		}
		t, known := catalogue(o.Trial)
		if !known {
			return nil, fmt.Errorf("the catalogue has no trial %s: use the revision of podclock that made the run, %s",
				o.Trial, run.OrUnknown(r.Environment.Podclock))
		}
		p = append(p, t)
	}
	slices.SortFunc(p, func(x, y trial.Trial) int { return strings.Compare(x.ID, y.ID) })
	return p, nil
}

// digest is the SHA-256 of the trials, their claims and their formulas.
func (p plan) digest() string {
	var lines []string
	for _, t := range p {
		for _, c := range t.Claims {
			lines = append(lines, strings.Join([]string{t.ID, c.ID(), c.Formula.ID}, "\t"))
		}
	}
	return sha256Of([]byte(strings.Join(lines, "\n")))
}

// oracle describes the formulas of the plan.
func (p plan) oracle() v1alpha1.Oracle {
	ids, lines := map[string]bool{}, []string(nil)
	for _, t := range p {
		for _, c := range t.Claims {
			f := c.Formula
			ids[f.ID] = true
			lines = append(lines, strings.Join([]string{f.ID, f.Description, f.Source, f.Promise, f.DocumentedAt},
				"\t"))
		}
	}
	slices.Sort(lines)
	return v1alpha1.Oracle{
		Formulas: len(ids),
		Digest:   sha256Of([]byte(strings.Join(slices.Compact(lines), "\n"))),
		Oldest:   formula.OldestKnown,
		Newest:   formula.NewestKnown,
	}
}

// sha256Of returns the SHA-256 of data in the notation of the reports.
func sha256Of(data []byte) string { return fmt.Sprintf("sha256:%x", sha256.Sum256(data)) }

// digestOfJSON returns the digest of a JSON value, whatever the order of its keys and its white space. It is
// empty for invalid JSON.
func digestOfJSON(raw json.RawMessage) string {
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.UseNumber()
	var value any
	if decoder.Decode(&value) != nil || value == nil {
		return ""
	}
	compact, err := json.Marshal(value) // sorts keys
	if err != nil {
		return ""
	}
	return sha256Of(compact)
}
