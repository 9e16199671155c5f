// Package journal keeps what happens on a virtual node, in its order, for comparisons with other kubelets.
//
// UIDs, container IDs and addresses count what was made before. One more container would change all later ones. So the
// journal replaces them by names of what they belong to.
package journal

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/podclock/podclock/harness/virtual/wire"
)

// Journal is everything that happened. A nil journal keeps nothing.
type Journal struct {
	mu      sync.Mutex
	entries []wire.Entry
	// names are those of texts; made counts the texts of one name.
	names []name
	made  map[string]int
}

type name struct{ text, name string }

// New returns an empty journal. The root is the folder of the kubelet's files.
func New(root string) *Journal {
	return &Journal{names: []name{{root, "ROOT"}}, made: map[string]int{}}
}

// Name gives a text, such as an ID, the name "<what>-<number>" in all entries. The number counts the texts of one name
// from 1.
func (j *Journal) Name(text, what string) {
	if j == nil || text == "" {
		return
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	j.made[what]++
	j.names = append(j.names, name{text, fmt.Sprintf("%s-%d", what, j.made[what])})
}

// Add adds what happens now.
func (j *Journal) Add(e wire.Entry) { j.begin(e) }

// Begin adds a call that begins now. The caller must call end when it is answered.
func (j *Journal) Begin(e wire.Entry) (end func(error)) {
	e.Took = wire.Unanswered
	began := time.Now()
	i := j.begin(e)
	return func(err error) {
		if j == nil {
			return
		}
		j.mu.Lock()
		defer j.mu.Unlock()
		j.entries[i].Took = int64(time.Since(began))
		if err != nil {
			j.entries[i].Error = err.Error()
		}
	}
}

func (j *Journal) begin(e wire.Entry) int {
	if j == nil {
		return 0
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	e.At = time.Now().UnixNano()
	j.entries = append(j.entries, e)
	return len(j.entries) - 1
}

// Entries returns all entries in their order, with stable names.
func (j *Journal) Entries() []wire.Entry {
	j.mu.Lock()
	defer j.mu.Unlock()
	names := slices.Clone(j.names) // the longest first: an address can begin another one
	slices.SortStableFunc(names, func(a, b name) int { return len(b.text) - len(a.text) })
	var pairs []string
	for _, n := range names {
		pairs = append(pairs, n.text, n.name)
	}
	stable := strings.NewReplacer(pairs...)
	all := slices.Clone(j.entries)
	for i := range all {
		all[i].Text, all[i].Error = stable.Replace(all[i].Text), stable.Replace(all[i].Error)
	}
	return all
}
