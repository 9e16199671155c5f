package terminal

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/jedib0t/go-pretty/v6/text"

	"github.com/podclock/podclock/harness/host/screen"
	"github.com/podclock/podclock/harness/measure/runner"
	"github.com/podclock/podclock/harness/measure/trial"
)

// Progress shows a run while it goes on: the number of trials in each phase by subject, the verdicts so far,
// the running trials, and when the run will end. On a terminal it is a block that is rewritten in place,
// otherwise a line every 15 seconds. A trial that ended and needs a look gets a permanent line.
type Progress struct {
	*display
	board *board
	// Every makes Progress write a line for every trial, also for those that need no look.
	Every bool
	// Timeless means that Trial.Lasts does not predict real time, as in the virtual lane.
	Timeless bool
}

// StartProgress begins to show a run. The caller must call Stop.
func StartProgress(w io.Writer, s screen.Screen) *Progress {
	b := newBoard()
	return &Progress{display: startDisplay(w, s, &b), board: &b}
}

// Update sets the state of one trial. Any goroutine may call it. After Stop it does nothing.
func (p *Progress) Update(s runner.State) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.stopped {
		return
	}
	if p.Timeless {
		s.Trial.Lasts = 0
	}
	before := p.board.set(s)
	ended := s.Phase == runner.Done && (before.Phase != runner.Done || before.Attempt != s.Attempt)
	if ended && (p.Every || needsLook(s.Verdict)) {
		p.keep(p.news(s))
	}
}

// needsLook reports whether a verdict is worth a line while the run goes on. Known divergences and
// unsupported trials are not.
func needsLook(v trial.Verdict) bool { return v == trial.Deviates || v == trial.Inconclusive }

// news returns the line about a trial that is done.
func (p *Progress) news(s runner.State) string {
	line := fmt.Sprintf("%s  %s  %s on %s", clock(time.Since(p.began)), painted(s.Verdict, p.screen.Colour), s.Trial.ID,
		s.Subject)
	if s.Attempt > 1 {
		line += fmt.Sprintf(" (attempt %d)", s.Attempt)
	}
	if s.Why != "" {
		line += ": " + brief(s.Why)
	}
	return line
}

// longestNews bounds the printed part of a reason, in characters. The reports have all of it.
const longestNews = 300

// brief returns a reason in one line.
func brief(why string) string {
	return text.Snip(strings.Join(strings.Fields(why), " "), longestNews, "…")
}
