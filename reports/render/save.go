package render

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/podclock/podclock/harness/run"
	"github.com/podclock/podclock/harness/trial"
	"github.com/podclock/podclock/reports/folder"
)

// Folder returns the writer of a run's folder, run.json first.
func Folder(catalogue func() []trial.Trial) func(dir string, r run.Run) error {
	return func(dir string, r run.Run) error {
		err := folder.Write(dir, r)
		o := Options{Catalogue: catalogue, Podclock: r.Environment.Podclock}
		_, rendering := Save(dir, r, o, atEnd()...)
		return errors.Join(err, rendering)
	}
}

// Save renders reports into an existing folder and returns their paths. A file that fails stays as it was and does not
// stop the others.
func Save(dir string, r run.Run, o Options, formats ...Format) (paths []string, err error) {
	for _, f := range formats {
		for _, file := range f.Files(r, o) {
			path := filepath.Join(dir, file.Name)
			if failed := Write(path, file.Render); failed != nil {
				err = errors.Join(err, fmt.Errorf("the %s report: %w", f.Name, failed))
				continue
			}
			paths = append(paths, path)
		}
	}
	return paths, err
}

// Write writes a rendered file and makes its folder. If rendering fails, the old file stays.
func Write(path string, render func(io.Writer) error) error {
	var text bytes.Buffer
	if err := render(&text); err != nil {
		return err
	}
	err := os.MkdirAll(filepath.Dir(path), 0o755)
	if err == nil {
		err = run.Replace(path, text.Bytes())
	}
	if err != nil {
		return fmt.Errorf("write the report (is the disk full, or the folder read-only?): %w", err)
	}
	return nil
}

// atEnd returns the formats that [folder.Write] does not write.
func atEnd() []Format {
	return slices.DeleteFunc(Formats(), func(f Format) bool { return !f.atEnd })
}
