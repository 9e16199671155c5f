// Package choice makes random choices that can be made again: from a seed, or from a list of choices that was changed.
// [Smallest] looks for a smaller list with the same effect. The package must not know what is chosen.
package choice

import "fmt"

// Choice is a number that was chosen, and what it was chosen for. 0 is the simplest.
type Choice struct {
	For    string
	Number int
}

// Source makes choices. It is not safe for concurrent use.
type Source struct {
	random *random // nil if the choices are given
	given  []Choice
	made   []Choice
}

// FromSeed returns a source of random choices. A seed always makes the same ones.
func FromSeed(seed uint64) *Source { return &Source{random: newRandom(seed)} }

// From returns a source that repeats choices. Each choice takes the next one for the same, limited to its own range,
// and 0 if there is none.
func From(given []Choice) *Source { return &Source{given: given} }

// Made returns the choices that the source made.
func (s *Source) Made() []Choice { return s.made }

// Number chooses a number from 0 to most. Small numbers are more likely.
func (s *Source) Number(what string, most int) int {
	if most < 0 {
		panic(fmt.Sprintf("%s: there is no number from 0 to %d", what, most))
	}
	if s.random == nil {
		return s.repeat(what, most)
	}
	return s.make(what, int(s.random.number(uint64(most))))
}

// Evenly chooses a number from 0 to n-1. All are about equally likely.
func (s *Source) Evenly(what string, n int) int {
	if s.random == nil {
		return s.repeat(what, n-1)
	}
	return s.make(what, s.random.evenly(n))
}

func (s *Source) repeat(what string, most int) int {
	for i, c := range s.given {
		if c.For == what {
			s.given = s.given[i+1:]
			return s.make(what, min(c.Number, most))
		}
	}
	return s.make(what, 0)
}

func (s *Source) make(what string, number int) int {
	s.made = append(s.made, Choice{what, number})
	return number
}
