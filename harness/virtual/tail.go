package virtual

import (
	"bytes"
	"strings"
	"sync"

	"github.com/podclock/podclock/harness/virtual/wire"
)

const (
	// mostLog bounds the kept log of a node, in bytes.
	mostLog   = 256 << 10
	mostLines = 6
)

// tail keeps the end of what a process writes. The part of its newest node is shown.
type tail struct {
	mu   sync.Mutex
	text []byte
	cut  bool
}

func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.text = append(t.text, p...)
	if len(t.text) > 2*mostLog {
		t.text, t.cut = bytes.Clone(t.text[len(t.text)-mostLog:]), true
	}
	return len(p), nil
}

func (t *tail) lines() []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	text := strings.TrimSpace(string(t.text))
	if i := strings.LastIndex(text, wire.LogBegins); i >= 0 {
		text = strings.TrimSpace(text[i+len(wire.LogBegins):])
	} else if t.cut {
		_, text, _ = strings.Cut(text, "\n")
	}
	if text == "" {
		return nil
	}
	return strings.Split(text, "\n")
}

// last returns the end of the log in one line, or the message of a panic.
func (t *tail) last() string {
	lines := t.lines()
	from := max(0, len(lines)-mostLines)
	for i, line := range lines {
		if strings.HasPrefix(line, "panic: ") || strings.HasPrefix(line, "fatal error: ") {
			from = i
			break
		}
	}
	return inOneLine(strings.Join(lines[from:min(len(lines), from+mostLines)], "\n"))
}

func inOneLine(text string) string {
	var kept []string
	for line := range strings.SplitSeq(text, "\n") {
		if line = strings.TrimSpace(line); line != "" {
			kept = append(kept, line)
		}
	}
	return strings.Join(kept, " | ")
}
