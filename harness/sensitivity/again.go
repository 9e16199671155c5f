package sensitivity

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/podclock/podclock/harness/detection"
	"github.com/podclock/podclock/harness/kubelet/mutation"
	"github.com/podclock/podclock/harness/run"
	"github.com/podclock/podclock/harness/trial"
)

// Again judges the node lane of the sensitivity run in dir again by the recorded runs of its waves. by is the revision
// that judges. The virtual lane keeps its verdicts, because its runs are not saved; so do mutants that never ran.
func Again(dir, by string, catalogue func(id string) (trial.Trial, bool)) (detection.Report, error) {
	report, err := detection.Load(dir)
	if err != nil {
		return detection.Report{}, err
	}
	i := slices.IndexFunc(report.Lanes, func(l detection.LaneReport) bool { return l.Lane == run.NodeLane })
	if i < 0 {
		return detection.Report{}, fmt.Errorf(
			"sensitivity run %s has no node lane, and runs of the virtual lane are not saved: run it again", report.ID)
	}
	runs, err := savedWaves(dir)
	if err != nil {
		return detection.Report{}, err
	}
	for j := range runs {
		runs[j], _ = run.Rejudge(runs[j], catalogue)
	}
	report.Lanes[i], err = judgeWaves(report.Version, report.Lanes[i], runs)
	if err != nil {
		return detection.Report{}, fmt.Errorf("sensitivity run %s: %w", report.ID, err)
	}
	report.Lanes[i].Notes = append(report.Lanes[i].Notes,
		"judged again by podclock "+by+" from the recorded runs of its waves")
	return report, nil
}

func savedWaves(dir string) ([]run.Run, error) {
	folders, err := os.ReadDir(filepath.Join(dir, wavesFolder))
	if err != nil {
		return nil, fmt.Errorf("read the runs of the waves (judge the sensitivity run where it was made): %w", err)
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

func judgeWaves(version string, lane detection.LaneReport, runs []run.Run) (detection.LaneReport, error) {
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
		if e == nil || len(e.outcomes) == 0 || m.Verdict == detection.Failed {
			continue
		}
		k := slices.IndexFunc(mutation.All(), func(known mutation.Mutation) bool { return known.Name == m.Name })
		if k < 0 {
			return lane, fmt.Errorf("mutation %s no longer exists: judge with the revision that made the run", m.Name)
		}
		mutants[i] = judgeMutant(mutation.All()[k], version, e.outcomes, e.judgedBy(all))
		mutants[i].Build, mutants[i].Run = m.Build, m.Run
	}
	lane.Mutants = mutants
	return lane, nil
}
