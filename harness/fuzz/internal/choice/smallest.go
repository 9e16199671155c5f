package choice

import (
	"cmp"
	"context"
	"fmt"
	"slices"
)

// Smallest returns the smallest choices that it finds with the effect of made: fewer of them, or lower numbers. try
// repeats a list of choices, and returns those that were made and whether the effect is the same. The search ends with
// ctx, or if no step makes the list smaller.
func Smallest(ctx context.Context, made []Choice, try func([]Choice) ([]Choice, bool)) []Choice {
	s := &search{ctx: ctx, best: made, repeat: try, tried: map[string]bool{}}
	for smaller := true; smaller && ctx.Err() == nil; {
		smaller = s.remove() || s.lower() || s.lowerAndRemove()
	}
	return s.best
}

type search struct {
	ctx    context.Context
	best   []Choice
	repeat func([]Choice) ([]Choice, bool)
	tried  map[string]bool
}

// try keeps choices if they are smaller than the best and have the same effect.
func (s *search) try(choices []Choice) bool {
	key := fmt.Sprint(choices)
	if s.ctx.Err() != nil || s.tried[key] {
		return false
	}
	s.tried[key] = true
	made, same := s.repeat(choices)
	if !same || compare(made, s.best) >= 0 {
		return false
	}
	s.best = made
	return true
}

// compare orders choices by their count, then by their numbers.
func compare(a, b []Choice) int {
	return cmp.Or(cmp.Compare(len(a), len(b)),
		slices.CompareFunc(a, b, func(a, b Choice) int { return cmp.Compare(a.Number, b.Number) }))
}

// longest is the most choices that are removed together.
const longest = 8

// remove removes neighbouring choices.
func (s *search) remove() (smaller bool) {
	for n := longest; n > 0; n /= 2 {
		for i := 0; i+n <= len(s.best); {
			if s.try(slices.Delete(slices.Clone(s.best), i, i+n)) {
				smaller = true
				continue
			}
			i++
		}
	}
	return smaller
}

// lower lowers one number after another.
func (s *search) lower() (smaller bool) {
	for i := 0; i < len(s.best); i++ {
		// fails is a number without the effect.
		for fails := -1; i < len(s.best) && fails+1 < s.best[i].Number; {
			number := fails + 1 + (s.best[i].Number-fails-2)/2
			if fails < 0 {
				number = 0
			}
			if s.try(s.with(i, number)) {
				smaller = true
				continue
			}
			fails = number
		}
	}
	return smaller
}

// lowerAndRemove lowers a number by one and removes choices behind it, such as those of a repetition less.
func (s *search) lowerAndRemove() bool {
	for i := range s.best {
		if s.best[i].Number == 0 {
			continue
		}
		for n := 1; n <= longest/2; n++ {
			for j := i + 1; j+n <= len(s.best); j++ {
				if s.try(slices.Delete(s.with(i, s.best[i].Number-1), j, j+n)) {
					return true
				}
			}
		}
	}
	return false
}

// with returns the best choices with another number.
func (s *search) with(i, number int) []Choice {
	all := slices.Clone(s.best)
	all[i].Number = number
	return all
}
