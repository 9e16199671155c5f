package view

import (
	"slices"

	"github.com/podclock/podclock/harness/measure/run"
	"github.com/podclock/podclock/harness/measure/trial"
)

// Matrix returns one table per area, with the verdict of each trial on every subject.
func (v Overview) Matrix() []Section {
	var all []Section
	for _, a := range v.Areas {
		p := Section{ID: a.Name, Title: a.Name, Header: v.header("trial"), Code: []int{0}}
		for _, row := range a.Rows {
			cells := []string{row.Trial}
			for _, verdict := range row.Verdicts() {
				cells = append(cells, string(verdict))
			}
			p.Rows = append(p.Rows, cells)
		}
		all = append(all, p)
	}
	return all
}

// Claims returns one table per area, with the measurement of each claim on every subject.
func (v Overview) Claims() []Section {
	var all []Section
	for _, a := range v.Areas {
		p := Section{
			ID: a.Name + "-claims", Title: a.Name + ": every claim", Header: v.header("trial", "claim"), Code: []int{0},
		}
		for _, row := range a.Rows {
			name := row.Trial
			for _, claim := range row.claims() {
				cells := []string{name, claim}
				for i, c := range v.Subjects {
					cells = append(cells, claimCell(c.Subject, row.Outcomes[i], claim))
				}
				p.Rows = append(p.Rows, cells)
				name = ""
			}
		}
		if len(p.Rows) > 0 {
			all = append(all, p)
		}
	}
	return all
}

func (v Overview) header(columns ...string) []string {
	for _, c := range v.Subjects {
		columns = append(columns, c.Title())
	}
	return columns
}

// claims returns the trial's claims on any subject, in order.
func (r Row) claims() []string {
	var names []string
	for _, o := range r.Outcomes {
		for _, f := range findingsOf(o) {
			if !slices.Contains(names, f.Claim) {
				names = append(names, f.Claim)
			}
		}
	}
	return names
}

func findingsOf(o *run.Outcome) []trial.Finding {
	if o == nil {
		return nil
	}
	return FindingsOf(*o)
}

// claimCell returns the measurement of a claim on a subject, with its window. It adds the verdict unless the
// claim conforms.
func claimCell(s run.Subject, o *run.Outcome, claim string) string {
	all := findingsOf(o)
	i := slices.IndexFunc(all, func(f trial.Finding) bool { return f.Claim == claim })
	if i < 0 {
		return "-"
	}
	f := all[i]
	text := FormatMeasured(f) + " in " + FormatWindow(f.Implemented)
	if f.Verdict != trial.Conforms && f.Verdict != trial.Divergent {
		text = FormatMeasured(f) + ", the code computes " + FormatWindow(f.Implemented)
	}
	if f.Verdict == trial.Divergent {
		text += ", documented " + FormatWindow(*f.Documented)
	}
	if f.Verdict != trial.Conforms {
		text = string(f.Verdict) + ": " + text
	}
	if f.Diagnosis != nil {
		text += ", " + AsIf(*f.Diagnosis)
	}
	if OfModel(s, f) {
		text += " (model)"
	}
	return text
}
