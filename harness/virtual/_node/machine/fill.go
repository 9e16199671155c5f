package machine

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"github.com/podclock/podclock/harness/victim"
	"github.com/podclock/podclock/harness/virtual/_node/cri"
)

// Fill fills what a victim fills, at once: in a volume, with as much as the node's file system still holds, or in the container's own layer. Its errors
// are what the victim's process would have got of a full disk.
func (m *Machine) Fill(c cri.Container, run victim.Run) error {
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

// hostPath is where a container's folder is on the host; one that is in no mount is in the container's own layer.
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

// fillName is the name of the file that is filled, and what the names of many begin with; the fault image's are the same.
const fillName = "fill"

// writeBytes fills one file. A former life's is filled over.
func writeBytes(dir string, run victim.Run, free int64) (err error) {
	file, err := os.OpenFile(filepath.Join(dir, fillName), os.O_WRONLY|os.O_CREATE, 0o644)
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
		return fmt.Errorf("after %d of %d bytes: %w", fitting, run.FillBytes, full("write", run, fillName))
	}
	return nil
}

// makeFiles makes many empty files. A former life's stay.
func makeFiles(dir string, run victim.Run, free int64) error {
	for made := range run.FillFiles {
		name := fillName + "-" + strconv.FormatInt(made, 10)
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

// full is the error of a full disk.
func full(op string, run victim.Run, name string) error {
	return &os.PathError{Op: op, Path: path.Join(run.FillDir, name), Err: syscall.ENOSPC}
}
