package sensitivity

import (
	"bufio"
	"fmt"
	"os"
	"runtime"
	"strings"
)

const (
	// workersPerCore bounds the nodes of a wave by the host's cores. An idle worker uses 3 % of a core. On overloaded
	// cores a mutant's lateness can't be distinguished from delay.
	workersPerCore = 8
	// workerMemory is the most memory of a busy worker, controlPlaneMemory that of the control plane. spareMemory is
	// left to the host. In bytes.
	workerMemory, controlPlaneMemory, spareMemory = 280 << 20, 800 << 20, 1 << 30
	// trialsPerCore bounds the trials of a wave by the host's cores: as many as can start within nine minutes. Only
	// whole profiles reach it; witnesses are a third of it.
	trialsPerCore = 240
)

// roomHere returns the room for one cluster on this host.
func roomHere() (room, error) {
	available, err := memAvailable()
	if err != nil {
		return room{}, err
	}
	return roomFor(available, runtime.NumCPU()), nil
}

// roomFor returns the room for one cluster on a host with this memory in bytes and these cores, at least for a mutant
// and its reference.
func roomFor(memory, cores int) room {
	byMemory := (memory - controlPlaneMemory - spareMemory) / workerMemory
	return room{workers: max(2, min(byMemory, workersPerCore*cores)), trials: trialsPerCore * cores}
}

// memAvailable returns the bytes of memory that a program may use without swapping, as the kernel estimates.
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
