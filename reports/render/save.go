package render

import (
	"bytes"
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/podclock/podclock/harness/run"
	"github.com/podclock/podclock/harness/trial"
	"github.com/podclock/podclock/reports/folder"
)

// Folder returns the writer of a run's folder. It writes everything about a finished run, run.json first.
func Folder(catalogue func() []trial.Trial) func(dir string, r run.Run) error {
	return func(dir string, r run.Run) error {
		err := folder.Write(dir, r)
		o := Options{Catalogue: catalogue, Podclock: r.Environment.Podclock}
		_, rendering := Save(dir, r, o, atEnd()...)
		return errors.Join(err, rendering)
	}
}

// Save renders a run to files in a folder that exists, and returns their paths. Each is there as a whole or
// as it was before. One that can't be rendered does not keep the others from it.
func Save(dir string, r run.Run, o Options, formats ...Format) (paths []string, err error) {
	for _, f := range formats {
		for _, file := range f.Files(r, o) {
			path := filepath.Join(dir, file.Name)
			if failed := save(path, file); failed != nil {
				err = errors.Join(err, fmt.Errorf("the %s report: %w", f.Name, failed))
				continue
			}
			paths = append(paths, path)
		}
	}
	return paths, err
}

func save(path string, file File) error {
	var text bytes.Buffer
	if err := file.Render(&text); err != nil {
		return err
	}
	if err := run.Replace(path, text.Bytes()); err != nil {
		return fmt.Errorf("save it (is the disk full, or the folder read-only?): %w", err)
	}
	return nil
}

// atEnd returns the formats of a run's folder that [folder.Write] does not write.
func atEnd() []Format {
	return slices.DeleteFunc(Formats(), func(f Format) bool { return !f.atEnd })
}
