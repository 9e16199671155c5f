package drawing

import (
	"cmp"
	"slices"
	"time"
)

// Entry is one line of a drawing's table.
type Entry struct {
	At     time.Duration // when it began or happened
	Spread time.Duration // how long it lasted, or how wide a window is; zero for what happened at one time
	Row    string
	What   string
}

// Table tells all of d in the order of time, also what the pictures cut off: a window where its earliest end lies.
func Table(d Drawing) []Entry {
	var all []Entry
	for _, r := range d.Rows {
		for _, b := range r.Bars {
			what := b.says()
			if b.Open {
				what += ", still going on"
			}
			all = append(all, Entry{At: b.From, Spread: b.To - b.From, Row: r.Name, What: what})
		}
		for _, m := range r.Marks {
			all = append(all, Entry{At: m.At, Row: r.Name, What: m.says()})
		}
		for _, c := range r.claims() {
			all = append(all, Entry{At: c.earliest(), Spread: c.latest() - c.earliest(), Row: r.Name, What: c.tells()})
		}
	}
	slices.SortStableFunc(all, func(a, b Entry) int { return cmp.Compare(a.At, b.At) })
	return all
}
