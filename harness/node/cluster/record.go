package cluster

import (
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/podclock/podclock/harness/host"
	"github.com/podclock/podclock/harness/measure/run"
)

type record struct {
	Name   string `json:"name"`
	Engine string `json:"engine"`
	// PID is the run's process, for messages only. The lock shows whether the run lives.
	PID int `json:"pid"`
	// Mark is also on every container of the cluster; see markPath.
	Mark string `json:"mark"`
	// Topology is the digest of the booted topology.
	Topology string `json:"topology"`
	// Kept: every node was Ready, and the cluster outlives its run.
	Kept    bool      `json:"kept"`
	Created time.Time `json:"created"`
}

func newMark() string { return strings.ToLower(rand.Text()) }

// books is the right to the cluster of one name: a lock, which the kernel frees when the process ends, and the record.
type books struct {
	dir, name string
	lock      *os.File
}

type busyError struct {
	name string
	pid  int
}

func (e *busyError) Error() string {
	const format = "cluster %q is in use by process %d; end that run first or choose another name (CLUSTER=<name>)"
	return fmt.Sprintf(format, e.name, e.pid)
}

// openBooks takes the lock of a cluster's name, or returns a [busyError].
func openBooks(dir, name string) (*books, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, fmt.Errorf("making the folder of cluster records: %w; make it writable or set PODCLOCK_CACHE", err)
	}
	// The lock file is never removed, otherwise two runs could lock two files of one name.
	lock, err := os.OpenFile(filepath.Join(dir, name+".lock"), os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return nil, fmt.Errorf("opening the lock of cluster %q: %w; make it writable or set PODCLOCK_CACHE", name, err)
	}
	b := &books{dir: dir, name: name, lock: lock}
	err = host.Lock(lock)
	if err == nil {
		return b, nil
	}
	_ = lock.Close()
	if errors.Is(err, host.ErrLocked) {
		busy := &busyError{name: name}
		if r, readErr := b.read(); readErr == nil && r != nil {
			busy.pid = r.PID
		}
		return nil, busy
	}
	return nil, fmt.Errorf("locking cluster %q: %w", name, err)
}

func (b *books) close() error { return b.lock.Close() }

func (b *books) recordPath() string { return filepath.Join(b.dir, b.name+".json") }

func (b *books) kubeconfigPath() string { return filepath.Join(b.dir, b.name+".kubeconfig") }

// internal is the end of the path of a second kubeconfig, for clients in the nodes' network.
const internal = ".internal"

// read returns the record, or nil if there is none.
func (b *books) read() (*record, error) {
	raw, err := os.ReadFile(b.recordPath())
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("reading the record of cluster %q: %w", b.name, err)
	}
	r := &record{}
	if err := json.Unmarshal(raw, r); err != nil {
		const format = "reading the record of cluster %q: %s: %w; remove the file, and the cluster if it is yours"
		return nil, fmt.Errorf(format, b.name, b.recordPath(), err)
	}
	return r, nil
}

// write replaces the record in one step, so a killed run leaves the old or the new one.
func (b *books) write(r *record) error {
	err := run.Replace(b.recordPath(), func(to io.Writer) error {
		e := json.NewEncoder(to)
		e.SetIndent("", "  ")
		return e.Encode(r)
	})
	if err != nil {
		return fmt.Errorf("writing the record of cluster %q: %w", b.name, err)
	}
	return nil
}

func (b *books) forget() error {
	var errs []error
	for _, path := range []string{b.recordPath(), b.kubeconfigPath(), b.kubeconfigPath() + internal} {
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			errs = append(errs, fmt.Errorf("forgetting cluster %q: %w", b.name, err))
		}
	}
	return errors.Join(errs...)
}
