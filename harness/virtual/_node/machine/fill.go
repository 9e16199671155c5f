package machine

import (
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/podclock/podclock/harness/victim"
	"github.com/podclock/podclock/harness/virtual/_node/cri"
)

// Fill fills what a victim fills, at once: a volume, up to the free space of the node's file system, or the
// container's own layer. Its error is that of the victim's process on a full disk. If the host itself cannot store
// the data, all later results would be wrong, so Fill panics and ends the node.
func (m *Machine) Fill(c cri.Container, run victim.Run) error {
	err := m.fill(c, run)
	if full := (fullDisk{}); err != nil && !errors.As(err, &full) {
		panic(fmt.Errorf("the host could not store what a victim fills: %w; "+
			"give the virtual node a temporary folder with more room (TMPDIR)", err))
	}
	return err
}

func (m *Machine) fill(c cri.Container, run victim.Run) error {
	dir, ok := hostPath(c.Mounts, run.FillDir)
	if !ok {
		m.fillLayer(c.ID, run.FillBytes, max(1, run.FillFiles))
		return nil
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	bytes, inodes, err := m.free()
	if err != nil {
		return err
	}
	if run.FillFiles > 0 {
		return makeFiles(dir, run, inodes)
	}
	return writeBytes(dir, run, bytes)
}

// hostPath returns the path of a container's folder on the host. A folder outside of all mounts is in the
// container's own layer.
func hostPath(mounts map[string]string, dir string) (string, bool) {
	dir = path.Clean(dir)
	for at := dir; ; at = path.Dir(at) {
		if host, ok := mounts[at]; ok {
			return filepath.Join(host, strings.TrimPrefix(dir, at)), true
		}
		if at == path.Dir(at) {
			return "", false
		}
	}
}

// writeBytes fills one file. It overwrites the file of an earlier life.
func writeBytes(dir string, run victim.Run, free int64) (err error) {
	file, err := os.OpenFile(filepath.Join(dir, victim.FillFile), os.O_WRONLY|os.O_CREATE, 0o644)
	if err != nil {
		return err
	}
	defer func() {
		if closed := file.Close(); err == nil {
			err = closed
		}
	}()
	before, err := stored(file)
	if err != nil {
		return err
	}
	fitting := min(run.FillBytes, before+free)
	if err := store(file, fitting); err != nil {
		return err
	}
	if fitting < run.FillBytes {
		return fmt.Errorf("after %d of %d bytes: %w", fitting, run.FillBytes, full("write", run, victim.FillFile))
	}
	return nil
}

// makeFiles makes many empty files. Those of an earlier life stay.
func makeFiles(dir string, run victim.Run, free int64) error {
	for made := range run.FillFiles {
		name := victim.FillFileOf(made)
		switch _, err := os.Lstat(filepath.Join(dir, name)); {
		case err == nil:
			continue
		case free == 0:
			return fmt.Errorf("after %d of %d files: %w", made, run.FillFiles, full("open", run, name))
		}
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o644); err != nil {
			return fmt.Errorf("after %d of %d files: %w", made, run.FillFiles, err)
		}
		free--
	}
	return nil
}

// fullDisk is the error of the node's full disk, in the host's words.
type fullDisk struct{ os.PathError }

func (f fullDisk) Error() string { return f.PathError.Error() }

func (f fullDisk) Unwrap() error { return f.PathError.Err }

func full(op string, run victim.Run, name string) error {
	return fullDisk{os.PathError{Op: op, Path: path.Join(run.FillDir, name), Err: syscall.ENOSPC}}
}
