package session

import (
	"cmp"

	"github.com/podclock/podclock/harness/kubelet"
	"github.com/podclock/podclock/harness/stage"
)

// mostSpares is how many spare workers one subject gets at most, mostWorkers how many workers a cluster
// gets where its subjects can do with fewer.
const (
	mostSpares  = 7
	mostWorkers = 12
)

// Spares is how many spare workers a subject has use for: one for each configuration that its trials need,
// as far as a subject gets that many.
func Spares(selected []stage.Selection, subject string) int {
	configurations := map[string]bool{}
	for _, selection := range selected {
		if w := selection.Trial.Worker; w != nil && selection.Subject == subject {
			configurations[w.Name] = true
		}
	}
	return min(len(configurations), mostSpares)
}

// spares is how many spare workers each subject gets, by its slug: what it has use for, as far as the host
// bears it. With fewer, the configurations wait for each other.
func (s *Session) spares() map[string]int {
	subjects := s.config.in(kubelet.LaneNode)
	useful := map[string]int{}
	for _, subject := range subjects {
		useful[subject.Slug()] = Spares(s.selected, subject.String())
	}
	return share(useful, cmp.Or(s.config.Workers, mostWorkers)-len(subjects))
}

// share hands out spare workers in rounds, one to everyone that has use for one more. A round that there is
// no room for is none, but for the first: without any spare worker, trials could not run at all.
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
