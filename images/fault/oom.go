package main

import (
	"fmt"
	"os"
)

// oomStep is the number of bytes in one allocation.
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
