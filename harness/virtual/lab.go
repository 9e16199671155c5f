// Package virtual is the virtual lane: it runs trials on the kubelet's own code under virtual time.
//
// Each attempt gets a virtual node of its own. A process (folder _node) plays several, one after the other. The lane
// talks to it in the types of package wire and controls its clock. Nothing is delayed or lost, so one attempt is
// enough. A node that dies, freezes or does not answer makes its trial inconclusive.
package virtual

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/podclock/podclock/harness/measure/run"
	"github.com/podclock/podclock/harness/measure/runner"
	"github.com/podclock/podclock/harness/measure/trial"
	"github.com/podclock/podclock/harness/virtual/trace"
	"github.com/podclock/podclock/harness/virtual/wire"
)

// Options configure a lab.
type Options struct {
	Programs []Program
	// AtOnce bounds the virtual nodes at one time; 0 is GOMAXPROCS.
	AtOnce int
	// ReplyTimeout bounds the real time of one answer; 0 is 30 s.
	ReplyTimeout time.Duration
	// Seed decides the random numbers of each node, such as the kubelet's jitter.
	Seed uint64
	// Trace gets the trace of each trial that was played. It may be nil. Trials end concurrently.
	Trace func(trace.Trace)
	// Coverage is a folder that gets what of the kubelet's code each trial executed, in a folder of the trial's ID. The
	// programs must have been built with -cover.
	Coverage string
	// Observe is the observer of [runner.NewSelections].
	Observe func(runner.State)
	// Log receives the log of a node that failed.
	Log io.Writer
}

// Lab runs trials on virtual nodes.
type Lab struct {
	*runner.Selections
	options Options
	queue   queue
	ctx     context.Context // ends with Close or with the context given to Open
	stop    context.CancelCauseFunc
	running sync.WaitGroup
	logs    sync.Mutex          // one log at a time
	panics  map[string][]string // of each subject's kubelet, under logs
}

// Open makes a lab. It lives until Close or until ctx ends.
func Open(ctx context.Context, o Options) (*Lab, error) {
	o.AtOnce = cmp.Or(o.AtOnce, runtime.GOMAXPROCS(0))
	o.ReplyTimeout = cmp.Or(o.ReplyTimeout, replyTimeout)
	if o.Log == nil {
		o.Log = io.Discard
	}
	for _, s := range o.Programs {
		if s.Binary == "" {
			return nil, fmt.Errorf("subject %s has no virtual node program: build it with builder.Build", s.Name)
		}
	}
	sweep()
	l := &Lab{Selections: runner.NewSelections(o.Observe), options: o, panics: map[string][]string{}}
	l.ctx, l.stop = context.WithCancelCause(ctx)
	return l, nil
}

// Start begins every selection, the longest first. It returns at once.
func (l *Lab) Start(selections []runner.Selection) {
	for _, s := range runner.LongestFirst(selections) {
		l.queue.add(l.Add(s))
	}
	for range l.queue.places(l.options.AtOnce) {
		l.running.Go(l.serve)
	}
}

// serve plays what waits, in one place.
func (l *Lab) serve() {
	at := &place{ctx: l.ctx}
	defer at.leave()
	for {
		r := l.queue.next(at)
		if r == nil {
			return
		}
		if l.ctx.Err() != nil {
			r.Conclude(trial.Inconclusive, "it never ran: "+context.Cause(l.ctx).Error())
		} else {
			r.Repeat(l.ctx, 1, func(number int) runner.Completed { return l.play(at, r, number) })
		}
		r.Finish()
	}
}

// queue holds the trials that wait for a place.
type queue struct {
	mu      sync.Mutex
	waiting []*runner.Attempts
	serving int
}

func (q *queue) add(r *runner.Attempts) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.waiting = append(q.waiting, r)
}

// places returns how many places to open for what waits, with those that serve already at most so many.
func (q *queue) places(most int) int {
	q.mu.Lock()
	defer q.mu.Unlock()
	more := min(most-q.serving, len(q.waiting))
	q.serving += more
	return more
}

// next returns the first trial of the subject whose process a place keeps, or the first one. It is nil if none waits,
// and the place is closed.
func (q *queue) next(at *place) *runner.Attempts {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.waiting) == 0 {
		q.serving--
		return nil
	}
	i := max(0, slices.IndexFunc(q.waiting, func(r *runner.Attempts) bool { return at.keeps(r.Subject) }))
	r := q.waiting[i]
	q.waiting = slices.Delete(q.waiting, i, i+1)
	return r
}

func (l *Lab) play(at *place, r *runner.Attempts, number int) runner.Completed {
	i := slices.IndexFunc(l.options.Programs, func(s Program) bool { return s.Name == r.Subject })
	if i < 0 {
		return skip(trial.Inconclusive, "the lab has no subject of this name").Completed
	}
	r.Begin(number)
	a := playOnce(l.ctx, at, l.options.Programs[i], r.Trial, l.attemptOptions(), r.Started)
	if a.trace != nil {
		l.options.Trace(*a.trace)
	}
	if a.broken != nil && l.ctx.Err() == nil {
		l.report(r.Selection, a)
	}
	if a.Deviation != nil && !l.KeepLog() {
		a.Deviation.NodeLog = nil
	}
	return a.Completed
}

func (l *Lab) attemptOptions() attemptOptions {
	return attemptOptions{
		replyTimeout: l.options.ReplyTimeout, seed: l.options.Seed,
		traced: l.options.Trace != nil, coverage: l.options.Coverage,
	}
}

func (l *Lab) report(s runner.Selection, a attempt) {
	l.logs.Lock()
	defer l.logs.Unlock()
	_, _ = fmt.Fprintf(l.options.Log, "trial %s on %s: %v\n", s.Trial.ID, s.Subject, a.broken)
	if panicked(a.log) {
		l.panics[s.Subject] = append(l.panics[s.Subject], fmt.Sprintf("in trial %s, %v", s.Trial.ID, a.broken))
	}
	if len(a.log) > 0 {
		_, _ = fmt.Fprintf(l.options.Log, "the node's log:\n\t%s\n", strings.Join(a.log, "\n\t"))
	}
}

// panicked reports whether Kubernetes' own code panicked in a node, as the stack in its log shows.
func panicked(log []string) bool {
	i := slices.IndexFunc(log, func(line string) bool {
		return strings.HasPrefix(line, "panic: ") || strings.HasPrefix(line, "fatal error: ")
	})
	return i >= 0 && slices.ContainsFunc(log[i:], func(line string) bool {
		return strings.HasPrefix(line, "k8s.io/kubernetes/pkg/kubelet")
	})
}

// Nodes returns one node per subject: its nodes are all alike.
func (l *Lab) Nodes() []run.Node {
	var nodes []run.Node
	for _, s := range l.options.Programs {
		nodes = append(nodes, run.Node{
			Name: wire.NodeName, Subject: s.Name, Watched: true, Exits: l.panics[s.Name],
		})
	}
	return nodes
}

// Wait returns when every selection that was started is done.
func (l *Lab) Wait() { l.running.Wait() }

// Err returns why the lab ended before it was closed, or nil.
func (l *Lab) Err() error { return runner.Ended(l.ctx) }

// Stop ends what is running. It is judged by what was recorded so far.
func (l *Lab) Stop() {
	l.stop(runner.ErrClosed)
	l.running.Wait()
}

// Close stops the lab.
func (l *Lab) Close(context.Context) error {
	l.Stop()
	return nil
}
