package run

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// DeviationsFolder is the folder within a run's folder that has one file for every deviating outcome.
const DeviationsFolder = "deviations"

// notInFileName matches the characters that a subject's name may have and a file's name should not.
var notInFileName = regexp.MustCompile(`[^A-Za-z0-9.+_-]+`)

// DeviationFile returns the name of an outcome's file in DeviationsFolder.
func DeviationFile(o Outcome) string {
	return strings.ReplaceAll(o.Trial, "/", "-") + "-" + InFileName(o.Subject) + ".md"
}

// InFileName returns a subject's name as a part of a file's name. If characters must be replaced, such as those
// of a path, a hash keeps names distinct.
func InFileName(subject string) string {
	name := notInFileName.ReplaceAllString(subject, "-")
	if name == subject {
		return name
	}
	sum := sha256.Sum256([]byte(subject))
	return name + "-" + hex.EncodeToString(sum[:4])
}

// Folders returns the folders of saved runs. Each path is a run's folder, its run.json, or a folder of runs.
// The runs of a folder are in the order of their names, which is the order of time. Links such as out/latest
// and unfinished runs are skipped there.
func Folders(paths ...string) ([]string, error) {
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
			const format = "no saved run in %s: name the folder of a run, with its %s, or a folder of such folders"
			return nil, fmt.Errorf(format, path, RunFile)
		}
	}
	return runs, nil
}

func isRun(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, RunFile))
	return !errors.Is(err, fs.ErrNotExist)
}
