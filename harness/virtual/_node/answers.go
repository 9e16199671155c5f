package main

import (
	"encoding/json"
	"fmt"
	"io"
	"sync"

	"github.com/podclock/podclock/harness/virtual/wire"
)

type answers struct {
	mu      sync.Mutex
	encoder *json.Encoder
}

func newAnswers(w io.Writer) *answers { return &answers{encoder: json.NewEncoder(w)} }

func (a *answers) send(answer wire.Answer) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if err := a.encoder.Encode(answer); err != nil {
		return fmt.Errorf("write to the lab: %w", err)
	}
	return nil
}
