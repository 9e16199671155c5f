package disturbance

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"sync/atomic"
	"time"
)

const (
	// scriptBound bounds one script, beyond what it takes by itself, on nodes that it keeps busy.
	scriptBound = time.Minute
	// undoing bounds putting a node right.
	undoing = 30 * time.Second
	// again is how long after a script that failed it is tried again.
	again = time.Second
)

// runner runs a script on a node.
type runner func(ctx context.Context, node string, bound time.Duration, script string) (string, error)

// disturber does a disturbance to some nodes, again and again.
type disturber struct {
	Disturbance
	nodes []string
	run   runner
	log   io.Writer

	applied atomic.Int64
	mu      sync.Mutex
	last    error // why a script failed, the last time
}

// during disturbs the nodes while something is done, and puts them right when it is over, whatever happened.
func (d *disturber) during(ctx context.Context, do func(context.Context) error) error {
	if d.script == "" {
		return do(ctx)
	}
	disturbing, stop := context.WithCancel(ctx)
	defer stop()
	var nodes sync.WaitGroup
	for _, node := range d.nodes {
		nodes.Go(func() { d.disturb(disturbing, node) })
	}
	err := do(ctx)
	stop()
	nodes.Wait()
	return errors.Join(err, d.undoAll(ctx))
}

// disturb does it to one node until the context ends.
func (d *disturber) disturb(ctx context.Context, node string) {
	for next := time.Now(); wait(ctx, next); {
		next = time.Now().Add(d.every)
		_, err := d.run(ctx, node, busyFor+scriptBound, d.script)
		switch {
		case err == nil:
			d.applied.Add(1)
		case ctx.Err() != nil:
			return // cut off: it is put right below
		default:
			d.mu.Lock()
			d.last = err
			d.mu.Unlock()
			next = time.Now().Add(again)
		}
	}
}

// undoAll puts every node right. It works after an interrupt, too.
func (d *disturber) undoAll(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), undoing)
	defer cancel()
	errs := make([]error, len(d.nodes))
	var nodes sync.WaitGroup
	for i, node := range d.nodes {
		nodes.Go(func() {
			if _, err := d.run(ctx, node, undoing, d.undo); err != nil {
				errs[i] = fmt.Errorf("the disturbance %s could not be undone: %w", d.Name, err)
			}
		})
	}
	nodes.Wait()
	return errors.Join(errs...)
}

// failed says why the disturbance was never done, empty where it was.
func (d *disturber) failed() string {
	d.mu.Lock()
	defer d.mu.Unlock()
	switch {
	case d.script == "" || d.applied.Load() > 0:
		return ""
	case d.last != nil:
		return fmt.Sprintf("it was never done: %v", d.last)
	}
	return "it was never done: the trials were over before"
}

// wait waits for an instant, and says whether it came.
func wait(ctx context.Context, until time.Time) bool {
	timer := time.NewTimer(time.Until(until))
	defer timer.Stop()
	select {
	case <-timer.C:
		return ctx.Err() == nil
	case <-ctx.Done():
		return false
	}
}
