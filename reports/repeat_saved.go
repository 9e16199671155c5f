package reports

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// What a folder of repeats holds beside its rounds.
const (
	// RepeatFile is the report for people, RepeatClaimsFile every claim's distribution, RepeatJSON both for programs.
	RepeatFile       = "repeat.md"
	RepeatClaimsFile = "repeat-claims.md"
	RepeatJSON       = "repeat.json"
)

// repeatPrefix begins the names of the folders of repeats, which lie among those of runs.
const repeatPrefix = "repeat-"

// RepeatFolder creates the folder of repeats that began at a time.
func RepeatFolder(out string, started time.Time) (string, error) {
	dir, _, err := folder(out, repeatPrefix, started)
	return dir, err
}

// RunFolders are the saved runs that paths name: each is a run's folder or its run.json, or a folder of
// runs, whose runs come in the order of their names, the order of time. Links such as out/latest, and runs
// that are not over, are passed over there.
func RunFolders(paths ...string) ([]string, error) {
	var runs []string
	for _, path := range paths {
		info, err := os.Stat(path)
		if err != nil {
			return nil, fmt.Errorf("looking for saved runs in %s: %w", path, err)
		}
		if !info.IsDir() || isRun(path) {
			runs = append(runs, path)
			continue
		}
		entries, err := os.ReadDir(path)
		if err != nil {
			return nil, fmt.Errorf("looking for saved runs in %s: %w", path, err)
		}
		before := len(runs)
		for _, e := range entries {
			if run := filepath.Join(path, e.Name()); e.IsDir() && isRun(run) {
				runs = append(runs, run)
			}
		}
		if len(runs) == before {
			return nil, fmt.Errorf(
				"no saved run in %s: name the folder of a run, with its %s, or a folder of such folders",
				path,
				RunFile,
			)
		}
	}
	return runs, nil
}

func isRun(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, RunFile))
	return !errors.Is(err, fs.ErrNotExist)
}

// WriteRepeat saves what the repeats say in a folder that exists, for programs and for people. It can be
// called as often as there is another round.
func WriteRepeat(dir string, r Repeat) error {
	data, err := json.MarshalIndent(r, "", " ")
	if err != nil {
		return fmt.Errorf("encoding %s: %w", RepeatJSON, err)
	}
	files := map[string][]byte{RepeatJSON: append(data, '\n')}
	for file, render := range map[string]func(io.Writer, Repeat) error{RepeatFile: RepeatMarkdown, RepeatClaimsFile: RepeatClaims} {
		var text bytes.Buffer
		if err := render(&text, r); err != nil {
			return err
		}
		files[file] = text.Bytes()
	}
	for file, text := range files {
		path := filepath.Join(dir, file)
		if err := Replace(path, text); err != nil {
			return fmt.Errorf(
				"saving the report of the repeats to %s (is the disk full, or the folder read-only?): %w",
				path,
				err,
			)
		}
	}
	return nil
}
