package sensitivity

import (
	"bufio"
	"fmt"
	"os"
	"runtime"
	"strings"
)

const (
	// workersPerCore bounds a wave's nodes. An idle worker uses 3 to 5 % of a core; on overloaded cores delay hides a
	// mutant's lateness. With six, on a host whose system calls are slow, none of 11 mutants could be judged.
	workersPerCore = 3
	// workerMemory is that of a busy worker, spareMemory is left to the host. In bytes.
	workerMemory, controlPlaneMemory, spareMemory = 280 << 20, 800 << 20, 1 << 30
	// trialsPerCore is what can start within nine minutes.
	trialsPerCore = 240
	// mostMutants bounds what an interrupt can lose: the verdicts of a wave are saved when it ends.
	mostMutants = 25
)

func roomHere() (room, error) {
	available, err := memAvailable()
	if err != nil {
		return room{}, err
	}
	return roomFor(available, runtime.NumCPU()), nil
}

// roomFor returns the room for this memory in bytes, at least for a mutant and its reference.
func roomFor(memory, cores int) room {
	byMemory := (memory - controlPlaneMemory - spareMemory) / workerMemory
	return room{workers: max(2, min(byMemory, workersPerCore*cores)), trials: trialsPerCore * cores, mutants: mostMutants}
}

// memAvailable returns the kernel's estimate of bytes that can be used without swapping.
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
	return 0, fmt.Errorf("%s has no MemAvailable", file)
}
