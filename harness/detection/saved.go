package detection

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

	"github.com/podclock/podclock/harness/run"
)

// What a proof's folder holds beside JUnitFile.
const (
	// ReportFile is the saved proof itself, MarkdownFile its table for people.
	ReportFile   = "proof.json"
	MarkdownFile = "proof.md"
	// LatestLink is the name, beside the proofs' folders, of a link to the newest one.
	LatestLink = "latest-sensitivity"
)

// proofPrefix begins the names of proofs' folders, which lie among those of runs.
const proofPrefix = "sensitivity-"

// NewFolder creates the folder of a proof that started at a time, and with it the proof's ID.
func NewFolder(out string, started time.Time) (dir, id string, err error) {
	return run.NewFolder(out, proofPrefix, started)
}

// WriteJSON writes the proof with each lane's figures, for other readers of the file; this package works
// them out again.
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
		return fmt.Errorf("saving proof %s: encoding it: %w", p.ID, err)
	}
	return nil
}

// Load reads a saved proof: path is its folder, the link to it, or its proof.json.
func Load(path string) (Report, error) {
	file := path
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		file = filepath.Join(path, ReportFile)
	}
	data, err := os.ReadFile(file)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return Report{}, fmt.Errorf(
			"no saved proof at %s: name the folder of one, such as out/%s, or its %s: %w",
			file,
			LatestLink,
			ReportFile,
			err,
		)
	case err != nil:
		return Report{}, fmt.Errorf("reading the saved proof %s: %w", file, err)
	}
	var format struct {
		Schema string `json:"schema"`
	}
	if err := json.Unmarshal(data, &format); err != nil {
		return Report{}, fmt.Errorf(
			"%s is not a saved proof (%s is written whole, so it was changed or is something else): %w",
			file,
			ReportFile,
			err,
		)
	}
	if format.Schema != Schema {
		return Report{}, fmt.Errorf(
			"%s has the schema %q, this podclock reads %q: use the revision that wrote it, or prove again",
			file,
			format.Schema,
			Schema,
		)
	}
	var p Report
	if err := json.Unmarshal(data, &p); err != nil {
		return Report{}, fmt.Errorf(
			"%s has the schema %q but does not fit it (was it edited?): %w",
			file,
			Schema,
			err,
		)
	}
	return p, nil
}

// Latest points the link out/latest-sensitivity to a proof's folder.
func Latest(out, dir string) error { return run.Link(out, LatestLink, dir) }

// Save writes proof.json into a folder that exists. The file is complete, or stays as it was.
func Save(dir string, r Report) error {
	r.Schema = Schema
	var text bytes.Buffer
	if err := WriteJSON(&text, r); err != nil {
		return err
	}
	return run.Replace(filepath.Join(dir, ReportFile), text.Bytes())
}
