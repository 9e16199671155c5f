package mutants

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/podclock/podclock/harness/kubelets/mutation"
	"github.com/podclock/podclock/harness/measure/run"
	"github.com/podclock/podclock/harness/measure/trial"
	"github.com/podclock/podclock/harness/mutants/mutationtest"
)

// The saved runs of the virtual lane are files of a folder. The references are those before and after the mutants.
const (
	virtualFolder = "virtual"
	referenceRun  = "reference-%d"
)

func virtualRun(dir, name string) string { return filepath.Join(dir, virtualFolder, name+".json.gz") }

// Again judges the mutation test in dir again by its saved runs. by is the revision that judges. Mutants that never
// ran keep their verdicts.
func Again(dir, by string, catalogue func(id string) (trial.Trial, bool)) (mutationtest.Report, error) {
	report, err := mutationtest.Load(dir)
	if err != nil {
		return mutationtest.Report{}, err
	}
	for i, lane := range report.Lanes {
		if lane.Lane == run.VirtualLane {
			report.Lanes[i], err = virtualAgain(dir, report.Version, lane, catalogue)
		} else {
			report.Lanes[i], err = wavesAgain(dir, report.Version, lane, catalogue)
		}
		if err != nil {
			return mutationtest.Report{}, fmt.Errorf("mutation test %s: the %s lane: %w", report.ID, lane.Lane, err)
		}
		report.Lanes[i].Notes = append(report.Lanes[i].Notes, "judged again by podclock "+by+" from its saved runs")
	}
	return report, nil
}

func virtualAgain(
	dir, version string, lane mutationtest.LaneReport, catalogue func(id string) (trial.Trial, bool),
) (mutationtest.LaneReport, error) {
	load := func(name string) (run.Run, error) {
		r, err := run.Load(virtualRun(dir, name))
		if err == nil {
			r, _ = run.Rejudge(r, catalogue)
		}
		return r, err
	}
	all := references{}
	for i, old := range lane.References {
		r, err := load(fmt.Sprintf(referenceRun, i+1))
		if err != nil {
			return lane, err
		}
		all.add(r.Outcomes)
		judged := judgeReference(old.Subject, r.Outcomes)
		judged.Build, judged.Run, judged.Comparison = old.Build, old.Run, old.Comparison
		lane.References[i] = judged
	}
	for i, old := range lane.Mutants {
		r, err := load(old.Name)
		if errors.Is(err, fs.ErrNotExist) {
			continue // it never ran
		}
		if err != nil {
			return lane, err
		}
		if lane.Mutants[i], err = mutantAgain(old, version, r.Outcomes, all); err != nil {
			return lane, err
		}
	}
	return lane, nil
}

func mutantAgain(
	old mutationtest.Mutant, version string, outcomes []trial.Outcome, by references,
) (mutationtest.Mutant, error) {
	m, exists := mutation.Find(old.Name)
	if !exists {
		return old, fmt.Errorf("mutation %s no longer exists: judge with the revision that made the run", old.Name)
	}
	judged := judgeMutant(m, version, outcomes, by)
	judged.Build, judged.Run, judged.Fuzz, judged.Comparison = old.Build, old.Run, old.Fuzz, old.Comparison
	return judged, nil
}

func wavesAgain(
	dir, version string, lane mutationtest.LaneReport, catalogue func(id string) (trial.Trial, bool),
) (mutationtest.LaneReport, error) {
	runs, err := savedWaves(dir)
	if err != nil {
		return lane, err
	}
	for i := range runs {
		runs[i], _ = run.Rejudge(runs[i], catalogue)
	}
	return judgeWaves(version, lane, runs)
}

func savedWaves(dir string) ([]run.Run, error) {
	folders, err := os.ReadDir(filepath.Join(dir, wavesFolder))
	if err != nil {
		return nil, fmt.Errorf("read the runs of the waves (judge the mutation test where it was made): %w", err)
	}
	var runs []run.Run
	for _, f := range folders {
		if !f.IsDir() {
			continue // the link to the newest
		}
		run, err := run.Load(filepath.Join(dir, wavesFolder, f.Name()))
		if errors.Is(err, fs.ErrNotExist) {
			continue // the report has why
		}
		if err != nil {
			return nil, err
		}
		runs = append(runs, run)
	}
	return runs, nil
}

func judgeWaves(version string, lane mutationtest.LaneReport, runs []run.Run) (mutationtest.LaneReport, error) {
	met, all, left := map[string]*record{}, references{}, lane.References
	lane.References = nil
	for _, run := range runs {
		beside := references{}
		if outcomes := of(version, run.Outcomes); len(outcomes) > 0 {
			if len(left) == 0 {
				return lane, fmt.Errorf(
					"it has fewer references than its waves have runs: run %s is not its own", run.ID)
			}
			reference := judgeReference(left[0].Subject, outcomes)
			reference.Build, reference.Run = left[0].Build, left[0].Run
			lane.References, left = append(lane.References, reference), left[1:]
			all.add(outcomes)
			beside.add(outcomes)
		}
		for _, s := range run.Subjects {
			if s.Mutation == "" {
				continue
			}
			if met[s.Mutation] == nil {
				met[s.Mutation] = &record{}
			}
			met[s.Mutation].take(of(s.Name, run.Outcomes), beside)
		}
	}
	if len(left) > 0 {
		return lane, fmt.Errorf("the run of its reference %s is missing", left[0].Subject)
	}
	mutants := slices.Clone(lane.Mutants)
	for i, m := range mutants {
		e := met[m.Name]
		if e == nil || len(e.outcomes) == 0 || m.Verdict == mutationtest.Failed {
			continue
		}
		var err error
		if mutants[i], err = mutantAgain(m, version, e.outcomes, e.judgedBy(all)); err != nil {
			return lane, err
		}
		mutants[i] = e.settle(mutants[i], e.judgedBy(all))
	}
	lane.Mutants = mutants
	return lane, nil
}
