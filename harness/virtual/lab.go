// Package virtual is the lab of the virtual lane: trials on the kubelet's own code under virtual time.
//
// Each trial gets a virtual node of its own, a process that is started for it and ends with it (folder
// _node). The lab talks to it by the types of package wire, and is in charge of its clock: it creates the
// trial's pods, lets time pass, delivers the cues at their points, and judges what was recorded. There is
// no noise and no loss, so a trial is run once. A node that dies, freezes or does not answer is never a
// verdict: its trial is inconclusive.
package virtual

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/semaphore"

	"github.com/podclock/podclock/harness/stage"
	"github.com/podclock/podclock/harness/trial"
	"github.com/podclock/podclock/harness/virtual/wire"
)

// Options are what a lab needs.
type Options struct {
	Subjects []Subject
	// AtOnce bounds the virtual nodes that run at one time; 0 is one for each processor that this process may use.
	AtOnce int
	// Patience is how long, in real time, a node may take for one answer; 0 is 30 s.
	Patience time.Duration
	// Log takes what is worth telling beside the outcomes, such as the log of a node that died.
	Log io.Writer
}

// Lab runs trials on virtual nodes.
type Lab struct {
	options Options
	runs    stage.Runs
	places  *semaphore.Weighted
	ctx     context.Context // ends with Close or with the context given to Open
	stop    context.CancelCauseFunc
	running sync.WaitGroup
	logs    sync.Mutex // one log at a time
	kept    atomic.Int32
}

// Open makes a lab. It lives until Close or until ctx ends.
func Open(ctx context.Context, o Options) (*Lab, error) {
	o.AtOnce = cmp.Or(o.AtOnce, runtime.GOMAXPROCS(0))
	o.Patience = cmp.Or(o.Patience, patience)
	if o.Log == nil {
		o.Log = io.Discard
	}
	for _, s := range o.Subjects {
		if s.Binary == "" {
			return nil, fmt.Errorf("subject %s has no virtual node program: build it with builder.Build", s.Name)
		}
	}
	sweep()
	l := &Lab{options: o, runs: stage.Runs{}, places: semaphore.NewWeighted(int64(o.AtOnce))}
	l.ctx, l.stop = context.WithCancelCause(ctx)
	return l, nil
}

// Start begins every selection, the longest first. It returns at once; Await waits for one of them.
func (l *Lab) Start(selections []stage.Selection) {
	var waiting []*stage.Run
	for _, s := range stage.LongestFirst(selections) {
		waiting = append(waiting, l.runs.Add(s))
	}
	// One goroutine hands out the places in order.
	l.running.Go(func() {
		for _, r := range waiting {
			if err := l.places.Acquire(l.ctx, 1); err != nil {
				r.Conclude(trial.Inconclusive, "it never ran: "+context.Cause(l.ctx).Error())
				r.Finish()
				continue
			}
			l.running.Go(func() {
				defer l.places.Release(1)
				defer r.Finish()
				l.run(r)
			})
		}
	})
}

// run runs one selection.
func (l *Lab) run(r *stage.Run) {
	i := slices.IndexFunc(l.options.Subjects, func(s Subject) bool { return s.Name == r.Subject })
	if i < 0 {
		r.Conclude(trial.Inconclusive, "the lab has no subject of this name")
		return
	}
	r.Begin(1)
	a := run(l.ctx, l.options.Subjects[i], r.Trial, l.options.Patience, r.Started)
	if a.broken != nil && l.ctx.Err() == nil {
		l.tell(r.Selection, a)
	}
	if !a.ran {
		r.Conclude(a.verdict, a.why)
		return
	}
	if a.Deviation != nil && l.kept.Add(1) > stage.MostLogs {
		a.Deviation.NodeLog = nil
	}
	r.Keep(a.Attempt, a.why)
	r.End()
}

// tell writes of a node that failed all that it wrote.
func (l *Lab) tell(s stage.Selection, a attempt) {
	l.logs.Lock()
	defer l.logs.Unlock()
	_, _ = fmt.Fprintf(l.options.Log, "trial %s on %s: %v\n", s.Trial.ID, s.Subject, a.broken)
	if len(a.log) > 0 {
		_, _ = fmt.Fprintf(l.options.Log, "the node's log:\n\t%s\n", strings.Join(a.log, "\n\t"))
	}
}

// Await waits for a selection's outcome. It fails only when the selection was never started or ctx ends first.
func (l *Lab) Await(ctx context.Context, id, subject string) (trial.Outcome, error) {
	return l.runs.Await(ctx, id, subject)
}

// States tells how far every selection has come.
func (l *Lab) States() []stage.State { return l.runs.States() }

// Outcomes are all outcomes as they stand, ordered by subject and trial.
func (l *Lab) Outcomes() []trial.Outcome { return l.runs.Outcomes() }

// Nodes are the nodes that trials ran on: each on one of its own, of which all are alike and none makes any noise.
func (l *Lab) Nodes() []stage.Node {
	var nodes []stage.Node
	for _, s := range l.options.Subjects {
		nodes = append(nodes, stage.Node{Name: wire.NodeName, Subject: s.Name})
	}
	return nodes
}

// errClosed is the cause of a lab's context after Close.
var errClosed = errors.New("the lab is closed")

// Err is why the lab ended before it was closed: the run was interrupted. It is nil while the lab lives.
func (l *Lab) Err() error {
	if cause := context.Cause(l.ctx); cause != nil && !errors.Is(cause, errClosed) {
		return cause
	}
	return nil
}

// Stop ends what is running: it is judged by what was recorded of it so far.
func (l *Lab) Stop() {
	l.stop(errClosed)
	l.running.Wait()
}

// Close stops the lab. Its context is that of the node lane's lab, which has something left to remove.
func (l *Lab) Close(context.Context) error {
	l.Stop()
	return nil
}
