// Package drawing draws the timeline of one pod to scale, as SVG for pages and as text for terminals. A [Drawing]
// describes what lasted, what happened and what was predicted. The package knows no clusters, trials or formulas.
package drawing

import (
	"cmp"
	"time"
)

// Drawing is a timeline to scale. All times count from one zero and can be negative. Pictures show what is between
// From and To.
type Drawing struct {
	Title    string
	Zero     string // what the zero is, such as "delete"; can be empty
	From, To time.Duration
	Rows     []Row
}

// Row is a container, the pod or the node.
type Row struct {
	Name    string
	Bars    []Bar // overlapping bars are drawn under each other
	Marks   []Mark
	Windows []Window // windows of one name and beginning are drawn over each other
}

// Bar is something that lasted.
type Bar struct {
	From, To    time.Duration
	Kind        BarKind
	Description string // what it is in a few words; if empty, the kind is shown
	Open        bool   // it did not end until To
}

// Mark is something that happened at one time.
type Mark struct {
	At          time.Duration
	Kind        MarkKind
	Description string // like that of a bar
}

// Window is a prediction: what begins at Since ends between Earliest and Latest.
type Window struct {
	Since, Earliest, Latest time.Duration
	Of                      Oracle
	Description             string         // what it predicts
	Measured                *time.Duration // when it ended; nil if it did not or was not measured
	Verdict                 string         // the verdict; empty in a prediction
}

func (b Bar) says() string { return cmp.Or(b.Description, string(b.Kind)) }

func (m Mark) says() string {
	if m.Description == "" {
		return string(m.Kind)
	}
	return string(m.Kind) + ": " + m.Description
}
