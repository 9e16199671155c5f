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

	"github.com/podclock/podclock/harness/measure/run"
)

// HistoryOptions select what of saved runs becomes a history.
type HistoryOptions struct {
	// Most is the number of runs that are taken, the newest. 0 means MostRuns.
	Most int
	// Judge judges a run again before it is added. nil keeps the saved verdicts.
	Judge func(run.Run) run.Run
}

// LoadHistory makes a history of saved runs. Paths are as [run.Folders] takes them. It passes over runs that it
// cannot read. It fails if no run is left.
func LoadHistory(o HistoryOptions, paths ...string) (History, error) {
	folders, err := run.Folders(paths...)
	if err != nil {
		return History{}, err
	}
	b := NewHistory(cmp.Or(o.Most, MostRuns))
	newest := b.newestFirst(folders)
	for i, folder := range newest {
		if len(b.runs) == b.most {
			b.left += len(newest) - i
			break
		}
		r, err := run.Load(folder)
		if err != nil {
			b.PassOver(folder, err)
			continue
		}
		if o.Judge != nil {
			r = o.Judge(r)
		}
		b.Add(r)
	}
	if len(b.runs) == 0 {
		return History{}, fmt.Errorf("none of %s could be read: %s",
			run.Plural(len(folders), "saved run"), cmp.Or(b.passedOver...))
	}
	b.scores = loadScores(b.most, b.PassOver, paths...)
	return b.History(), nil
}

// newestFirst sorts saved runs by their start. It passes over those that do not have one.
func (b *HistoryBuilder) newestFirst(folders []string) []string {
	starts := map[string]time.Time{}
	var known []string
	for _, folder := range folders {
		started, err := startOf(folder)
		if err != nil {
			b.PassOver(folder, err)
			continue
		}
		starts[folder] = started
		known = append(known, folder)
	}
	slices.SortStableFunc(known, func(x, y string) int { return starts[y].Compare(starts[x]) })
	return known
}

// startOf reads the start of a saved run from the first lines of its file, which can have tens of megabytes.
func startOf(path string) (time.Time, error) {
	file := path
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		file = filepath.Join(path, run.RunFile)
	}
	f, err := os.Open(file)
	if err != nil {
		return time.Time{}, err
	}
	defer func() { _ = f.Close() }() // it is only read
	d := json.NewDecoder(f)
	if open, err := d.Token(); err != nil || open != json.Delim('{') {
		return time.Time{}, errors.Join(errors.New("it is not a saved run"), err)
	}
	for d.More() {
		key, err := d.Token()
		var value json.RawMessage
		if err = errors.Join(err, d.Decode(&value)); err != nil {
			return time.Time{}, fmt.Errorf("it is not a saved run: %w", err)
		}
		if key == "started" {
			var started time.Time
			if err := json.Unmarshal(value, &started); err != nil {
				return time.Time{}, fmt.Errorf("reading its start: %w", err)
			}
			return started, nil
		}
	}
	return time.Time{}, errors.New("it has no start")
}
