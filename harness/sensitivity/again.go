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

// Again judges the node lane of a saved sensitivity run again by the recorded runs of its waves. The virtual lane keeps
// its verdicts, because its runs are not saved and no delay affects them; so do mutants that were not built or never
// ran. dir is the run's folder, by the revision that judges.
func Again(dir, by string, catalogue func(id string) (trial.Trial, bool)) (detection.Report, error) {
	proof, err := detection.Load(dir)
	if err != nil {
		return detection.Report{}, err
	}
	i := slices.IndexFunc(proof.Lanes, func(l detection.LaneReport) bool { return l.Lane == run.NodeLane })
	if i < 0 {
		return detection.Report{}, fmt.Errorf(
			"proof %s has no node lane, and of the virtual one no runs are kept: prove it again", proof.ID)
	}
	runs, err := savedWaves(dir)
	if err != nil {
		return detection.Report{}, err
	}
	for j := range runs {
		runs[j], _ = run.Rejudge(runs[j], catalogue)
	}
	proof.Lanes[i], err = judgeWaves(proof.Version, proof.Lanes[i], runs)
	if err != nil {
		return detection.Report{}, fmt.Errorf("proof %s: %w", proof.ID, err)
	}
	proof.Lanes[i].Notes = append(proof.Lanes[i].Notes,
		"judged again by podclock "+by+", from what the runs of its waves recorded")
	return proof, nil
}

// savedWaves returns the runs of the waves in their order.
func savedWaves(dir string) ([]run.Run, error) {
	folders, err := os.ReadDir(filepath.Join(dir, wavesFolder))
	if err != nil {
		return nil, fmt.Errorf(
			"reading the runs of the proof's waves (a proof can only be judged again where it was made): %w", err)
	}
	var runs []run.Run
	for _, f := range folders {
		if !f.IsDir() {
			continue // the link to the newest
		}
		run, err := run.Load(filepath.Join(dir, wavesFolder, f.Name()))
		if errors.Is(err, fs.ErrNotExist) {
			continue // it came to no report, as the proof says itself
		}
		if err != nil {
			return nil, err
		}
		runs = append(runs, run)
	}
	return runs, nil
}

// judgeWaves returns the lane as the runs of its waves show it.
func judgeWaves(version string, lane detection.LaneReport, runs []run.Run) (detection.LaneReport, error) {
	met, all, controls := map[string]*record{}, references{}, lane.References
	lane.References = nil
	for _, run := range runs {
		beside := references{}
		if outcomes := of(version, run.Outcomes); len(outcomes) > 0 {
			if len(controls) == 0 {
				return lane, fmt.Errorf(
					"it has fewer clean controls than the runs of its waves: one of them, %s, is not its own", run.ID)
			}
			control := judgeReference(controls[0].Subject, outcomes)
			control.Build, control.Run = controls[0].Build, controls[0].Run
			lane.References, controls = append(lane.References, control), controls[1:]
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
	if len(controls) > 0 {
		return lane, fmt.Errorf("the run of its control %s is not there", controls[0].Subject)
	}
	mutants := slices.Clone(lane.Mutants)
	for i, m := range mutants {
		e := met[m.Name]
		if e == nil || len(e.outcomes) == 0 || m.Verdict == detection.Failed {
			continue
		}
		k := slices.IndexFunc(mutation.All(), func(known mutation.Mutation) bool { return known.Name == m.Name })
		if k < 0 {
			return lane, fmt.Errorf("there is no mutation %s any more: judge it with the revision that made it", m.Name)
		}
		mutants[i] = judgeMutant(mutation.All()[k], version, e.outcomes, e.control(all))
		mutants[i].Build, mutants[i].Run = m.Build, m.Run
	}
	lane.Mutants = mutants
	return lane, nil
}
