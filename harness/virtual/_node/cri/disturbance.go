package cri

import (
	"fmt"
	"time"
)

// Fail makes all requests of a call fail for a time, or only the next one if it is 0.
func (r *Runtime) Fail(call string, duration time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.failing[call] = time.Time{}
	if duration > 0 {
		r.failing[call] = time.Now().Add(duration)
	}
}

// failure returns the error of a request that must fail, or nil.
func (r *Runtime) failure(call string) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	until, fails := r.failing[call]
	if !until.After(time.Now()) {
		delete(r.failing, call)
	}
	if !fails || !until.IsZero() && !until.After(time.Now()) {
		return nil
	}
	return fmt.Errorf("the trial makes %s fail", call)
}
