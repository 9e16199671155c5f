package drawn

import (
	"fmt"
	"maps"
	"slices"

	"github.com/podclock/podclock/harness/reach"
)

// inOrder returns the trials that execute a mutant in the order in which it meets them. Two trials differ for the
// mutant if they execute different parts of its function: most trials only pass through a function that acts in a few.
// So the trials of each such way take turns, the rarest way first. Within a way they keep their order.
func (o Options) inOrder(ids []string, m Mutant) (all []string) {
	ways := map[string][]string{}
	for _, id := range ids {
		way := o.way(id, m)
		ways[way] = append(ways[way], id)
	}
	rarest := slices.SortedFunc(maps.Keys(ways), func(a, b string) int {
		if by := len(ways[a]) - len(ways[b]); by != 0 {
			return by
		}
		return slices.Index(ids, ways[a][0]) - slices.Index(ids, ways[b][0])
	})
	for turn := 0; len(all) < len(ids); turn++ {
		for _, way := range rarest {
			if turn < len(ways[way]) {
				all = append(all, ways[way][turn])
			}
		}
	}
	return all
}

// ranks orders all trials so that the first ones together execute the most code for their length: those of mutants in
// code that every trial passes alike, such as the kubelet's start.
func (o Options) ranks(length func(id string) int) map[string]int {
	const base = 200 // entries: the start of a node costs as much
	gains, covered := make([]int, len(o.Reach.Trials)), map[*reach.Block]bool{}
	blocks := make([][]*reach.Block, len(o.Reach.Trials))
	for i := range o.Reach.Files {
		for j := range o.Reach.Files[i].Functions {
			function := &o.Reach.Files[i].Functions[j]
			for k := range function.Blocks {
				b := &function.Blocks[k]
				for _, t := range b.Trials {
					gains[t]++
					blocks[t] = append(blocks[t], b)
				}
			}
		}
	}
	rank := map[string]int{}
	for len(rank) < len(gains) {
		best, most := -1, -1.0
		for t, id := range o.Reach.Trials {
			if _, chosen := rank[id]; chosen {
				continue
			}
			if worth := float64(gains[t]+1) / float64(length(id)+base); worth > most {
				best, most = t, worth
			}
		}
		rank[o.Reach.Trials[best]] = len(rank)
		for _, b := range blocks[best] {
			if !covered[b] {
				covered[b] = true
				for _, t := range b.Trials {
					gains[t]--
				}
			}
		}
	}
	return rank
}

// way returns which parts of the mutant's function a trial executes.
func (o Options) way(id string, m Mutant) (way string) {
	trial := slices.Index(o.Reach.Trials, id)
	for _, f := range o.Reach.Files {
		for _, function := range f.Functions {
			if f.Name != m.File || function.Name != m.Within {
				continue
			}
			for i, b := range function.Blocks {
				if _, executes := slices.BinarySearch(b.Trials, trial); executes {
					way += fmt.Sprintf("%d ", i)
				}
			}
		}
	}
	return way
}
