package reports

import (
	"bytes"
	"fmt"
	"io"
	"path/filepath"
)

// Write saves the run and everything that is made of it in a folder that exists: run.json first, so that
// what was measured is safe whatever a renderer does, then the deviations' files, the Markdown report and
// JUnit's.
func Write(dir string, r Run) error {
	if err := Save(dir, r, r.Figures()); err != nil {
		return err
	}
	if err := WriteDeviations(dir, r); err != nil {
		return err
	}
	for _, report := range []struct {
		file   string
		render func(io.Writer, Run) error
	}{{MarkdownFile, Markdown}, {JUnitFile, JUnit}} {
		var text bytes.Buffer
		if err := report.render(&text, r); err != nil {
			return err
		}
		path := filepath.Join(dir, report.file)
		if err := Replace(path, text.Bytes()); err != nil {
			return fmt.Errorf(
				"saving the report %s of run %s (is the disk full, or the folder read-only?): %w",
				path,
				r.ID,
				err,
			)
		}
	}
	return nil
}
