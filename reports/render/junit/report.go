package junit

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/onsi/ginkgo/v2/reporters"
	"github.com/onsi/ginkgo/v2/types"

	"github.com/podclock/podclock/harness/measure/run"
	"github.com/podclock/podclock/reports/view"
)

// write copies the report that Ginkgo's reporter makes of the suites. An error names the report as what.
func write(w io.Writer, what string, suites iter.Seq[types.Report]) error {
	folder, err := os.MkdirTemp("", "podclock-junit-")
	if err == nil {
		err = errors.Join(render(w, folder, suites), os.RemoveAll(folder))
	}
	if err != nil {
		return fmt.Errorf("writing the JUnit report of %s: %w", what, err)
	}
	return nil
}

// render writes each suite into a file of the folder, merges these files and copies the result. A suite is made when
// its file is written: those of a fleet's wave are many. Ginkgo ignores what a full disk refuses, so the merged file
// is read before it is copied.
func render(w io.Writer, folder string, suites iter.Seq[types.Report]) error {
	var files []string
	for s := range suites {
		file := filepath.Join(folder, fmt.Sprintf("%d.xml", len(files)))
		err := reporters.GenerateJUnitReportWithConfig(s, file, reporters.JunitReportConfig{
			// A case's name is its promised name only. A timeline would repeat the failure.
			OmitLeafNodeType:          true,
			OmitTimelinesForSpecState: types.SpecStatePassed | types.SpecStateSkipped | types.SpecStateFailed,
		})
		if err != nil {
			return err
		}
		files = append(files, file)
	}
	merged := filepath.Join(folder, "merged.xml")
	messages, err := reporters.MergeAndCleanupJUnitReports(files, merged)
	if len(messages) > 0 {
		err = errors.Join(err, errors.New(strings.Join(messages, "; ")))
	}
	if err != nil {
		return err
	}
	file, err := os.Open(merged)
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }()
	if err = check(file, len(files)); err == nil {
		_, err = file.Seek(0, io.SeekStart)
	}
	if err == nil {
		_, err = io.Copy(w, file)
	}
	return err
}

// check reports whether a report can be read to its end and has all its suites.
func check(r io.Reader, suites int) error {
	var all struct {
		Suites []struct{} `xml:"testsuite"`
	}
	err := xml.NewDecoder(r).Decode(&all)
	if err == nil && len(all.Suites) != suites {
		err = fmt.Errorf("it has %s of %d", run.Plural(len(all.Suites), "suite"), suites)
	}
	if err != nil {
		return fmt.Errorf("the report is incomplete (is the disk full?): %w", err)
	}
	return nil
}

// suite returns a suite. Its time is that of its cases, although they run at the same time: readers of JUnit add up.
func suite(name string, started time.Time, cases ...types.SpecReport) types.Report {
	s := types.Report{SuiteDescription: name, SuiteSucceeded: true, StartTime: started.UTC(), SpecReports: cases}
	for _, c := range cases {
		s.RunTime += c.RunTime
		s.SuiteSucceeded = s.SuiteSucceeded && !c.Failed()
	}
	return s
}

// passed returns a case that passed.
func passed(name string, took time.Duration, e entries) types.SpecReport {
	return types.SpecReport{
		LeafNodeType: types.NodeTypeIt, LeafNodeText: name, State: types.SpecStatePassed,
		RunTime: took.Round(time.Millisecond), ReportEntries: types.ReportEntries(e),
	}
}

// end gives a case another state and its reason. file has the details.
func end(c *types.SpecReport, state types.SpecState, why, file string, at time.Time) {
	c.State = state
	c.Failure = types.Failure{
		Message: view.Printable(why), FailureNodeType: types.NodeTypeIt, Location: types.NewCustomCodeLocation(file),
		TimelineLocation: types.TimelineLocation{Time: at.UTC()},
	}
}
