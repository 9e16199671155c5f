package trial

import "github.com/podclock/podclock/harness/formula"

// asDocumented is the diagnosis of a value that is outside what the code computes but inside what is documented, of a formula by which the code does something
// else: the divergence is there no more. It is nil where the documentation promises nothing, or no more than what the code keeps anyway.
func (f Finding) asDocumented() *Diagnosis {
	if f.Documented == nil || f.Documented.Miss(f.Measured.Value) != 0 {
		return nil
	}
	if f.Documented.Miss(f.Implemented.Earliest) == 0 && f.Documented.Miss(f.Implemented.Latest) == 0 {
		return nil
	}
	discussed := f.Issues
	if discussed == "" || discussed == formula.NoIssueKnown {
		discussed = f.DocumentedAt
	}
	return &Diagnosis{Name: "the code does as documented: the known divergence is gone", Reference: discussed, Would: *f.Documented}
}
