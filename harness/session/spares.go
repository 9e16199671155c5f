package session

import (
	"cmp"
	"fmt"
	"runtime"
	"slices"
	"time"

	"github.com/podclock/podclock/harness/kubelets"
	"github.com/podclock/podclock/harness/measure/runner"
	"github.com/podclock/podclock/harness/measure/trial"
	"github.com/podclock/podclock/harness/node/pace"
)

// These bound a subject's spare workers and a cluster's workers.
const (
	mostSpares  = 7
	mostWorkers = 12
)

// An idle worker, its kubelet and its container runtime, takes so much of a core on a usual host (docs/measurements.md,
// "Many subjects"). mostIdle is the share of all cores that idle workers may take without a warning.
const (
	idleWorker = 0.03
	mostIdle   = 0.4
)

// affordable returns how many workers a host with so many cores can have before idle ones take mostIdle of it. slower
// is that of [Choice].
func affordable(cores int, slower float64) int {
	return int(mostIdle * float64(cores) / (idleWorker * max(1, slower)))
}

// crowded returns a warning if a host can have only so many workers, and a run needs more.
func crowded(workers, affordable int) string {
	if workers <= affordable {
		return ""
	}
	return fmt.Sprintf("%d workers take some %.0f %% of this host while they do nothing, so many verdicts may be "+
		"inconclusive: name fewer subjects at a time", workers, 100*mostIdle*float64(workers)/float64(max(1, affordable)))
}

// tuning is how long it takes to configure a spare worker for its trials and to restore it afterwards. 9 to 10 s were
// measured on two cores.
const tuning = 10 * time.Second

// Spares returns how many spare workers a subject can use: so many that the trials on them end when the subject's
// longest trial does, or when all subjects' trials can have started, if that is later. More would cost CPU time, even
// if they do nothing.
func Spares(selected []runner.Selection, subject string, started time.Duration) int {
	workers, trials := map[string]trial.Worker{}, map[string][]trial.Trial{}
	longest, all := started, time.Duration(0)
	for _, s := range selected {
		if s.Subject != subject {
			continue
		}
		longest = max(longest, s.Trial.Lasts)
		if w := s.Trial.Worker; w != nil {
			workers[w.Name], trials[w.Name] = *w, append(trials[w.Name], s.Trial)
		}
	}
	for name, w := range workers {
		takes := runner.TimeOn(w, trials[name]) + tuning
		all, longest = all+takes, max(longest, takes)
	}
	if all == 0 {
		return 0
	}
	return min(len(workers), mostSpares, int((all+longest-1)/longest))
}

// spares returns the number of each subject's spare workers by slug, on a host that can have so many workers. With few,
// configurations wait for each other.
func (s *Session) spares(affordable int) map[string]int {
	subjects := s.config.settled()
	useful, starts := map[string]int{}, 0
	for _, selected := range s.selected {
		if slices.ContainsFunc(subjects, func(k kubelets.Subject) bool { return k.String() == selected.Subject }) {
			starts++
		}
	}
	started := pace.Least(starts, float64(runtime.NumCPU()))
	for _, subject := range subjects {
		useful[subject.Slug()] = Spares(s.selected, subject.String(), started)
	}
	return share(useful, cmp.Or(s.config.Workers, min(mostWorkers, affordable))-len(subjects)-s.config.Pool)
}

// share distributes spare workers in rounds, one to every subject that can use another. Only the first round may exceed
// the room: some trials need a spare worker.
func share(useful map[string]int, room int) map[string]int {
	shares := map[string]int{}
	for round := 1; ; round++ {
		var wanting []string
		for subject, n := range useful {
			if n >= round {
				wanting = append(wanting, subject)
			}
		}
		if len(wanting) == 0 || round > 1 && len(wanting) > room {
			return shares
		}
		for _, subject := range wanting {
			shares[subject]++
		}
		room -= len(wanting)
	}
}
