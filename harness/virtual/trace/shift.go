package trace

import (
	"cmp"
	"maps"
	"math"
	"slices"

	"github.com/podclock/podclock/harness/measure/run"
)

// Value is what a claim measured in one run.
type Value struct {
	Trial, Claim string
	// Unit is the unit of the value, as the claim's formula has it.
	Unit  string
	Value int64
}

// ValuesOf returns what the first attempts of a subject measured.
func ValuesOf(r run.Run, subject string) (all []Value) {
	for _, o := range r.Outcomes {
		if o.Subject != subject || len(o.Attempts) == 0 {
			continue
		}
		for _, f := range o.Attempts[0].Result.Findings {
			if m := f.Measured; m != nil {
				all = append(all, Value{Trial: o.Trial, Claim: f.Claim, Unit: string(m.Unit), Value: m.Value})
			}
		}
	}
	return all
}

// Shift is a claim whose values are distributed otherwise on the two sides.
type Shift struct {
	Trial string `json:"trial"`
	Claim string `json:"claim"`
	Unit  string `json:"unit"`
	// Before and After are the values of all seeds, in order.
	Before []int64 `json:"before"`
	After  []int64 `json:"after"`
	// Chance is the probability that two samples of one distribution differ as much by their ranks.
	Chance float64 `json:"chance"`
}

// fewestSeeds is the least number of values on a side. Of 3 and 3 values, chance orders 10 % completely.
const fewestSeeds = 3

// shifts returns the claims whose values have changed more than chance explains: of all compared claims, chance gives
// less than one such. The most certain shift comes first.
func shifts(before, after []Value) []Shift {
	type claim struct{ trial, claim, unit string }
	collect := func(all []Value) map[claim][]int64 {
		values := map[claim][]int64{}
		for _, v := range all {
			k := claim{v.Trial, v.Claim, v.Unit}
			values[k] = append(values[k], v.Value)
		}
		return values
	}
	was, is := collect(before), collect(after)
	var all []Shift
	compared := 0
	for _, k := range slices.SortedFunc(maps.Keys(was), func(x, y claim) int {
		return cmp.Or(cmp.Compare(x.trial, y.trial), cmp.Compare(x.claim, y.claim), cmp.Compare(x.unit, y.unit))
	}) {
		x, y := slices.Sorted(slices.Values(was[k])), slices.Sorted(slices.Values(is[k]))
		if len(x) < fewestSeeds || len(y) < fewestSeeds {
			continue
		}
		compared++
		// Two constants differ for certain: what no seed changes is no sample.
		if chance := rankSum(x, y); chance < 1 || x[0] != y[0] {
			if x[0] == x[len(x)-1] && y[0] == y[len(y)-1] {
				chance = 0
			}
			all = append(all, Shift{k.trial, k.claim, k.unit, x, y, chance})
		}
	}
	all = slices.DeleteFunc(all, func(s Shift) bool { return s.Chance*float64(compared) >= 1 })
	slices.SortStableFunc(all, func(x, y Shift) int { return cmp.Compare(x.Chance, y.Chance) })
	return all
}

// rankSum returns the two-sided probability of the rank sum of two samples (Wilcoxon, Mann and Whitney). It counts the
// exact distribution, with mean ranks for ties.
func rankSum(x, y []int64) float64 {
	all := slices.Sorted(slices.Values(slices.Concat(x, y)))
	// Twice the mean rank is an integer.
	rank := map[int64]int{}
	for i := 0; i < len(all); {
		j := i
		for j < len(all) && all[j] == all[i] {
			j++
		}
		rank[all[i]] = i + 1 + j
		i = j
	}
	sum, total := 0, 0
	for _, v := range x {
		sum += rank[v]
	}
	// ways[n][s] is in how many ways n of the values have the rank sum s.
	ways := make([]map[int]float64, len(x)+1)
	for n := range ways {
		ways[n] = map[int]float64{}
	}
	ways[0][0] = 1
	for _, v := range all {
		r := rank[v]
		total += r
		for n := len(x); n > 0; n-- {
			for s, count := range ways[n-1] {
				ways[n][s+r] += count
			}
		}
	}
	mean := float64(total) * float64(len(x)) / float64(len(all))
	far, every := 0.0, 0.0
	for s, count := range ways[len(x)] {
		every += count
		if math.Abs(float64(s)-mean) >= math.Abs(float64(sum)-mean)-1e-9 {
			far += count
		}
	}
	return far / every
}
