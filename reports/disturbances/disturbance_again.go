package disturbances

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/podclock/podclock/harness/run"
	"github.com/podclock/podclock/harness/trial"
)

// DisturbancesAgain judges saved disturbances again, by what the runs of their rows recorded. dir is their folder.
func DisturbancesAgain(dir string, catalogue func(id string) (trial.Trial, bool)) (Disturbances, error) {
	saved, err := loadDisturbances(filepath.Join(dir, DisturbanceJSON))
	if err != nil {
		return Disturbances{}, err
	}
	again := Disturbances{Schema: DisturbanceSchema, Asked: saved.Asked, Ended: saved.Ended}
	for _, r := range saved.Rows {
		row := Disturbed{Name: r.Name, Says: r.Says, Control: r.Control, Applied: r.Applied, Problem: r.Problem}
		if r.Run != "" {
			loaded, err := run.Load(filepath.Join(dir, r.Run))
			if err != nil {
				return Disturbances{}, fmt.Errorf("the row %s of %s: %w", r.Name, dir, err)
			}
			row.Run, _ = run.Rejudge(loaded, catalogue)
		}
		again.Add(row)
	}
	again.ExitCode = again.Code()
	return again, nil
}

func loadDisturbances(file string) (Disturbances, error) {
	data, err := os.ReadFile(file)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return Disturbances{}, fmt.Errorf(
			"no saved disturbances at %s: name the folder of some, such as out/%s…: %w",
			file,
			disturbancePrefix,
			err,
		)
	case err != nil:
		return Disturbances{}, fmt.Errorf("reading the saved disturbances: %w", err)
	}
	var t Disturbances
	if err := json.Unmarshal(data, &t); err != nil {
		return Disturbances{}, fmt.Errorf(
			"%s is no saved disturbances (it is written whole, so it was changed or is something else): %w",
			file,
			err,
		)
	}
	if t.Schema != DisturbanceSchema {
		return Disturbances{}, fmt.Errorf(
			"%s has the schema %q, this podclock reads %q: use the revision that wrote it, or run again",
			file,
			t.Schema,
			DisturbanceSchema,
		)
	}
	return t, nil
}
