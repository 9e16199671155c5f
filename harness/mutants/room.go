package mutants

import (
	"runtime"

	"github.com/podclock/podclock/harness/host/engine"
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
	available, err := engine.MemAvailable()
	if err != nil {
		return room{}, err
	}
	return roomFor(available, runtime.NumCPU()), nil
}

// calmer returns a room with half of the workers, for mutants that could not be judged on busy ones.
func (r room) calmer() room {
	r.workers = max(2, r.workers/2)
	return r
}

// roomFor returns the room for this memory in bytes, at least for a mutant and its reference.
func roomFor(memory, cores int) room {
	byMemory := (memory - controlPlaneMemory - spareMemory) / workerMemory
	return room{
		workers: max(2, min(byMemory, workersPerCore*cores)), trials: trialsPerCore * cores, mutants: mostMutants,
	}
}
