package drawn

import (
	"fmt"
	"maps"
	"slices"
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
