package lab

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/podclock/podclock/harness/mark"
	"github.com/podclock/podclock/harness/stage"
)

// arrivals keeps what a watch delivered, in order, by the pod's UID.
type arrivals[T any] struct {
	mu      sync.Mutex
	byUID   map[string][]T
	changed chan struct{}
}

func newArrivals[T any]() arrivals[T] {
	return arrivals[T]{byUID: map[string][]T{}, changed: make(chan struct{})}
}

func (a *arrivals[T]) add(uid string, next func(before []T) T) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.byUID[uid] = append(a.byUID[uid], next(a.byUID[uid]))
	close(a.changed)
	a.changed = make(chan struct{})
}

func (a *arrivals[T]) change() <-chan struct{} {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.changed
}

func (a *arrivals[T]) of(uid string) []T {
	a.mu.Lock()
	defer a.mu.Unlock()
	return slices.Clone(a.byUID[uid])
}

func (a *arrivals[T]) count(pods []stage.Deployed) int {
	a.mu.Lock()
	defer a.mu.Unlock()
	n := 0
	for _, p := range pods {
		n += len(a.byUID[string(p.UID)])
	}
	return n
}

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
