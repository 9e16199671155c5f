package session

import (
	"cmp"
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

// tuning is how long it takes to configure a spare worker for its trials and to restore it afterwards. 9 to 10 s were
// measured on two cores.
const tuning = 10 * time.Second

// Spares returns how many spare workers a subject can use: so many that the trials on them end when the subject's
// longest trial does, or when all subjects' trials can have started, if that is later. More would cost CPU time, even
// if they do nothing: 3 % of a core each.
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

// spares returns the number of each subject's spare workers by slug. With few, configurations wait for each other.
func (s *Session) spares() map[string]int {
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
	return share(useful, cmp.Or(s.config.Workers, mostWorkers)-len(subjects)-s.config.Pool)
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
