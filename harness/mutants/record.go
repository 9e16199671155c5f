package mutants

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"github.com/podclock/podclock/harness/kubelets/mutation"
	"github.com/podclock/podclock/harness/measure/run"
	"github.com/podclock/podclock/harness/mutants/mutationtest"
)

// Record is a folder with the last verdict of every mutant of a version, over many mutation tests. It is small enough
// to be committed, so a later run knows the trials that kill a mutant, and which mutants never met a real node.
type Record struct {
	dir string
	// report is the record before the run, empty if the folder is new.
	report mutationtest.Report
	unmet  bool
}

// LoadRecord reads the record in dir, which need not exist.
func LoadRecord(dir, version string) (*Record, error) {
	report, err := mutationtest.Load(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return &Record{dir: dir}, nil
	case err != nil:
		return nil, err
	case report.Version != version:
		return nil, fmt.Errorf("it is the record of %s: name another folder for %s", report.Version, version)
	}
	return &Record{dir: dir, report: report}, nil
}

// Add adds a run's verdicts to those of before, and saves them. A run counts once, so the record must not have it yet.
func (r *Record) Add(report mutationtest.Report, keep func(dir string, report mutationtest.Report) error) error {
	if slices.Contains(mutationtest.IDs(r.report), report.ID) {
		return fmt.Errorf("the record %s has the verdicts of %s already", r.dir, report.ID)
	}
	whole := report.Brief()
	if r.report.ID != "" {
		var err error
		if whole, err = mutationtest.Together(r.report, whole); err != nil {
			return err
		}
	}
	return keep(r.dir, whole)
}

// met reports whether a mutant has a verdict in a lane.
func (r *Record) met(m mutation.Mutation, lane run.Lane) bool {
	return slices.ContainsFunc(r.report.Lanes, func(l mutationtest.LaneReport) bool {
		return l.Lane == lane && slices.ContainsFunc(l.Mutants, func(known mutationtest.Mutant) bool {
			return known.Name == m.Name && known.Met()
		})
	})
}
