package sensitivity

import (
	"bufio"
	"fmt"
	"os"
	"runtime"
	"strings"
)

const (
	// workersPerCore bounds the nodes of a wave by the host's cores: an idle worker keeps one busy for 3 %
	// of the time, and what is late by what the cores kept waiting is not told from what a mutant makes
	// late.
	workersPerCore = 8
	// workerMemory is what a worker takes at most while trials run on it, controlPlaneMemory the control
	// plane, and spareMemory is left to the host. In bytes.
	workerMemory, controlPlaneMemory, spareMemory = 280 << 20, 800 << 20, 1 << 30
	// trialsPerCore bounds the trials of a wave by the host's cores: so many start within nine minutes at
	// the lab's pace. It is whole profiles that come to as many; witnesses are a third of it.
	trialsPerCore = 240
)

// roomHere is what a cluster may have on this host.
func roomHere() (room, error) {
	available, err := memAvailable()
	if err != nil {
		return room{}, err
	}
	return roomFor(available, runtime.NumCPU()), nil
}

// roomFor is what a cluster may have on a host with so many bytes of memory and cores: at least a mutant
// and its control.
func roomFor(memory, cores int) room {
	byMemory := (memory - controlPlaneMemory - spareMemory) / workerMemory
	return room{workers: max(2, min(byMemory, workersPerCore*cores)), trials: trialsPerCore * cores}
}

// memAvailable is how many bytes of memory a program may take without anything being swapped out, as the
// kernel estimates it.
func memAvailable() (int, error) {
	const file = "/proc/meminfo"
	f, err := os.Open(file)
	if err != nil {
		return 0, fmt.Errorf("find out how much memory is available: %w", err)
	}
	defer func() { _ = f.Close() }()
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		if rest, found := strings.CutPrefix(lines.Text(), "MemAvailable:"); found {
			kibibytes := 0
			if _, err := fmt.Sscanf(rest, "%d kB", &kibibytes); err != nil {
				return 0, fmt.Errorf("read MemAvailable of %s: %w", file, err)
			}
			return kibibytes << 10, nil
		}
	}
	return 0, fmt.Errorf("%s does not say MemAvailable", file)
}
