//go:build linux

package main

import (
	"crypto/rand"
	"fmt"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"

	"github.com/podclock/podclock/harness/measure/victim"
)

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
	_, _ = rand.Read(step)
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

// hold keeps ballast MiB resident until the process ends, outside the Go heap, which its garbage collector would
// let grow to a multiple.
func hold(ballast int) error {
	if ballast == 0 {
		return nil
	}
	const flags = unix.MAP_PRIVATE | unix.MAP_ANONYMOUS | unix.MAP_POPULATE
	if _, err := unix.Mmap(-1, 0, ballast<<20, unix.PROT_READ|unix.PROT_WRITE, flags); err != nil {
		return fmt.Errorf("holding %d MiB of memory: %w", ballast, err)
	}
	return nil
}

const oomStep = 8 << 20

// allocate writes to new memory until the kernel kills the process. It returns an error if the kernel did not.
func allocate(bound int) error {
	var held [][]byte
	for total := 0; total < bound; total += oomStep {
		step := make([]byte, oomStep)
		for page := 0; page < len(step); page += os.Getpagesize() {
			step[page] = 1
		}
		held = append(held, step)
	}
	const format = "the kernel did not kill the process after %d MiB: give the container a lower memory limit"
	return fmt.Errorf(format, len(held)*oomStep>>20)
}
