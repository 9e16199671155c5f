package mutationtest

import (
	"encoding/json"
	"fmt"
	"io"
	"time"

	"github.com/podclock/podclock/harness/measure/run"
)

// The files of a mutation test's folder, beside run.JUnitFile.
const (
	// ReportFile is the saved report, MarkdownFile the rendering for people.
	ReportFile   = "proof.json"
	MarkdownFile = "proof.md"
	// LatestLink is the name of the link to the newest folder, beside the folders.
	LatestLink = "latest-mutants"
)

// prefix begins the names of these folders, which lie among those of runs.
const prefix = "mutants-"

// NewFolder creates the folder of a mutation test that started at a time. Its name is the report's ID.
func NewFolder(out string, started time.Time) (dir, id string, err error) {
	return run.NewFolder(out, prefix, started)
}

// WriteJSON writes the report with each lane's figures, for other readers of the file. Load ignores them.
func WriteJSON(w io.Writer, p Report) error {
	type lane struct {
		LaneReport
		Figures Figures `json:"figures"`
	}
	lanes := []lane{}
	for _, l := range p.Lanes {
		lanes = append(lanes, lane{l, l.Figures()})
	}
	e := json.NewEncoder(w)
	e.SetIndent("", " ")
	if err := e.Encode(struct {
		Report
		Lanes    []lane `json:"lanes"`
		ExitCode int    `json:"exitCode"`
	}{p, lanes, p.ExitCode()}); err != nil {
		return fmt.Errorf("saving mutation report %s: encoding it: %w", p.ID, err)
	}
	return nil
}

// Load reads a saved report: path is its folder, the link to it, or its proof.json.
func Load(path string) (p Report, err error) {
	format := run.Format{What: "mutation report", File: ReportFile, Link: LatestLink, Schema: Schema}
	err = format.Read(path, &p)
	return p, err
}

// Latest points the link out/latest-mutants to a mutation test's folder.
func Latest(out, dir string) error { return run.Link(out, LatestLink, dir) }
