package main

import (
	"fmt"
	"os"
)

// oomStep is allocated at a time, and every page of it written to.
const oomStep = 8 << 20

// allocate takes memory until the kernel kills the process for it, and returns only if it did not.
func allocate(bound int) error {
	var held [][]byte
	for total := 0; total < bound; total += oomStep {
		step := make([]byte, oomStep)
		for page := 0; page < len(step); page += os.Getpagesize() {
			step[page] = 1
		}
		held = append(held, step)
	}
	return fmt.Errorf(
		"allocated %d MiB and was not killed for it: the container needs a memory limit below that",
		len(held)*oomStep>>20,
	)
}
