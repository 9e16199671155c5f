package terminal

import (
	"fmt"
	"io"
	"time"

	"github.com/jedib0t/go-pretty/v6/text"

	"github.com/podclock/podclock/harness/host/screen"
	"github.com/podclock/podclock/harness/measure/run"
	"github.com/podclock/podclock/harness/mutants/mutationtest"
	"github.com/podclock/podclock/reports/view/mutants"
)

// MutantsProgress shows a mutation test while it goes on: the counted results of mutants, the mutant
// under test, the one being built, and when the run will end. It writes a permanent line for every mutant.
type MutantsProgress struct {
	*display
	board *mutantsBoard
}

// StartMutantsProgress begins to show the mutation test of a lane. mutants is their number. The caller
// must call Stop.
func StartMutantsProgress(w io.Writer, s screen.Screen, lane run.Lane, mutants int) *MutantsProgress {
	b := &mutantsBoard{lane: lane, mutants: mutants}
	return &MutantsProgress{startDisplay(w, s, b), b}
}

// Building sets what is being built, "" for nothing.
func (p *MutantsProgress) Building(name string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.board.building = name
}

// Testing sets what is under test, "" for nothing, and how many of its trials are done.
func (p *MutantsProgress) Testing(name string, done, trials int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.board.testing, p.board.done, p.board.trials = name, done, trials
}

// Judged adds the result of a mutant.
func (p *MutantsProgress) Judged(m mutationtest.Mutant) {
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

// Alarmed writes the false alarms of a reference.
func (p *MutantsProgress) Alarmed(c mutationtest.Reference) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, a := range c.FalseAlarms {
		p.keep(fmt.Sprintf("%s  FALSE ALARM on %s: %s %s: %s", clock(time.Since(p.began)), c.Subject, a.Trial, a.Claim,
			a.Why))
	}
}

// news returns the line about the result of a mutant.
func news(m mutationtest.Mutant, colour bool) string {
	verdict := string(m.Verdict)
	if c, known := detectionColours[m.Verdict]; known && colour {
		verdict = c.Sprint(verdict)
	}
	switch {
	case m.Misclassified():
		return fmt.Sprintf("%s  %s, unexpected by the catalogue of mutations: %s %s, %s", verdict, m.Name,
			m.Kills[0].Trial, m.Kills[0].Claim, mutants.By(m))
	case m.Equivalent != "":
		return fmt.Sprintf("%s  %s, as the catalogue of mutations expects", verdict, m.Name)
	case m.Verdict == mutationtest.Killed:
		line := fmt.Sprintf("%s  %s by %s %s: %s; %s", verdict, m.Name, m.Kills[0].Trial, m.Kills[0].Claim,
			mutants.Outside(m.Kills[0]), mutants.By(m))
		if m.Diagnosis() != nil {
			line += "; " + mutants.Called(m)
		}
		return line
	}
	return fmt.Sprintf("%s  %s: %s", verdict, m.Name, brief(m.Why))
}

var detectionColours = map[mutationtest.Status]text.Colors{
	mutationtest.Killed:    {text.FgGreen},
	mutationtest.Survived:  {text.FgRed, text.Bold},
	mutationtest.Undecided: {text.FgMagenta},
	mutationtest.Failed:    {text.FgMagenta},
}

// mutantsBoard is the present state of a lane's mutation test.
type mutantsBoard struct {
	lane            run.Lane
	mutants, judged int
	counts          mutationtest.Figures
	building        string
	testing         string
	done, trials    int
	// first is when the first mutant was judged. The time before it includes the builds of the reference, which
	// later mutants do not need.
	first time.Time
}

// ending returns in words when the run will end. It assumes that the remaining mutants take as long on average
// as those after the first.
func (b *mutantsBoard) ending(now time.Time) string {
	left := b.mutants - b.judged
	switch {
	case left == 0:
		return "every mutant is done"
	case b.judged < 2:
		return "too early to estimate the end"
	}
	each := now.Sub(b.first) / time.Duration(b.judged-1)
	return "ends in about " + clock(time.Duration(left)*each)
}

func (b *mutantsBoard) parts(began, now time.Time, _ int, _ bool) []string {
	b.counts.Score = mutationtest.ScoreOf(b.counts.Killed, b.counts.Mutants)
	parts := []string{
		clock(now.Sub(began)) + "  " + b.ending(now),
		fmt.Sprintf("%s lane: %d of %s done", b.lane, b.judged, run.Plural(b.mutants, "mutant")),
	}
	if b.judged > 0 {
		parts = append(parts, mutants.Counted(b.counts))
	}
	if b.testing != "" {
		parts = append(parts, fmt.Sprintf("under test %s, %d of %d trials", b.testing, b.done, b.trials))
	}
	if b.building != "" {
		parts = append(parts, "building "+b.building)
	}
	return parts
}
