package trace

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
)

// File is the file of traces in a run's folder. Each line is a [Trace]. Each is compressed alone and written at once,
// so the file of an interrupted run can be read, and a run that continues adds to it.
const File = "traces.jsonl.gz"

// Writer adds traces to a file. It is safe for concurrent use.
type Writer struct {
	mu   sync.Mutex
	file *os.File
	err  error
}

// Create opens the file of traces of a run's folder, and makes it if there is none.
func Create(dir string) (*Writer, error) {
	f, err := os.OpenFile(filepath.Join(dir, File), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return nil, fmt.Errorf("opening the file of traces: %w", err)
	}
	return &Writer{file: f}, nil
}

// Add writes a trace. Close returns the first error.
func (w *Writer) Add(t Trace) {
	var b bytes.Buffer
	to, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err == nil {
		err = errors.Join(json.NewEncoder(to).Encode(t), to.Close())
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if err == nil {
		_, err = w.file.Write(b.Bytes())
	}
	if w.err == nil && err != nil {
		w.err = fmt.Errorf("saving the trace of trial %s: %w", t.Trial, err)
	}
}

// Close closes the file.
func (w *Writer) Close() error { return errors.Join(w.err, w.file.Close()) }

// ErrNone is the error of a run without traces.
var ErrNone = errors.New(
	"no traces: only runs in the virtual lane have some, and older versions of podclock saved none")

// Load reads the traces of a run. path is its folder or a file in it. A trial that was run again counts with its last
// trace.
func Load(path string) (traces []Trace, err error) {
	if info, err := os.Stat(path); err == nil && !info.IsDir() {
		path = filepath.Dir(path)
	}
	path = filepath.Join(path, File)
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s: %w", path, ErrNone)
	}
	if err != nil {
		return nil, fmt.Errorf("reading traces: %w", err)
	}
	defer func() { _ = f.Close() }()
	r, err := gzip.NewReader(f)
	if errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("%s: %w", path, ErrNone)
	}
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", path, err)
	}
	place := map[key]int{}
	for d := json.NewDecoder(r); ; {
		var t Trace
		switch err := d.Decode(&t); {
		case errors.Is(err, io.EOF):
			return traces, nil
		case errors.Is(err, io.ErrUnexpectedEOF) && len(traces) > 0: // podclock was killed while it wrote
			return traces, nil
		case err != nil:
			return nil, fmt.Errorf("reading %s: %w", path, err)
		case t.Schema != Schema:
			const other = "%s has the schema %q, this podclock reads %q: use the revision that wrote it, or run again"
			return nil, fmt.Errorf(other, path, t.Schema, Schema)
		}
		if i, again := place[t.key()]; again {
			traces[i] = t
			continue
		}
		place[t.key()] = len(traces)
		traces = append(traces, t)
	}
}

type key struct {
	trial, subject string
	seed           uint64
}

func (t Trace) key() key { return key{t.Trial, t.Subject, t.Seed} }
