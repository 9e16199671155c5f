package disturbance

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"strings"
	"sync"
	"time"
)

const (
	// scriptBound bounds one script, beyond what it takes by itself, on nodes that it keeps busy.
	scriptBound = time.Minute
	// undoing bounds putting a node right: a script that was cut off has ended by then, and an API server
	// is ready again.
	undoing = scriptEnds + becomesReady + scriptBound
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

	mu      sync.Mutex
	applied map[string]int   // how often it was done, by node
	last    map[string]error // why it failed the last time, by node
}

// during disturbs the nodes while something is done, and puts them right when it is over, whatever happened.
func (d *disturber) during(ctx context.Context, do func(context.Context) error) error {
	if d.script == "" {
		return do(ctx)
	}
	d.applied, d.last = map[string]int{}, map[string]error{}
	for _, node := range d.nodes {
		d.applied[node] = 0
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
		if err != nil && ctx.Err() != nil {
			return // cut off: it is put right below
		}
		if d.note(node, err); err != nil {
			next = time.Now().Add(again)
		}
	}
}

// note takes down what came of one script.
func (d *disturber) note(node string, err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err != nil {
		d.last[node] = err
		return
	}
	d.applied[node]++
}

// times is how often it was done, by node.
func (d *disturber) times() map[string]int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return maps.Clone(d.applied)
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

// failed says on which nodes the disturbance was never done, and why; empty where it was done on all.
func (d *disturber) failed() string {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.script == "" {
		return ""
	}
	var never []string
	for _, node := range d.nodes {
		switch {
		case d.applied[node] > 0:
		case d.last[node] != nil:
			never = append(never, fmt.Sprintf("%s (%v)", node, d.last[node]))
		default:
			never = append(never, node+" (the trials were over before)")
		}
	}
	if len(never) == 0 {
		return ""
	}
	return "it was never done on " + strings.Join(never, ", ")
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
