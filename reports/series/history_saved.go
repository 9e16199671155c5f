package series

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/podclock/podclock/harness/run"
)

// HistoryOptions say what of saved runs becomes a history.
type HistoryOptions struct {
	// Most is how many runs are taken, the newest; 0 is MostRuns.
	Most int
	// Judge judges a run again before it is taken, as with the formulas of now; nil leaves the verdicts
	// that were saved.
	Judge func(run.Run) run.Run
}

// LoadHistory makes a history of the runs that paths name, which [RunFolders] understands, and reads no
// more of them than it takes. One that can't be read, as it has an older format, is passed over by name. It
// is an error where no run is left.
func LoadHistory(o HistoryOptions, paths ...string) (History, error) {
	folders, err := run.RunFolders(paths...)
	if err != nil {
		return History{}, err
	}
	type saved struct {
		path    string
		started time.Time
	}
	most := cmp.Or(o.Most, MostRuns)
	h := NewHistorian(most)
	var runs []saved
	for _, folder := range folders {
		started, err := startOf(folder)
		if err != nil {
			h.PassOver(folder, err)
			continue
		}
		runs = append(runs, saved{folder, started})
	}
	slices.SortStableFunc(runs, func(x, y saved) int { return y.started.Compare(x.started) }) // the newest first
	for i, s := range runs {
		if len(h.runs) == most {
			h.LeaveOut(len(runs) - i)
			break
		}
		run, err := run.Load(s.path)
		if err != nil {
			h.PassOver(s.path, err)
			continue
		}
		if o.Judge != nil {
			run = o.Judge(run)
		}
		h.Add(run)
	}
	if len(h.runs) == 0 {
		return History{}, fmt.Errorf(
			"none of %s could be read: %s",
			run.Plural(len(folders), "saved run"),
			cmp.Or(h.passedOver...),
		)
	}
	return h.History(), nil
}

// startOf reads from a saved run's beginning when it was started: the file may have tens of megabytes, and
// its first lines say it.
func startOf(path string) (time.Time, error) {
	file := path
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		file = filepath.Join(path, run.RunFile)
	}
	f, err := os.Open(file)
	if err != nil {
		return time.Time{}, err
	}
	defer func() { _ = f.Close() }() // it was only read
	d := json.NewDecoder(f)
	open, err := d.Token()
	if err != nil {
		return time.Time{}, fmt.Errorf("it is not a saved run: %w", err)
	}
	if open != json.Delim('{') {
		return time.Time{}, errors.New("it is not a saved run but some other JSON")
	}
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return time.Time{}, fmt.Errorf("it is not a saved run: %w", err)
		}
		if key == "started" {
			var started time.Time
			if err := d.Decode(&started); err != nil {
				return time.Time{}, fmt.Errorf("when it started can't be read: %w", err)
			}
			return started, nil
		}
		var other json.RawMessage
		if err := d.Decode(&other); err != nil {
			return time.Time{}, fmt.Errorf("it is not a saved run: %w", err)
		}
	}
	return time.Time{}, errors.New("it does not say when it was started")
}
