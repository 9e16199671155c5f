package machine

import (
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/podclock/podclock/harness/measure/victim"
	"github.com/podclock/podclock/harness/virtual/_node/cri"
)

// Fill fills what a victim fills, at once: a volume, up to the node's free space, or the container's own layer. Its
// error is a full disk's. If the host cannot store the data, all later results would be wrong, so Fill panics and
// ends the node.
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

// writeBytes overwrites the file of an earlier life.
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

type fullDisk struct{ os.PathError }

func (f fullDisk) Error() string { return f.PathError.Error() }

func (f fullDisk) Unwrap() error { return f.PathError.Err }

func full(op string, run victim.Run, name string) error {
	return fullDisk{os.PathError{Op: op, Path: path.Join(run.FillDir, name), Err: syscall.ENOSPC}}
}

// store makes a file that the host's file system counts, because the kubelet measures that. If possible it only
// reserves blocks.
func store(file *os.File, bytes int64) error {
	if bytes == 0 {
		return nil
	}
	if err := reserve(file, bytes); err != nil {
		return err
	}
	held, err := stored(file)
	if err != nil || held >= bytes {
		return err
	}
	if err := write(file, bytes); err != nil {
		return err
	}
	if held, err = stored(file); err == nil && held < bytes {
		err = fmt.Errorf("the host's file system counts only %d of %d bytes of %s", held, bytes, file.Name())
	}
	return err
}

func reserve(file *os.File, bytes int64) error {
	for {
		err := unix.Fallocate(int(file.Fd()), 0, 0, bytes)
		switch {
		case errors.Is(err, unix.EINTR):
		case errors.Is(err, unix.EOPNOTSUPP), errors.Is(err, unix.ENOSYS):
			return nil
		default:
			return os.NewSyscallError("fallocate", err)
		}
	}
}

const writeStep = 1 << 20

func write(file *os.File, bytes int64) error {
	step := make([]byte, min(writeStep, bytes))
	_, _ = rand.Read(step) // it returns no error (package rand)
	for written := int64(0); written < bytes; {
		n, err := file.WriteAt(step[:min(int64(len(step)), bytes-written)], written)
		if err != nil {
			return err
		}
		written += int64(n)
	}
	return file.Sync()
}

func stored(file *os.File) (int64, error) {
	var stat unix.Stat_t
	if err := unix.Fstat(int(file.Fd()), &stat); err != nil {
		return 0, os.NewSyscallError("fstat", err)
	}
	const block = 512 // on every file system (stat(2))
	return stat.Blocks * block, nil
}
