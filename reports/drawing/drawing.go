// Package drawing describes the timeline of one pod to scale (what lasted, what happened, what was predicted) and draws that one description as SVG for pages and as plain text
// for terminals, and tells it as a table for who can see neither. It knows nothing of clusters, trials or formulas: who measured or predicted something fills a Drawing.
package drawing

import "time"

// Drawing is a timeline to scale: every time in it counts from the zero that its maker chose (the cue, the pod's start) and may be negative.
// What lies outside From and To is cut at the edge and said so, never drawn elsewhere.
type Drawing struct {
	Title    string
	From, To time.Duration
	Rows     []Row
}

// Row is one line of a drawing: a container, the pod, the API server. Bars of one row that overlap are drawn under each other.
type Row struct {
	Name    string
	Bars    []Bar
	Marks   []Mark
	Windows []Window
}

// Bar is something that lasted.
type Bar struct {
	From, To time.Duration
	Kind     BarKind
	Says     string // what it is, in a few words, with what its times do not tell; empty is the kind's own word
	Open     bool   // still going on at To, where the observation ended
}

// Mark is something that happened at one time.
type Mark struct {
	At   time.Duration
	Kind MarkKind
	Says string // as a bar's
}

// Window is a prediction: what it speaks of comes from Earliest to Latest.
type Window struct {
	Earliest, Latest time.Duration
	Of               Oracle
	Says             string         // what it predicts
	Measured         *time.Duration // when that really came; nil where it did not or nobody measured
	Verdict          string         // the judge's word on it; empty in a prediction
}
