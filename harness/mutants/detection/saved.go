package detection

import (
	"encoding/json"
	"fmt"
	"io"
	"time"

	"github.com/podclock/podclock/harness/measure/run"
)

// The files of a sensitivity run's folder, beside run.JUnitFile.
const (
	// ReportFile is the saved report, MarkdownFile the rendering for people.
	ReportFile   = "proof.json"
	MarkdownFile = "proof.md"
	// LatestLink is the name of the link to the newest folder, beside the folders.
	LatestLink = "latest-sensitivity"
)

// prefix begins the names of these folders, which lie among those of runs.
const prefix = "sensitivity-"

// NewFolder creates the folder of a sensitivity run that started at a time. Its name is the report's ID.
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
		return fmt.Errorf("saving sensitivity report %s: encoding it: %w", p.ID, err)
	}
	return nil
}

// Load reads a saved report: path is its folder, the link to it, or its proof.json.
func Load(path string) (p Report, err error) {
	format := run.Format{What: "sensitivity report", File: ReportFile, Link: LatestLink, Schema: Schema}
	err = format.Read(path, &p)
	return p, err
}

// Latest points the link out/latest-sensitivity to a sensitivity run's folder.
func Latest(out, dir string) error { return run.Link(out, LatestLink, dir) }
