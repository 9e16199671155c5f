package rounds

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"strings"
	"sync"
	"time"

	"github.com/podclock/podclock/harness/node/pace"
)

const (
	scriptBound = time.Minute
	// undoing bounds the end of a script and its undoing on one node.
	undoing = scriptEnds + becomesReady + scriptBound
	again   = time.Second
)

type runScript func(ctx context.Context, node string, bound time.Duration, script string) (string, error)

type disturber struct {
	Disturbance
	nodes []string
	run   runScript

	mu      sync.Mutex
	applied map[string]int   // number of disturbances by node
	last    map[string]error // last failure by node
}

// during disturbs the nodes while do runs, and then undoes that.
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

func (d *disturber) disturb(ctx context.Context, node string) {
	for next := time.Now(); pace.SleepUntil(ctx, next) == nil && ctx.Err() == nil; {
		next = time.Now().Add(d.every)
		_, err := d.run(ctx, node, busyFor+scriptBound, d.script)
		if err != nil && ctx.Err() != nil {
			return // interrupted: undoAll undoes it
		}
		if d.note(node, err); err != nil {
			next = time.Now().Add(again)
		}
	}
}

func (d *disturber) note(node string, err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err != nil {
		d.last[node] = err
		return
	}
	d.applied[node]++
}

func (d *disturber) times() map[string]int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return maps.Clone(d.applied)
}

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

// failed returns why nodes were never disturbed, or "".
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
			never = append(never, node+" (the trials ended before)")
		}
	}
	if len(never) == 0 {
		return ""
	}
	return "it was never applied to " + strings.Join(never, ", ")
}
