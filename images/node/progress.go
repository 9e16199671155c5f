package node

import (
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"github.com/jedib0t/go-pretty/v6/progress"
	"golang.org/x/term"
)

const plainInterval = 30 * time.Second

// steps reports the progress of a build. Steps may run concurrently. No step may begin after close.
type steps interface {
	begin(title string) step
	close()
}

// step is one running step. count reports the number of compiled packages, end success or failure.
type step interface {
	count(packages int)
	end(err error)
}

// newSteps reports to out: animated on a terminal, otherwise as plain lines.
func newSteps(out io.Writer, total int) steps {
	if file, ok := out.(*os.File); ok && term.IsTerminal(int(file.Fd())) {
		return newLiveSteps(out, total)
	}
	return &plainSteps{out: out, total: total}
}

type liveSteps struct {
	writer   progress.Writer
	rendered chan struct{}
}

func newLiveSteps(out io.Writer, total int) *liveSteps {
	w := progress.NewWriter()
	w.SetOutputWriter(out)
	w.SetNumTrackersExpected(total)
	w.SetUpdateFrequency(200 * time.Millisecond)
	w.SetMessageLength(40)
	style := &w.Style().Visibility
	style.Percentage, style.Speed, style.ETA = false, false, false
	style.Value, style.Time, style.Tracker = true, true, true
	s := &liveSteps{writer: w, rendered: make(chan struct{})}
	go func() {
		defer close(s.rendered)
		w.Render()
	}()
	return s
}

func (s *liveSteps) begin(title string) step {
	tracker := &progress.Tracker{Message: title, Units: progress.Units{Formatter: func(n int64) string {
		if n == 0 {
			return "" // not every step compiles
		}
		return fmt.Sprintf("%d packages", n)
	}}}
	s.writer.AppendTracker(tracker)
	return &liveStep{tracker}
}

func (s *liveSteps) close() {
	for {
		s.writer.Stop() // without effect before Render begins
		select {
		case <-s.rendered:
			return
		case <-time.After(10 * time.Millisecond):
		}
	}
}

type liveStep struct{ tracker *progress.Tracker }

func (s *liveStep) count(packages int) { s.tracker.SetValue(int64(packages)) }

func (s *liveStep) end(err error) {
	if err != nil {
		s.tracker.MarkAsErrored()
		return
	}
	s.tracker.MarkAsDone()
}

type plainSteps struct {
	out         io.Writer
	total, done int
	mu          sync.Mutex // guards out and done
}

func (s *plainSteps) line(format string, args ...any) {
	_, _ = fmt.Fprintf(s.out, "node image: [%d/%d] %s\n", s.done, s.total, fmt.Sprintf(format, args...))
}

func (s *plainSteps) begin(title string) step {
	running := &plainStep{all: s, title: title, started: time.Now(), ended: make(chan struct{})}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.line("%s ...", title)
	go running.remind()
	return running
}

func (s *plainSteps) close() {}

type plainStep struct {
	all      *plainSteps
	title    string
	started  time.Time
	ended    chan struct{}
	packages int // guarded by all.mu
}

func (s *plainStep) remind() {
	ticker := time.NewTicker(plainInterval)
	defer ticker.Stop()
	for {
		select {
		case <-s.ended:
			return
		case <-ticker.C:
			s.all.mu.Lock()
			s.all.line("%s: %s%v so far", s.title, s.compiled(), s.elapsed())
			s.all.mu.Unlock()
		}
	}
}

func (s *plainStep) count(packages int) {
	s.all.mu.Lock()
	defer s.all.mu.Unlock()
	s.packages = packages
}

func (s *plainStep) end(err error) {
	close(s.ended)
	s.all.mu.Lock()
	defer s.all.mu.Unlock()
	if err != nil {
		s.all.line("%s: failed after %v", s.title, s.elapsed())
		return
	}
	s.all.done++
	s.all.line("%s: %s%v", s.title, s.compiled(), s.elapsed())
}

func (s *plainStep) compiled() string {
	if s.packages == 0 {
		return ""
	}
	return fmt.Sprintf("%d packages compiled, ", s.packages)
}

func (s *plainStep) elapsed() time.Duration { return time.Since(s.started).Round(time.Second) }
