package detection

import (
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
	// ProofFile is the saved proof itself, ProofMarkdownFile its table for people.
	ProofFile         = "proof.json"
	ProofMarkdownFile = "proof.md"
	// LatestProofLink is the name, beside the proofs' folders, of a link to the newest one.
	LatestProofLink = "latest-sensitivity"
)

// proofPrefix begins the names of proofs' folders, which lie among those of runs.
const proofPrefix = "sensitivity-"

// ProofFolder creates the folder of a proof that started at a time, and with it the proof's ID.
func ProofFolder(out string, started time.Time) (dir, id string, err error) {
	return run.NewFolder(out, proofPrefix, started)
}

// proofJSON writes the proof with each lane's figures, for other readers of the file; this package works
// them out again.
func ProofJSON(w io.Writer, p Proof) error {
	type lane struct {
		LaneProof
		Figures ProofFigures `json:"figures"`
	}
	lanes := []lane{}
	for _, l := range p.Lanes {
		lanes = append(lanes, lane{l, l.Figures()})
	}
	e := json.NewEncoder(w)
	e.SetIndent("", " ")
	if err := e.Encode(struct {
		Proof
		Lanes    []lane `json:"lanes"`
		ExitCode int    `json:"exitCode"`
	}{p, lanes, p.ExitCode()}); err != nil {
		return fmt.Errorf("saving proof %s: encoding it: %w", p.ID, err)
	}
	return nil
}

// LoadProof reads a saved proof: path is its folder, the link to it, or its proof.json.
func LoadProof(path string) (Proof, error) {
	file := path
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		file = filepath.Join(path, ProofFile)
	}
	data, err := os.ReadFile(file)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return Proof{}, fmt.Errorf(
			"no saved proof at %s: name the folder of one, such as out/%s, or its %s: %w",
			file,
			LatestProofLink,
			ProofFile,
			err,
		)
	case err != nil:
		return Proof{}, fmt.Errorf("reading the saved proof %s: %w", file, err)
	}
	var format struct {
		Schema string `json:"schema"`
	}
	if err := json.Unmarshal(data, &format); err != nil {
		return Proof{}, fmt.Errorf(
			"%s is not a saved proof (%s is written whole, so it was changed or is something else): %w",
			file,
			ProofFile,
			err,
		)
	}
	if format.Schema != ProofSchema {
		return Proof{}, fmt.Errorf(
			"%s has the schema %q, this podclock reads %q: use the revision that wrote it, or prove again",
			file,
			format.Schema,
			ProofSchema,
		)
	}
	var p Proof
	if err := json.Unmarshal(data, &p); err != nil {
		return Proof{}, fmt.Errorf(
			"%s has the schema %q but does not fit it (was it edited?): %w",
			file,
			ProofSchema,
			err,
		)
	}
	return p, nil
}

// LatestProof points the link out/latest-sensitivity to a proof's folder.
func LatestProof(out, dir string) error { return run.Link(out, LatestProofLink, dir) }
