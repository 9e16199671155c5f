package terminal

import (
	"fmt"
	"io"
	"time"

	"github.com/podclock/podclock/harness/bench"
	"github.com/podclock/podclock/harness/host/screen"
)

// BenchProgress shows a benchmark while it runs, with its end.
type BenchProgress struct {
	*display
	board *benchBoard
}

// StartBenchProgress begins to show a benchmark of so many rows. The caller must call Stop.
func StartBenchProgress(w io.Writer, s screen.Screen, rows int) *BenchProgress {
	b := &benchBoard{rows: rows, step: bench.Step{Row: 1, Doing: "booting the cluster"}}
	return &BenchProgress{startDisplay(w, s, b), b}
}

// Tell sets what the benchmark does now.
func (p *BenchProgress) Tell(s bench.Step) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.board.step, p.board.since = s, time.Now()
}

type benchBoard struct {
	rows  int
	step  bench.Step
	since time.Time
}

func (b *benchBoard) parts(began, now time.Time, _ int, _ bool) []string {
	line := fmt.Sprintf("%s  row %d of %d", clock(now.Sub(began)), min(b.step.Row, b.rows), b.rows)
	if b.step.Subject != "" {
		line += fmt.Sprintf(", %s, %s", b.step.Subject, b.step.Configuration)
	}
	line += ": " + b.step.Doing
	if b.step.Left > 0 {
		left := max(0, b.step.Left-now.Sub(b.since))
		line += fmt.Sprintf("; ends in about %s, at %s", clock(left), now.Add(left).Format("15:04"))
	}
	return []string{line}
}
