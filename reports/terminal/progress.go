package terminal

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/jedib0t/go-pretty/v6/text"

	"github.com/podclock/podclock/harness/trial"
)

// Phase is how far a trial has come.
type Phase int

// The phases, in order. A trial that is retried goes back to Waiting.
const (
	Waiting Phase = iota
	Starting
	Running
	Done
)

// TrialState is what progress knows of one trial on one subject.
type TrialState struct {
	ID, Subject string
	Phase       Phase
	// Started is when its pod was created: of Starting and Running.
	Started time.Time
	// Expected is how long it should take from then to its end, 0 where nobody knows.
	Expected time.Duration
	// Verdict and Why, its reason in one line, belong to Done.
	Verdict trial.Verdict
	Why     string
	// Attempt counts from 1; 0 is not said.
	Attempt int
}

// Progress shows a run while it goes: how many trials of each subject wait, start, run and are done, the
// verdicts so far, what is running, and when it will end. On a terminal it is a block that is written over
// in place; elsewhere a line every 15 seconds. Both keep a line for every trial that is done and does not
// conform.
type Progress struct {
	*display
	board *board
}

// StartProgress begins to show a run. Stop must be called.
func StartProgress(w io.Writer, s Screen) *Progress {
	b := newBoard()
	return &Progress{startDisplay(w, s, &b), &b}
}

// Update takes over the new state of one trial. It may be called from any goroutine, and does nothing after Stop.
func (p *Progress) Update(s TrialState) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.stopped {
		return
	}
	before := p.board.set(s)
	ended := s.Phase == Done && (before.Phase != Done || before.Attempt != s.Attempt)
	if ended && s.Verdict != trial.Conforms {
		p.keep(p.news(s))
	}
}

// news is the line about a trial that is done and does not conform.
func (p *Progress) news(s TrialState) string {
	line := fmt.Sprintf(
		"%s  %s  %s on %s",
		clock(time.Since(p.began)),
		painted(s.Verdict, p.screen.Colour),
		s.ID,
		s.Subject,
	)
	if s.Attempt > 1 {
		line += fmt.Sprintf(" (attempt %d)", s.Attempt)
	}
	if s.Why != "" {
		line += ": " + text.Snip(strings.Join(strings.Fields(s.Why), " "), longestNews, "…")
	}
	return line
}

// longestNews is how much of a reason is told at once: what a node wrote before it died, the reports have.
const longestNews = 300
