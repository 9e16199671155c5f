package terminal

import (
	"bytes"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/jedib0t/go-pretty/v6/text"

	"github.com/podclock/podclock/harness/host/screen"
)

const (
	// plainEvery is the time between two lines if lines cannot be rewritten.
	plainEvery = 15 * time.Second
	// redrawEvery is the time between two updates of a terminal.
	redrawEvery = time.Second
)

// state is what a display shows. Callers pass the time. It writes nothing.
type state interface {
	// parts returns the state in a few parts, the time first. On a terminal each is a line of at most width columns.
	// Without one, width is 0, and all parts are one line.
	parts(began, now time.Time, width int, colour bool) []string
}

// line returns a state in one line.
func line(s state, began, now time.Time) string {
	return strings.Join(s.parts(began, now, 0, false), "; ")
}

// block returns a state in lines, none wider than the terminal. All but the first are indented.
func block(s state, began, now time.Time, width int, colour bool) []string {
	lines := s.parts(began, now, width, colour)
	for i := range lines {
		if i > 0 {
			lines[i] = "  " + lines[i]
		}
		// A full last column makes some terminals wrap. The block would then be higher than the display assumes.
		lines[i] = text.Trim(lines[i], max(1, width-1))
	}
	return lines
}

// display shows a state while it changes. A terminal gets a block that is rewritten in place, with permanent
// lines above it. Anything else gets a line every 15 seconds. The display ignores errors of its writer.
type display struct {
	screen screen.Screen
	quit   chan struct{}
	ended  chan struct{}
	once   sync.Once

	mu      sync.Mutex // guards the state as well
	out     io.Writer
	began   time.Time
	state   state
	shown   []string // the block on the terminal, line by line
	stopped bool
}

// startDisplay begins to show a state. The caller must call Stop.
func startDisplay(w io.Writer, s screen.Screen, of state) *display {
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

// show updates the display until Stop.
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
				d.print(line(d.state, d.began, time.Now()) + "\n")
			}
			d.mu.Unlock()
		}
	}
}

// Write writes whole lines above the block, for loggers. It works after Stop as well.
func (d *display) Write(b []byte) (int, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.stopped || !d.screen.Terminal {
		return d.out.Write(b)
	}
	d.keep(string(bytes.TrimRight(b, "\n")))
	return len(b), nil
}

// keep writes permanent lines, above the block if there is one.
func (d *display) keep(lines string) {
	if d.screen.Terminal {
		d.draw(lines + "\n")
		return
	}
	d.print(lines + "\n")
}

// draw writes permanent lines and the present block in place of the old block. It writes nothing if nothing
// changed.
func (d *display) draw(above string) {
	lines := block(d.state, d.began, time.Now(), d.screen.Columns(), d.screen.Colour)
	if above == "" && strings.Join(lines, "\n") == strings.Join(d.shown, "\n") {
		return
	}
	var b strings.Builder
	b.WriteString(erase(len(d.shown)))
	b.WriteString(above)
	for _, l := range lines {
		b.WriteString(l + "\n")
	}
	d.shown = lines
	d.print(b.String())
}

// erase removes the lines above the cursor. The cursor must be at the beginning of a line. It ends where the
// first removed line was.
func erase(lines int) string {
	if lines == 0 {
		return ""
	}
	return strings.Repeat(text.CursorUp.Sprint(), lines) + "\r\x1b[J"
}

func (d *display) print(s string) { _, _ = io.WriteString(d.out, s) }

// Stop removes the block and writes one last line. Afterwards only Write writes. A second call does nothing.
func (d *display) Stop() {
	d.once.Do(func() {
		close(d.quit)
		<-d.ended
		d.mu.Lock()
		defer d.mu.Unlock()
		d.stopped = true
		d.print(erase(len(d.shown)) + line(d.state, d.began, time.Now()) + "\n")
	})
}
