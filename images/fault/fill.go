package main

import (
	"crypto/rand"
	"fmt"
	"os"
	"path/filepath"

	"github.com/podclock/podclock/harness/victim"
)

// fillStep is the number of bytes in one write.
const fillStep = 1 << 20

// fillFolder fills the victim's folder. The error is why it stopped early.
func fillFolder(run victim.Run) error {
	if err := os.MkdirAll(run.FillDir, 0o755); err != nil {
		return err
	}
	if run.FillFiles > 0 {
		return makeFiles(run.FillDir, run.FillFiles)
	}
	return writeBytes(filepath.Join(run.FillDir, victim.FillFile), run.FillBytes)
}

// writeBytes overwrites the file, so it never gets shorter and a second life adds nothing.
func writeBytes(name string, bytes int64) (err error) {
	file, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE, 0o644)
	if err != nil {
		return err
	}
	defer func() {
		if closed := file.Close(); err == nil {
			err = closed
		}
	}()
	step := make([]byte, min(fillStep, bytes))
	_, _ = rand.Read(step) // no file system compresses random bytes; rand.Read returns no error
	for written := int64(0); written < bytes; {
		n, err := file.Write(step[:min(int64(len(step)), bytes-written)])
		written += int64(n)
		if err != nil {
			return fmt.Errorf("after %d of %d bytes: %w", written, bytes, err)
		}
	}
	return nil
}

func makeFiles(dir string, files int64) error {
	for made := range files {
		file, err := os.OpenFile(filepath.Join(dir, victim.FillFileOf(made)), os.O_WRONLY|os.O_CREATE, 0o644)
		if err != nil {
			return fmt.Errorf("after %d of %d files: %w", made, files, err)
		}
		if err := file.Close(); err != nil {
			return fmt.Errorf("after %d of %d files: %w", made, files, err)
		}
	}
	return nil
}
