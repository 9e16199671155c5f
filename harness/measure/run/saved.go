package run

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"
)

// The files of a run's folder.
const (
	// RunFile is the saved run itself.
	RunFile = "run.json"
	// JUnitFile is the JUnit report. MarkdownFile has every verdict and claim for people.
	JUnitFile    = "junit.xml"
	MarkdownFile = "verdicts.md"
	// LatestLink is the name of the link to the newest run, beside the run folders.
	LatestLink = "latest"
)

// idLayout makes a run's ID from its start in UTC.
const idLayout = "20060102-150405"

// MostInOneSecond limits the runs that start in one second.
const MostInOneSecond = 100

// Save writes the run to run.json in an existing folder. The file is complete or unchanged, and Save can be
// called again. figures are for other readers of the file; Load ignores them.
func Save(dir string, r Run, figures any) error {
	r.Schema = Schema
	encode := func(w io.Writer) error { return r.encode(w, figures) }
	return r.write(filepath.Join(dir, RunFile), encode)
}

// encode writes what json.Marshal returns of the run and its figures, and a line feed. It encodes one outcome at a
// time: those of a fleet's wave are much more than the rest.
func (r Run) encode(w io.Writer, figures any) error {
	outcomes := r.Outcomes
	r.Outcomes = []Outcome{}
	whole, err := json.Marshal(struct {
		Run
		Figures any `json:"figures,omitempty"`
	}{r, figures})
	before, after, found := bytes.Cut(whole, []byte(`"outcomes":[]`))
	switch {
	case err != nil:
		return err
	case !found:
		return errors.New("its JSON has no outcomes")
	}
	_, err = fmt.Fprintf(w, `%s"outcomes":[`, before)
	for i, o := range outcomes {
		text, failed := json.Marshal(o)
		if i > 0 {
			text = slices.Insert(text, 0, ',')
		}
		_, written := w.Write(text)
		err = errors.Join(err, failed, written)
	}
	_, written := fmt.Fprintf(w, "]%s\n", after)
	return errors.Join(err, written)
}

// SaveCompressed writes the run to a file that Load reads, too.
func SaveCompressed(path string, r Run) error {
	r.Schema = Schema
	return r.write(path, func(to io.Writer) error {
		w := gzip.NewWriter(to)
		return errors.Join(json.NewEncoder(w).Encode(r), w.Close())
	})
}

func (r Run) write(path string, content func(io.Writer) error) error {
	if err := Replace(path, content); err != nil {
		return fmt.Errorf("saving run %s to %s (is the disk full, or the folder read-only?): %w", r.ID, path, err)
	}
	return nil
}

// Replace writes a file under a temporary name in the same folder, then renames it. If content fails, the old file
// stays.
func Replace(path string, content func(io.Writer) error) (err error) {
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+"-*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(f.Name()))
		}
	}()
	to := bufio.NewWriter(f)
	err = errors.Join(content(to), to.Flush())
	// With CreateTemp's 0600, a CI's artifact collector could not read the file.
	err = errors.Join(err, f.Chmod(0o644), f.Sync(), f.Close())
	if err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}

// Load reads a saved run. path is its folder, the link to it, its run.json, or a file of [SaveCompressed].
func Load(path string) (r Run, err error) {
	err = Format{What: "run", File: RunFile, Link: LatestLink, Schema: Schema}.Read(path, &r)
	return r, err
}

// Format is that of a saved file, plain or compressed JSON with a field schema.
type Format struct {
	// What is saved, such as run. File is the file's name in its folder, Link that of the link to the newest folder.
	What, File, Link string
	// Schema is the version of the format.
	Schema string
}

// Read reads a file into a pointer. path is the file, its folder, or the link to that.
func (f Format) Read(path string, into any) error {
	file := path
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		file = filepath.Join(path, f.File)
	}
	data, err := os.ReadFile(file)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		const missing = "no saved %s at %s: name the folder of one, such as out/%s, or its %s: %w"
		return fmt.Errorf(missing, f.What, file, f.Link, f.File, err)
	case err != nil:
		return fmt.Errorf("reading the saved %s %s: %w", f.What, file, err)
	}
	if data, err = inflated(data); err != nil {
		return fmt.Errorf("reading the saved %s %s (it is compressed, and damaged): %w", f.What, file, err)
	}
	var saved struct {
		Schema string `json:"schema"`
	}
	if err := json.Unmarshal(data, &saved); err != nil {
		const broken = "%s is not a saved %s (%s is written whole, so it was changed or is something else): %w"
		return fmt.Errorf(broken, file, f.What, f.File, err)
	}
	if saved.Schema != f.Schema {
		const other = "%s has the schema %q, this podclock reads %q: use the revision that wrote it, or run again"
		return fmt.Errorf(other, file, saved.Schema, f.Schema)
	}
	if err := json.Unmarshal(data, into); err != nil {
		return fmt.Errorf("%s has the schema %q but does not fit it (was it edited?): %w", file, f.Schema, err)
	}
	return nil
}

// inflated returns data, decompressed if it begins as RFC 1952 says.
func inflated(data []byte) ([]byte, error) {
	if !bytes.HasPrefix(data, []byte{0x1f, 0x8b}) {
		return data, nil
	}
	r, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	return io.ReadAll(r)
}

// NewFolder creates the folder out/<ID> of a run that started at a time. The run's ID begins with the prefix. A second
// run in the same second gets the ID with "-2" appended, and so on. It never uses an existing folder.
func NewFolder(out, prefix string, started time.Time) (dir, id string, err error) {
	if err := os.MkdirAll(out, 0o755); err != nil {
		const format = "creating the folder of all runs, %s (choose another one, or make it writable): %w"
		return "", "", fmt.Errorf(format, out, err)
	}
	stamp := prefix + started.UTC().Format(idLayout)
	id = stamp
	for n := 2; n <= MostInOneSecond; n++ {
		dir = filepath.Join(out, id)
		switch err := os.Mkdir(dir, 0o755); {
		case err == nil:
			return dir, id, nil
		case !errors.Is(err, fs.ErrExist):
			return "", "", fmt.Errorf("creating the run's folder %s: %w", dir, err)
		}
		id = fmt.Sprintf("%s-%d", stamp, n)
	}
	return "", "", fmt.Errorf("%s has %d runs of the second %s already: remove some", out, MostInOneSecond-1, stamp)
}

// Latest points the link out/latest to a run's folder. The link is relative, so the folder of all runs can be
// moved. The link always exists.
func Latest(out, dir string) error { return Link(out, LatestLink, dir) }

// Link is Latest for a link of any name.
func Link(out, name, dir string) error {
	link := filepath.Join(out, name)
	target, err := filepath.Rel(out, dir)
	if err != nil {
		return fmt.Errorf("linking %s to %s: %w", link, dir, err)
	}
	// The temporary name is the run's own, so two runs do not disturb each other. One left by a killed run is
	// replaced.
	temporary := filepath.Join(out, "."+name+"-"+filepath.Base(dir))
	if err := os.Remove(temporary); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("linking %s to %s: removing a leftover: %w", link, dir, err)
	}
	if err := os.Symlink(target, temporary); err != nil {
		return fmt.Errorf("linking %s to %s: %w", link, dir, err)
	}
	if err := os.Rename(temporary, link); err != nil {
		return errors.Join(
			fmt.Errorf("linking %s to %s (when it is no link, move it away): %w", link, dir, err),
			os.Remove(temporary),
		)
	}
	return nil
}

// Plural formats a number of things.
func Plural(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}
