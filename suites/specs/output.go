package specs

import (
	"bytes"
	"io"
)

// wholeLines passes on whole lines only, because the progress of a run is drawn between them.
type wholeLines struct {
	to   io.Writer
	rest []byte
}

func (w *wholeLines) Write(b []byte) (int, error) {
	w.rest = append(w.rest, b...)
	end := bytes.LastIndexByte(w.rest, '\n') + 1
	if end == 0 {
		return len(b), nil
	}
	_, err := w.to.Write(w.rest[:end])
	w.rest = append([]byte(nil), w.rest[end:]...)
	return len(b), err
}

// flush ends the last line.
func (w *wholeLines) flush() {
	if len(w.rest) > 0 {
		_, _ = w.to.Write(append(w.rest, '\n'))
		w.rest = nil
	}
}
