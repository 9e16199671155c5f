package sensitivity

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/podclock/podclock/harness/kubelet/mutation"
)

// What a wave takes beside its trials, measured on two cores with 2 and with 24 workers.
const (
	// putKubelet is the time until a worker has another kubelet, putComponent that until a mutated control plane is
	// Ready.
	putKubelet, putComponent = 15 * time.Second, 75 * time.Second
	bootBase, bootPerWorker  = 15 * time.Second, 3200 * time.Millisecond
	// startEvery is between the starts of two trials. againPerMutant is for trials that run again or time out.
	startEvery, againPerMutant = 1200 * time.Millisecond, 20 * time.Second
)

func (w wave) expected() time.Duration {
	inTurn := time.Duration(0)
	for _, c := range w.candidates {
		inTurn += (putKubelet + lasts(c.trials) + againPerMutant) / time.Duration(max(1, w.pool))
	}
	total := bootBase + time.Duration(w.workers())*bootPerWorker + max(inTurn, w.lasts(),
		time.Duration(w.trials())*startEvery)
	for _, c := range w.candidates {
		if c.mutation.Component != mutation.Kubelet {
			total += putComponent
		}
	}
	return total
}

func (w wave) describe() string {
	beside := "beside a reference"
	if len(w.beside) == 0 {
		beside = "alone"
	}
	return fmt.Sprintf("%s %s, %s, %s, the longest %v: some %v until its verdicts, and longer where one waits for "+
		"what a mutant never does", count(len(w.candidates), "mutant"), beside, count(w.workers(), "worker"),
		count(w.trials(), "trial"), w.lasts(), w.expected().Round(time.Minute/2))
}

func describePlan(waves []wave, r room) string {
	all, own := 0, 0
	for _, w := range waves {
		all += len(w.candidates)
		if len(w.beside) == 0 {
			own++
		}
	}
	beside := ""
	if own > 0 {
		beside = fmt.Sprintf(" and %s of a mutated control plane", count(own, "run"))
	}
	return fmt.Sprintf("%s in %s of at most %s%s, some %v", count(all, "mutant"), count(len(waves)-own, "wave"),
		count(r.workers, "worker"), beside, expected(waves).Round(time.Minute))
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// plannedShare is the planned share of a lane's time. The rest is for late and second waves.
const plannedShare = 0.85

// fitting chooses mutants whose waves should end in time: one of each area, then a second of each. Later ones may fit
// where an earlier one did not.
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

// inTurn returns the first mutant of each area, then the second. Short trials with few workers come first in an area.
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

func (c candidate) workers() int { return wave{candidates: []candidate{c}}.workers() }

// area returns the area of a mutant's formula, its component, or that only a node can show it.
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

func expected(waves []wave) time.Duration {
	total := time.Duration(0)
	for _, w := range waves {
		total += w.expected()
	}
	return total
}
