// Package folder writes the folder of a run, of a mutation test and of a series. It is the only writer of
// reports to disk. It does not decide the format of a report.
package folder

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/podclock/podclock/harness/measure/run"
	"github.com/podclock/podclock/harness/measure/trial"
	"github.com/podclock/podclock/harness/mutants/mutationtest"
	"github.com/podclock/podclock/reports/drawing/chart"
	"github.com/podclock/podclock/reports/render"
	"github.com/podclock/podclock/reports/render/conformance"
	"github.com/podclock/podclock/reports/render/junit"
	"github.com/podclock/podclock/reports/render/markdown"
	"github.com/podclock/podclock/reports/render/sketch"
	"github.com/podclock/podclock/reports/view"
	"github.com/podclock/podclock/reports/view/benchmark"
	"github.com/podclock/podclock/reports/view/fuzzed"
	"github.com/podclock/podclock/reports/view/repetition"
)

// Writer returns the writer of a single run's folder. The folder has every format that is not only on request.
func Writer(catalogue func() []trial.Trial) func(dir string, r run.Run) error {
	return func(dir string, r run.Run) error {
		report := conformance.Options{Podclock: r.Environment.Podclock}
		return writeRun(dir, r, render.Options{Catalogue: catalogue, Conformance: report}, render.OfRun)
	}
}

// Write writes the folder of one run of many, such as a round: run.json, the deviations, and the formats of
// [render.OfSeries].
func Write(dir string, r run.Run) error { return writeRun(dir, r, render.Options{}, render.OfSeries) }

// writeRun writes run.json first, so that a renderer cannot lose what was measured, then the deviations and formats.
func writeRun(dir string, r run.Run, options render.Options, in render.Scope) error {
	err := run.Save(dir, r, view.FiguresOf(r))
	for _, o := range r.Outcomes {
		if o.Verdict == trial.Deviates && o.Last() != nil {
			path := filepath.Join(dir, run.DeviationsFolder, run.DeviationFile(o))
			err = errors.Join(err, WriteFile(path, func(w io.Writer) error { return markdown.Deviation(w, r, o) }))
		}
	}
	formats := slices.DeleteFunc(render.Formats(), func(f render.Format) bool { return f.Scope < in })
	_, rendering := WriteFormats(dir, r, options, formats...)
	return errors.Join(err, rendering)
}

// WriteFormats writes formats of a run into a folder and returns the paths of their files. If one file fails, it
// stays as it was, and the others are written.
func WriteFormats(dir string, r run.Run, o render.Options, formats ...render.Format) (paths []string, err error) {
	v := o.View(r)
	for _, f := range formats {
		for _, file := range f.Files(v, o) {
			path := filepath.Join(dir, file.Name)
			if failed := WriteFile(path, file.Render); failed != nil {
				err = errors.Join(err, fmt.Errorf("the %s report: %w", f.Name, failed))
				continue
			}
			paths = append(paths, path)
		}
	}
	return paths, err
}

// WriteFile writes a rendered file and makes its folder. If rendering fails, the old file stays.
func WriteFile(path string, render func(io.Writer) error) error {
	err := os.MkdirAll(filepath.Dir(path), 0o755)
	if err == nil {
		err = run.Replace(path, render)
	}
	if failed := new(fs.PathError); errors.As(err, &failed) {
		return fmt.Errorf("write %s (is the disk full, or the folder read-only?): %w", path, err)
	}
	return err
}

// WriteDisturbances writes both reports of disturbances. It can be called after each round.
func WriteDisturbances(dir string, t repetition.Disturbances) error {
	return errors.Join(
		writeJSON(filepath.Join(dir, repetition.DisturbancesJSON), t),
		writeReport(filepath.Join(dir, repetition.DisturbancesFile), t.Report()),
	)
}

// WriteRounds writes the reports of rounds. It can be called after each round.
func WriteRounds(dir string, r repetition.Rounds) error {
	return errors.Join(
		writeJSON(filepath.Join(dir, repetition.RoundsJSON), r),
		writeReport(filepath.Join(dir, repetition.RoundsFile), r.Report()),
		writeReport(filepath.Join(dir, repetition.RoundsClaimsFile), r.ClaimsReport()),
	)
}

// WriteFleet writes the reports of a fleet. It can be called after each wave.
func WriteFleet(dir string, f repetition.Fleet) error {
	return errors.Join(
		writeJSON(filepath.Join(dir, repetition.FleetJSON), f),
		writeReport(filepath.Join(dir, repetition.FleetFile), f.Report()),
		writeReport(filepath.Join(dir, repetition.FleetClaimsFile), f.ClaimsReport()),
	)
}

func writeJSON(path string, v any) error {
	return WriteFile(path, func(w io.Writer) error { return view.JSON(w, v) })
}

func writeReport(path string, report view.Report) error {
	return WriteFile(path, func(w io.Writer) error { return markdown.Report(w, report) })
}

// WriteFuzz writes both reports of random scenarios. It can be called after each subject.
func WriteFuzz(dir string, a fuzzed.Answer) error {
	return errors.Join(
		writeJSON(filepath.Join(dir, fuzzed.JSONFile), a),
		writeReport(filepath.Join(dir, fuzzed.MarkdownFile), a.Full()),
	)
}

// WriteBench writes the reports of a benchmark and its picture. It can be called after each row.
func WriteBench(dir string, t benchmark.Table) error {
	return errors.Join(
		writeJSON(filepath.Join(dir, benchmark.JSONFile), t),
		writeReport(filepath.Join(dir, benchmark.MarkdownFile), t.Report()),
		WriteFile(filepath.Join(dir, benchmark.PictureFile),
			func(w io.Writer) error { return chart.SVG(w, sketch.Benchmark(t)) }),
	)
}

// WriteMutants writes the reports of a mutation test, proof.json first. It can be called after each verdict.
func WriteMutants(dir string, p mutationtest.Report) error {
	return errors.Join(WriteRecord(dir, p), WriteFile(filepath.Join(dir, run.JUnitFile),
		func(w io.Writer) error { return junit.Mutants(w, p) }))
}

// WriteRecord writes a record of mutants: proof.json and proof.md. It makes the folder if it does not exist.
func WriteRecord(dir string, p mutationtest.Report) error {
	p.Schema = mutationtest.Schema
	return errors.Join(
		WriteFile(filepath.Join(dir, mutationtest.ReportFile),
			func(w io.Writer) error { return mutationtest.WriteJSON(w, p) }),
		WriteFile(filepath.Join(dir, mutationtest.MarkdownFile),
			func(w io.Writer) error { return markdown.Mutants(w, p) }),
	)
}
