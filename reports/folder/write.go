// Package folder writes the folder of a run, of a sensitivity run and of a series. It is the only writer of
// reports to disk. It does not decide the format of a report.
package folder

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/podclock/podclock/harness/detection"
	"github.com/podclock/podclock/harness/run"
	"github.com/podclock/podclock/harness/trial"
	"github.com/podclock/podclock/reports/junit"
	"github.com/podclock/podclock/reports/markdown"
	"github.com/podclock/podclock/reports/repetition"
	"github.com/podclock/podclock/reports/series"
	"github.com/podclock/podclock/reports/view"
)

// WriteDeviations writes a file for every deviating outcome into DeviationsFolder of the run's folder. A run
// without deviations gets no such folder.
func WriteDeviations(dir string, r run.Run) error {
	folder := filepath.Join(dir, run.DeviationsFolder)
	for _, o := range r.Outcomes {
		if o.Verdict != trial.Deviates || o.Last() == nil {
			continue
		}
		var text bytes.Buffer
		if err := markdown.Deviation(&text, r, o); err != nil {
			return err
		}
		if err := os.MkdirAll(folder, 0o755); err != nil {
			return fmt.Errorf(
				"creating the folder of the deviations of run %s (is the disk full, or the folder read-only?): %w",
				r.ID,
				err,
			)
		}
		path := filepath.Join(folder, run.DeviationFile(o))
		if err := run.Replace(path, text.Bytes()); err != nil {
			return fmt.Errorf(
				"saving the deviation of %s on %s to %s (is the disk full?): %w",
				o.Trial,
				o.Subject,
				path,
				err,
			)
		}
	}
	return nil
}

// WriteDisturbances writes both reports of disturbances into a folder that exists.
func WriteDisturbances(dir string, t repetition.Disturbances) error {
	return writeSeries(
		dir,
		repetition.DisturbancesJSON,
		t,
		map[string]series.Report{repetition.DisturbancesFile: t.Report()},
	)
}

// WriteRounds writes the reports of rounds into a folder that exists. It can be called after each round.
func WriteRounds(dir string, r repetition.Rounds) error {
	return writeSeries(dir, repetition.RoundsJSON, r,
		map[string]series.Report{repetition.RoundsFile: r.Report(), repetition.RoundsClaimsFile: r.ClaimsReport()})
}

// writeSeries writes a view of a series as JSON, and its reports as Markdown. Each file is complete or missing.
func writeSeries(dir, file string, v any, reports map[string]series.Report) error {
	data, err := json.MarshalIndent(v, "", " ")
	if err != nil {
		return fmt.Errorf("encoding %s: %w", file, err)
	}
	files := map[string][]byte{file: append(data, '\n')}
	for name, report := range reports {
		var text bytes.Buffer
		if err := markdown.Series(&text, report); err != nil {
			return err
		}
		files[name] = text.Bytes()
	}
	for name, text := range files {
		if err := run.Replace(filepath.Join(dir, name), text); err != nil {
			return fmt.Errorf("writing %s to %s (is the disk full, or the folder read-only?): %w", name, dir, err)
		}
	}
	return nil
}

// WriteSensitivity writes the report and its renderings into an existing folder, proof.json first. It can be
// called again when something is new. Each file is complete or missing.
func WriteSensitivity(dir string, p detection.Report) error {
	p.Schema = detection.Schema
	for _, report := range []struct {
		file   string
		render func(io.Writer, detection.Report) error
	}{{detection.ReportFile, detection.WriteJSON}, {detection.MarkdownFile, markdown.Sensitivity}, {run.JUnitFile,
		junit.Sensitivity}} {
		var text bytes.Buffer
		if err := report.render(&text, p); err != nil {
			return err
		}
		path := filepath.Join(dir, report.file)
		if err := run.Replace(path, text.Bytes()); err != nil {
			return fmt.Errorf(
				"saving %s of sensitivity report %s (is the disk full, or the folder read-only?): %w",
				path,
				p.ID,
				err,
			)
		}
	}
	return nil
}

// Write saves the run and its renderings into an existing folder. It writes run.json first, so that no renderer
// can lose the measurements. Then come the deviations' files, the Markdown report and the JUnit report.
func Write(dir string, r run.Run) error {
	if err := run.Save(dir, r, view.FiguresOf(r)); err != nil {
		return err
	}
	if err := WriteDeviations(dir, r); err != nil {
		return err
	}
	for _, report := range []struct {
		file   string
		render func(io.Writer, run.Run) error
	}{{run.MarkdownFile, markdown.Run}, {run.JUnitFile, junit.Run}} {
		var text bytes.Buffer
		if err := report.render(&text, r); err != nil {
			return err
		}
		path := filepath.Join(dir, report.file)
		if err := run.Replace(path, text.Bytes()); err != nil {
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
