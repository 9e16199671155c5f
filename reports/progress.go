package reports

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"sync"
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

const (
	// plainEvery is how often a line is written where lines cannot be written over.
	plainEvery = 15 * time.Second
	// redrawEvery is how often a terminal shows the present state.
	redrawEvery = time.Second
)

// Progress shows a run while it goes: how many trials of each subject wait, start, run and are done, the verdicts so far, what is running,
// and when it will end. On a terminal it is a block that is written over in place; elsewhere a line every 15 seconds. Both
// keep a line for every trial that is done and does not conform. It shows what it is told and measures nothing itself, and an error of its
// writer stops nobody.
type Progress struct {
	screen Screen
	quit   chan struct{}
	ended  chan struct{}
	once   sync.Once

	mu      sync.Mutex
	out     io.Writer
	began   time.Time
	board   board
	shown   []string // the block on the terminal, line by line
	stopped bool
}

// StartProgress begins to show a run. Stop must be called.
func StartProgress(w io.Writer, s Screen) *Progress {
	p := &Progress{screen: s, out: w, began: time.Now(), board: newBoard(), quit: make(chan struct{}), ended: make(chan struct{})}
	go p.show()
	return p
}

// show brings what is shown up to date until Stop.
func (p *Progress) show() {
	defer close(p.ended)
	every := plainEvery
	if p.screen.Terminal {
		every = redrawEvery
	}
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		select {
		case <-p.quit:
			return
		case <-tick.C:
			p.mu.Lock()
			if p.screen.Terminal {
				p.draw("")
			} else {
				p.print(p.board.line(p.began, time.Now()) + "\n")
			}
			p.mu.Unlock()
		}
	}
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
	line := fmt.Sprintf("%s  %s  %s on %s", clock(time.Since(p.began)), painted(s.Verdict, p.screen.Colour), s.ID, s.Subject)
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

// Write lets others write whole lines to the same place without their tearing the block: it moves down. It is meant for loggers, and
// works after Stop too.
func (p *Progress) Write(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.stopped || !p.screen.Terminal {
		return p.out.Write(b)
	}
	p.keep(string(bytes.TrimRight(b, "\n")))
	return len(b), nil
}

// keep writes lines that stay, above the block where there is one.
func (p *Progress) keep(lines string) {
	if p.screen.Terminal {
		p.draw(lines + "\n")
		return
	}
	p.print(lines + "\n")
}

// draw replaces the block by lines that stay and the present block. What is on the screen already is not written again.
func (p *Progress) draw(above string) {
	block := p.board.block(p.began, time.Now(), p.screen.width(), p.screen.Colour)
	if above == "" && strings.Join(block, "\n") == strings.Join(p.shown, "\n") {
		return
	}
	var b strings.Builder
	b.WriteString(erase(len(p.shown)))
	b.WriteString(above)
	for _, l := range block {
		b.WriteString(l + "\n")
	}
	p.shown = block
	p.print(b.String())
}

// erase removes the lines above the cursor, which stands at the beginning of a line, and leaves it where the first of them was.
func erase(lines int) string {
	if lines == 0 {
		return ""
	}
	return strings.Repeat(text.CursorUp.Sprint(), lines) + "\r\x1b[J"
}

func (p *Progress) print(s string) { _, _ = io.WriteString(p.out, s) }

// Stop removes the block and leaves one last line. When it returns, nothing more will be written but what others Write. It may be called
// more than once.
func (p *Progress) Stop() {
	p.once.Do(func() {
		close(p.quit)
		<-p.ended
		p.mu.Lock()
		defer p.mu.Unlock()
		p.stopped = true
		p.print(erase(len(p.shown)) + p.board.line(p.began, time.Now()) + "\n")
	})
}
