package terminal

import (
	"bytes"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/jedib0t/go-pretty/v6/text"
)

const (
	// plainEvery is how often a line is written where lines cannot be written over.
	plainEvery = 15 * time.Second
	// redrawEvery is how often a terminal shows the present state.
	redrawEvery = time.Second
)

// state is what a display shows. It is told the time, and writes nothing.
type state interface {
	// line is everything in one line, for where lines stay; block is the same in a few lines, none wider
	// than the terminal.
	line(began, now time.Time) string
	block(began, now time.Time, width int, colour bool) []string
}

// display shows a state while it changes: on a terminal as a block that is written over in place, elsewhere
// as a line every 15 seconds. Lines that stay stand above. It shows what it is told and measures nothing
// itself, and an error of its writer stops nobody.
type display struct {
	screen Screen
	quit   chan struct{}
	ended  chan struct{}
	once   sync.Once

	mu      sync.Mutex // of the state, too
	out     io.Writer
	began   time.Time
	state   state
	shown   []string // the block on the terminal, line by line
	stopped bool
}

// startDisplay begins to show a state. Stop must be called.
func startDisplay(w io.Writer, s Screen, of state) *display {
	d := &display{
		screen: s,
		out:    w,
		began:  time.Now(),
		state:  of,
		quit:   make(chan struct{}),
		ended:  make(chan struct{}),
	}
	go d.show()
	return d
}

// show brings what is shown up to date until Stop.
func (d *display) show() {
	defer close(d.ended)
	every := plainEvery
	if d.screen.Terminal {
		every = redrawEvery
	}
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		select {
		case <-d.quit:
			return
		case <-tick.C:
			d.mu.Lock()
			if d.screen.Terminal {
				d.draw("")
			} else {
				d.print(d.state.line(d.began, time.Now()) + "\n")
			}
			d.mu.Unlock()
		}
	}
}

// Write lets others write whole lines to the same place without their tearing the block: it moves down. It
// is meant for loggers, and works after Stop too.
func (d *display) Write(b []byte) (int, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.stopped || !d.screen.Terminal {
		return d.out.Write(b)
	}
	d.keep(string(bytes.TrimRight(b, "\n")))
	return len(b), nil
}

// keep writes lines that stay, above the block where there is one.
func (d *display) keep(lines string) {
	if d.screen.Terminal {
		d.draw(lines + "\n")
		return
	}
	d.print(lines + "\n")
}

// draw replaces the block by lines that stay and the present block. What is on the screen already is not written again.
func (d *display) draw(above string) {
	block := d.state.block(d.began, time.Now(), d.screen.Columns(), d.screen.Colour)
	if above == "" && strings.Join(block, "\n") == strings.Join(d.shown, "\n") {
		return
	}
	var b strings.Builder
	b.WriteString(erase(len(d.shown)))
	b.WriteString(above)
	for _, l := range block {
		b.WriteString(l + "\n")
	}
	d.shown = block
	d.print(b.String())
}

// erase removes the lines above the cursor, which stands at the beginning of a line, and leaves it where
// the first of them was.
func erase(lines int) string {
	if lines == 0 {
		return ""
	}
	return strings.Repeat(text.CursorUp.Sprint(), lines) + "\r\x1b[J"
}

func (d *display) print(s string) { _, _ = io.WriteString(d.out, s) }

// Stop removes the block and leaves one last line. When it returns, nothing more will be written but what
// others Write. It may be called more than once.
func (d *display) Stop() {
	d.once.Do(func() {
		close(d.quit)
		<-d.ended
		d.mu.Lock()
		defer d.mu.Unlock()
		d.stopped = true
		d.print(erase(len(d.shown)) + d.state.line(d.began, time.Now()) + "\n")
	})
}
