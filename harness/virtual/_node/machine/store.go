package machine

import (
	"crypto/rand"
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// store makes a file hold this many bytes so that the host's file system counts them, because the kubelet measures
// that. It only reserves the blocks if the file system can.
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

// reserve reserves a file's blocks. It is no error if the file system cannot.
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

// writeStep is the number of bytes in one write.
const writeStep = 1 << 20

// write writes random bytes, which no file system compresses.
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

// stored returns the bytes that the host's file system counts for a file.
func stored(file *os.File) (int64, error) {
	var stat unix.Stat_t
	if err := unix.Fstat(int(file.Fd()), &stat); err != nil {
		return 0, os.NewSyscallError("fstat", err)
	}
	const block = 512 // on every file system (stat(2))
	return stat.Blocks * block, nil
}
