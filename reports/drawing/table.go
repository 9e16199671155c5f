package drawing

import "time"

// Entry is one line of a drawing's table.
type Entry struct {
	At     time.Duration // when it began or happened
	Spread time.Duration // how long it lasted, or how wide the window is; zero for what happened at one time
	Row    string
	What   string
}

// Table tells d in the order of time, for who cannot see or hover.
func Table(d Drawing) []Entry { return nil }
