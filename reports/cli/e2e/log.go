package e2e

import (
	"bytes"
	"io"
	"regexp"
	"sync"
)

// counted is Ginkgo's line with the number of specs. hydrophone ends with an error if its log has content without it
// (pkg/conformance/client/logs.go parseTestProgress).
var counted = regexp.MustCompile(`Will run \d+ of \d+ specs`)

// held holds a log back until it has the number of specs.
type held struct {
	mu   sync.Mutex
	to   io.Writer
	rest bytes.Buffer
	open bool
}

func (h *held) Write(b []byte) (int, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.rest.Write(b)
	if h.open = h.open || counted.Match(h.rest.Bytes()); !h.open {
		return len(b), nil
	}
	_, err := h.rest.WriteTo(h.to)
	return len(b), err
}

// end writes what is held.
func (h *held) end() error {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.open = true
	_, err := h.rest.WriteTo(h.to)
	return err
}
