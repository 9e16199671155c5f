package main

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// hold takes so many MiB of memory, every page of it resident, until the process ends. It is mapped apart
// from the Go heap, whose garbage collector would let the heap grow to a multiple of it.
func hold(ballast int) error {
	if ballast == 0 {
		return nil
	}
	if _, err := unix.Mmap(
		-1,
		0,
		ballast<<20,
		unix.PROT_READ|unix.PROT_WRITE,
		unix.MAP_PRIVATE|unix.MAP_ANONYMOUS|unix.MAP_POPULATE,
	); err != nil {
		return fmt.Errorf("holding %d MiB of memory: %w", ballast, err)
	}
	return nil
}
