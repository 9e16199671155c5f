package terminal

import (
	"fmt"
	"io"
	"time"

	"github.com/podclock/podclock/harness/fuzz"
	"github.com/podclock/podclock/harness/host/screen"
	"github.com/podclock/podclock/harness/measure/run"
)

// FuzzProgress shows random scenarios on one subject while they run. It writes a permanent line for every kind of
// violation.
type FuzzProgress struct {
	*display
	board *fuzzBoard
}

// StartFuzzProgress begins to show a number of scenarios on a subject. The caller must call Stop.
func StartFuzzProgress(w io.Writer, s screen.Screen, subject string, scenarios int) *FuzzProgress {
	b := &fuzzBoard{subject: subject, scenarios: scenarios}
	return &FuzzProgress{startDisplay(w, s, b), b}
}

// Ran sets the number of scenarios that ran, and of the kinds of violations.
func (p *FuzzProgress) Ran(scenarios, kinds int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.board.done, p.board.kinds = scenarios, kinds
}

// Found writes a violation.
func (p *FuzzProgress) Found(v fuzz.Violation) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.keep(fmt.Sprintf("%s  VIOLATION %s, seed %d", clock(time.Since(p.began)), v.Kind, v.Seed))
}

// fuzzBoard is the present state of random scenarios.
type fuzzBoard struct {
	subject                string
	done, scenarios, kinds int
}

func (b *fuzzBoard) parts(began, now time.Time, _ int, _ bool) []string {
	took := now.Sub(began)
	line := fmt.Sprintf("%s  %s: %d of %s", clock(took), b.subject, b.done, run.Plural(b.scenarios, "scenario"))
	if b.done > 0 && took > 0 {
		line += fmt.Sprintf(", %.1f per second", float64(b.done)/took.Seconds())
	}
	if b.kinds == 1 {
		line += ", 1 kind of violation"
	} else {
		line += fmt.Sprintf(", %d kinds of violations", b.kinds)
	}
	if left := b.scenarios - b.done; left > 0 && b.done >= 10 {
		line += "; ends in about " + clock(took/time.Duration(b.done)*time.Duration(left))
	}
	return []string{line}
}
