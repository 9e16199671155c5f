// Package drawing describes the timeline of one pod to scale (what lasted, what happened, what was
// predicted) and draws that one description as SVG for pages and as plain text for terminals, and tells it
// as a table for programs and tests. It knows nothing of clusters, trials or formulas: who measured or
// predicted something fills a Drawing.
package drawing

import "time"

// Drawing is a timeline to scale. Every time in it counts from one zero that its maker chose, and may be
// negative. What lies outside From and To is cut off in the pictures; Table has all.
type Drawing struct {
	Title    string
	Zero     string // what the zero is, such as "delete"; empty where the axis need not say
	From, To time.Duration
	Rows     []Row
}

// Row is one line of a drawing: a container, the pod, the node.
type Row struct {
	Name    string
	Bars    []Bar // those that overlap are drawn under each other
	Marks   []Mark
	Windows []Window // those of one name and beginning are drawn over each other
}

// Bar is something that lasted.
type Bar struct {
	From, To time.Duration
	Kind     BarKind
	Says     string // what it is, in a few words; empty is the kind's own word
	Open     bool   // still going on at To, where it was last known
}

// Mark is something that happened at one time.
type Mark struct {
	At   time.Duration
	Kind MarkKind
	Says string // as a bar's
}

// Window is a prediction: what begins at Since comes to its end from Earliest to Latest.
type Window struct {
	Since, Earliest, Latest time.Duration
	Of                      Oracle
	Says                    string         // what it predicts
	Measured                *time.Duration // when the end really came; nil where it did not or nobody measured
	Verdict                 string         // the judge's word on it; empty in a prediction
}

// says is a bar's own words, else its kind's.
func (b Bar) says() string { return otherwise(b.Says, string(b.Kind)) }

// says is a mark's own words after its kind's.
func (m Mark) says() string {
	if m.Says == "" {
		return string(m.Kind)
	}
	return string(m.Kind) + ": " + m.Says
}

func otherwise(s, other string) string {
	if s == "" {
		return other
	}
	return s
}
