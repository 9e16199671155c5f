package sensitivity

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/podclock/podclock/harness/detection"
	"github.com/podclock/podclock/harness/kubelet/mutation"
)

// plannedShare is the share of a lane's time that is planned beforehand. The rest is for waves that take
// longer, and for what must be met again.
const plannedShare = 0.85

// fitting chooses mutants whose waves should end within a time: one of each area, then one more of each, as
// long as there is time for it. A mutant for which there is none leaves its turn to others, which may find
// room in a wave that there is already.
func fitting(candidates []candidate, r room, within time.Duration) (some, left []candidate) {
	planned := time.Duration(plannedShare * float64(within))
	for _, c := range inTurn(candidates) {
		with := append(slices.Clone(some), c)
		if expected(plan(with, r)) <= planned {
			some = with
		} else {
			left = append(left, c)
		}
	}
	return some, left
}

// inTurn orders mutants: the first of each area, then the second of each, the cheap ones of an area before
// those whose trials hold up a whole wave, or take workers of their own, on which others would have room.
func inTurn(candidates []candidate) []candidate {
	ordered := slices.Clone(candidates)
	slices.SortStableFunc(ordered, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(a.pace(), b.pace()), cmp.Compare(a.workers(), b.workers()))
	})
	met, turns := map[string]int{}, map[string]int{}
	for _, c := range ordered {
		turns[c.mutation.Name] = met[c.area()]
		met[c.area()]++
	}
	slices.SortStableFunc(ordered,
		func(a, b candidate) int { return cmp.Compare(turns[a.mutation.Name], turns[b.mutation.Name]) })
	return ordered
}

// workers is how many nodes a mutant needs, its control not counted.
func (c candidate) workers() int { return wave{candidates: []candidate{c}}.workers() }

// area is what a mutant breaks: the area of its formula in the kubelet, or another component. What the
// virtual lane can't show is an area of its own.
func (c candidate) area() string {
	if c.mutation.NodeOnly() {
		return "only on a node"
	}
	if c.mutation.Component != mutation.Kubelet {
		return string(c.mutation.Component)
	}
	area, _, _ := strings.Cut(c.mutation.Formula, "/")
	return area
}

// expected is how long waves should take, one after the other.
func expected(waves []wave) time.Duration {
	total := time.Duration(0)
	for _, w := range waves {
		total += w.expected()
	}
	return total
}

// inTime leaves out, by name, the mutants for which there is no time.
func (p *nodeProof) inTime(candidates []candidate, r room) []candidate {
	if p.options.Within == 0 {
		return candidates
	}
	some, left := fitting(candidates, r, p.options.Within)
	for _, c := range left {
		p.leaveOut(
			c,
			fmt.Sprintf("beside one of each area and what else there is time for, it would take longer than %v",
				p.options.Within),
		)
	}
	return some
}

func (p *nodeProof) leaveOut(c candidate, why string) {
	p.lane.LeftOut = append(p.lane.LeftOut, detection.LeftOut{Name: c.mutation.Name, Why: why})
	delete(p.met, c.mutation.Name)
}

// late says whether a wave would end after the lane's time.
func (p *nodeProof) late(w wave) bool {
	return p.options.Within > 0 && time.Since(p.lane.Started)+w.expected() > p.options.Within
}

// skip leaves a wave out for want of time. Its mutants that met others before stay as they were judged then.
func (p *nodeProof) skip(name string, w wave) {
	skipped := fmt.Sprintf("%s: not run, as it would have ended after %v", name, p.options.Within)
	p.lane.Notes = append(p.lane.Notes, skipped)
	p.say("%s", skipped)
	for _, c := range w.candidates {
		if e := p.met[c.mutation.Name]; e != nil && len(e.outcomes) == 0 && e.broken == nil && e.trouble == nil {
			p.leaveOut(
				c,
				fmt.Sprintf("the waves before its own took longer than planned, and it would have ended after %v",
					p.options.Within),
			)
		}
	}
}
