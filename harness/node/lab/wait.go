package lab

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/podclock/podclock/harness/measure/mark"
)

// apiAnswers knows when the newest question was asked that the API server has answered.
type apiAnswers struct {
	mu      sync.Mutex
	asked   time.Time
	changed chan struct{}
}

func newAPIAnswers() *apiAnswers { return &apiAnswers{changed: make(chan struct{})} }

func (a *apiAnswers) answered(asked time.Time) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if asked.After(a.asked) {
		a.asked = asked
	}
	close(a.changed)
	a.changed = make(chan struct{})
}

// since waits for an answer to a question that was asked after an instant. Every outage that began before is known
// then, so a saved run gets the same verdict.
func (a *apiAnswers) since(ctx context.Context, instant time.Time) error {
	for {
		a.mu.Lock()
		asked, changed := a.asked, a.changed
		a.mu.Unlock()
		if asked.After(instant) {
			return nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return fmt.Errorf("waiting for the %s to answer: %w", mark.APIServer, ctx.Err())
		}
	}
}
