package terminal

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/jedib0t/go-pretty/v6/text"

	"github.com/podclock/podclock/harness/detection"
	"github.com/podclock/podclock/harness/run"
	"github.com/podclock/podclock/reports/sensitivity"
)

// SensitivityProgress shows a proof while it goes: how many mutants are through and what came of them, what is
// under test and what is being built, and when it will end. It keeps a line for every mutant.
type SensitivityProgress struct {
	*display
	board *proofBoard
}

// StartSensitivityProgress begins to show the proof of a lane with so many mutants. Stop must be called.
func StartSensitivityProgress(w io.Writer, s Screen, lane run.Lane, mutants int) *SensitivityProgress {
	b := &proofBoard{lane: lane, mutants: mutants}
	return &SensitivityProgress{startDisplay(w, s, b), b}
}

// Building says what is being built, nothing where that is empty.
func (p *SensitivityProgress) Building(name string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.board.building = name
}

// Testing says what is under test, and how many of its trials are done. Where the name is empty nothing is.
func (p *SensitivityProgress) Testing(name string, done, trials int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.board.testing, p.board.done, p.board.trials = name, done, trials
}

// Judged says what came of one more mutant.
func (p *SensitivityProgress) Judged(m detection.Mutant) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.stopped {
		return
	}
	if p.board.first.IsZero() {
		p.board.first = time.Now()
	}
	p.board.judged++
	p.board.counts.Add(m)
	p.keep(fmt.Sprintf("%s  %s", clock(time.Since(p.began)), news(m, p.screen.Colour)))
}

// Alarmed says what deviates on a control.
func (p *SensitivityProgress) Alarmed(c detection.Reference) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, a := range c.FalseAlarms {
		p.keep(
			fmt.Sprintf(
				"%s  FALSE ALARM on %s: %s %s: %s",
				clock(time.Since(p.began)),
				c.Subject,
				a.Trial,
				a.Claim,
				a.Why,
			),
		)
	}
}

// news is the line about a mutant that is through.
func news(m detection.Mutant, colour bool) string {
	verdict := string(m.Verdict)
	if c, known := detectionColours[m.Verdict]; known && colour {
		verdict = c.Sprint(verdict)
	}
	switch {
	case m.Misfiled():
		return fmt.Sprintf(
			"%s  %s, which the catalogue of mutations says can't be: %s %s, %s",
			verdict,
			m.Name,
			m.Catches[0].Trial,
			m.Catches[0].Claim,
			sensitivity.By(m),
		)
	case m.Unseen != "":
		return fmt.Sprintf("%s  %s, which nobody should be able to see", verdict, m.Name)
	case m.Verdict == detection.Caught:
		line := fmt.Sprintf(
			"%s  %s by %s %s: %s; %s",
			verdict,
			m.Name,
			m.Catches[0].Trial,
			m.Catches[0].Claim,
			sensitivity.Outside(m.Catches[0]),
			sensitivity.By(m),
		)
		if m.Diagnosis() != nil {
			line += "; " + sensitivity.Called(m)
		}
		return line
	}
	return fmt.Sprintf(
		"%s  %s: %s",
		verdict,
		m.Name,
		text.Snip(strings.Join(strings.Fields(m.Why), " "), longestNews, "…"),
	)
}

var detectionColours = map[detection.Detection]text.Colors{
	detection.Caught: {
		text.FgGreen,
	},
	detection.Survived:  {text.FgRed, text.Bold},
	detection.Undecided: {text.FgMagenta},
	detection.Failed:    {text.FgMagenta},
}

// proofBoard is how far a lane's proof is.
type proofBoard struct {
	lane            run.Lane
	mutants, judged int
	counts          detection.Figures
	building        string
	testing         string
	done, trials    int
	// first is when the first mutant was through: what came before it, the builds of the reference and
	// the control, the others do not need.
	first time.Time
}

// ending says when the proof will end: the mutants that are left take as long as those since the first.
func (b *proofBoard) ending(now time.Time) string {
	left := b.mutants - b.judged
	switch {
	case left == 0:
		return "every mutant is through"
	case b.judged < 2:
		return "no telling yet when it ends"
	}
	each := now.Sub(b.first) / time.Duration(b.judged-1)
	return "ends in about " + clock(time.Duration(left)*each)
}

func (b *proofBoard) parts() []string {
	parts := []string{fmt.Sprintf("%s lane: %d of %s through", b.lane, b.judged, run.Plural(b.mutants, "mutant"))}
	if b.judged > 0 {
		parts = append(parts, sensitivity.Counted(b.counts))
	}
	if b.testing != "" {
		parts = append(parts, fmt.Sprintf("under test %s, %d of %d trials", b.testing, b.done, b.trials))
	}
	if b.building != "" {
		parts = append(parts, "building "+b.building)
	}
	return parts
}

func (b *proofBoard) line(began, now time.Time) string {
	b.sum()
	return clock(now.Sub(began)) + "  " + b.ending(now) + "; " + strings.Join(b.parts(), "; ")
}

func (b *proofBoard) block(began, now time.Time, width int, _ bool) []string {
	b.sum()
	lines := []string{clock(now.Sub(began)) + "  " + b.ending(now)}
	for _, part := range b.parts() {
		lines = append(lines, "  "+part)
	}
	for i := range lines {
		lines[i] = text.Trim(lines[i], max(1, width-1)) // a full last column makes some terminals wrap
	}
	return lines
}

func (b *proofBoard) sum() { b.counts.Score = detection.ScoreOf(b.counts.Caught, b.counts.Mutants) }
