package choice

import (
	"context"
	"fmt"
	"slices"
	"testing"

	. "github.com/onsi/gomega"
	"pgregory.net/rapid"
)

// A seed makes the choices that it made with rapid.
func TestSeedsAreThoseOfRapid(t *testing.T) {
	for seed := range 500 {
		most := []int{0, 1, 7, 8, 100, 3600, 700_000, 1 << 40}
		same := rapid.Custom(func(t *rapid.T) (all []int) {
			for i, m := range most {
				all = append(all, rapid.IntRange(i, i+m).Draw(t, "number")-i)
				if rapid.Bool().Draw(t, "bit") {
					all = append(all, 1)
				} else {
					all = append(all, 0)
				}
			}
			return all
		}).Example(seed)
		s, got := FromSeed(uint64(seed)), []int(nil)
		for _, m := range most {
			got = append(got, s.Number("number", m), s.Evenly("bit", 2))
		}
		NewWithT(t).Expect(got).To(Equal(same), "seed %d", seed)
	}
}

// Every choice is in its range, and all numbers of small ranges are chosen.
func TestChoicesAreInRange(t *testing.T) {
	g := NewWithT(t)
	seen := map[string]bool{}
	for seed := range uint64(2000) {
		s := FromSeed(seed)
		number, evenly := s.Number("number", 5), s.Evenly("evenly", 3)
		g.Expect(number).To(And(BeNumerically(">=", 0), BeNumerically("<=", 5)))
		g.Expect(evenly).To(And(BeNumerically(">=", 0), BeNumerically("<", 3)))
		seen[fmt.Sprint("number ", number)], seen[fmt.Sprint("evenly ", evenly)] = true, true
	}
	g.Expect(seen).To(HaveLen(6 + 3))
	g.Expect(func() { FromSeed(1).Number("nothing", -1) }).To(PanicWith("nothing: there is no number from 0 to -1"))
}

// Choices can be repeated. One that is missing is 0, one that is too large is limited, and others are skipped.
func TestChoicesRepeat(t *testing.T) {
	g := NewWithT(t)
	made := []Choice{{"a", 7}, {"b", 1}, {"c", 3}}
	all := func(s *Source) []int { return []int{s.Number("a", 9), s.Evenly("b", 2), s.Number("c", 9)} }
	g.Expect(all(From(made))).To(Equal([]int{7, 1, 3}))
	g.Expect(all(From(made[1:]))).To(Equal([]int{0, 1, 3}))
	g.Expect(all(From(made[:1]))).To(Equal([]int{7, 0, 0}))
	s := From(made)
	g.Expect(s.Number("a", 5)).To(Equal(5))
	g.Expect(s.Number("c", 9)).To(Equal(3))
	g.Expect(s.Made()).To(Equal([]Choice{{"a", 5}, {"c", 3}}))
	drawn := FromSeed(4)
	first := all(drawn)
	g.Expect(all(From(drawn.Made()))).To(Equal(first))
}

// lengths chooses a list, as a scenario chooses its lives.
func lengths(s *Source) (all []int) {
	if s.Evenly("long", 2) == 1 {
		s.Number("unused", 1000)
	}
	for range s.Number("count", 20) {
		all = append(all, s.Number("length", 1000))
	}
	return all
}

// The smallest choices have the same effect, and nothing that plays no part in it.
func TestSmallest(t *testing.T) {
	g := NewWithT(t)
	has := func(all []int) bool { return slices.ContainsFunc(all, func(n int) bool { return n >= 123 }) }
	shrunk := 0
	for seed := range uint64(300) {
		s := FromSeed(seed)
		if !has(lengths(s)) {
			continue
		}
		shrunk++
		tries := 0
		smallest := Smallest(t.Context(), s.Made(), func(given []Choice) ([]Choice, bool) {
			tries++
			again := From(given)
			same := has(lengths(again))
			return again.Made(), same
		})
		g.Expect(smallest).To(Equal([]Choice{{"long", 0}, {"count", 1}, {"length", 123}}), "seed %d", seed)
		g.Expect(tries).To(BeNumerically("<", 500), "seed %d", seed)
	}
	g.Expect(shrunk).To(BeNumerically(">", 50))
}

// The search ends with its context, and with choices that cannot be smaller.
func TestSmallestEnds(t *testing.T) {
	g := NewWithT(t)
	made := []Choice{{"a", 1000}}
	ctx, cancel := context.WithCancel(t.Context())
	tries := 0
	got := Smallest(ctx, made, func(given []Choice) ([]Choice, bool) {
		if tries++; tries == 3 {
			cancel()
		}
		return given, len(given) > 0 && given[0].Number > 10
	})
	g.Expect(tries).To(Equal(3))
	g.Expect(got[0].Number).To(And(BeNumerically("<", 1000), BeNumerically(">", 10)))
	never := func([]Choice) ([]Choice, bool) { return nil, false }
	g.Expect(Smallest(t.Context(), made, never)).To(Equal(made))
	g.Expect(Smallest(t.Context(), nil, never)).To(BeEmpty())
}
