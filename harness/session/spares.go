package session

import (
	"cmp"

	"github.com/podclock/podclock/harness/kubelet"
	"github.com/podclock/podclock/harness/stage"
)

// These bound a subject's spare workers and a cluster's workers.
const (
	mostSpares  = 7
	mostWorkers = 12
)

// Spares returns how many spare workers a subject can use: one for each configuration of its trials.
func Spares(selected []stage.Selection, subject string) int {
	configurations := map[string]bool{}
	for _, selection := range selected {
		if w := selection.Trial.Worker; w != nil && selection.Subject == subject {
			configurations[w.Name] = true
		}
	}
	return min(len(configurations), mostSpares)
}

// spares returns the number of each subject's spare workers by slug. With few, configurations wait for each other.
func (s *Session) spares() map[string]int {
	subjects := s.config.in(kubelet.LaneNode)
	useful := map[string]int{}
	for _, subject := range subjects {
		useful[subject.Slug()] = Spares(s.selected, subject.String())
	}
	return share(useful, cmp.Or(s.config.Workers, mostWorkers)-len(subjects))
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
