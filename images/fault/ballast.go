package main

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// hold keeps ballast MiB of memory resident until the process ends. The memory is outside the Go heap,
// because the garbage collector would let the heap grow to a multiple of it.
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
