package lab

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/podclock/podclock/harness/measure/judge"
	"github.com/podclock/podclock/harness/measure/runner"
	"github.com/podclock/podclock/harness/measure/trial"
	"github.com/podclock/podclock/harness/node/pace"
)

// pooledAttempts are few, because other subjects wait for the node.
const pooledAttempts = 2

// most bounds the attempts of an inconclusive trial on a node.
func (l *site) most(n *node) int {
	if n.subject == "" {
		return min(pooledAttempts, l.options.Attempts)
	}
	return l.options.Attempts
}

// beside bounds those of them that are made beside other trials.
func (l *site) beside(n *node) int {
	if n.subject == "" {
		return l.most(n)
	}
	return max(1, l.options.Attempts-lastAttempts)
}

// attempts makes attempts until they are conclusive, or until there were so many. Then it ends the trial, or lets it
// wait for its last attempts. Each attempt holds a place until its pods have started. The caller may have taken the
// first one's place and room.
func (l *site) attempts(r *runner.Attempts, n *node, p *pace.Pace, most int, first *slot) {
	if why := r.Trial.Unsupported(n.runs()); why != "" {
		if first != nil {
			first.room.Leave()
			p.End()
		}
		r.Conclude(trial.Unsupported, why)
		r.Finish()
		return
	}
	var second *twin
	open := r.Repeat(l.ctx, most, func(number int) (played runner.Completed) {
		defer func() { played.Lost = l.options.External && n.isAbandoned() }()
		if second != nil && number == secondAttempt {
			if played, begun := second.take(r); begun {
				return played
			}
		}
		s := first
		if s == nil {
			var why string
			if s, why = l.enter(r.Trial, n, p, number); why != "" {
				return runner.Completed{Skipped: trial.Inconclusive, Why: why}
			}
		}
		first = nil // this attempt gives it back
		defer s.room.Leave()
		if why := n.unusable(); why != "" {
			p.End()
			return runner.Completed{Skipped: trial.Inconclusive, Why: why}
		}
		if number == 1 {
			second = l.plan(r, n, p)
			defer func() { second.end(l.ctx, played.Result) }()
		}
		return l.attempt(l.ctx, r, n, p, number, s)
	})
	if !open || most == l.most(n) {
		r.Finish()
		return
	}
	p.Awaits("the starts of all others, because they were inconclusive beside them")
	l.undecided.Lock()
	defer l.undecided.Unlock()
	l.undecided.all = append(l.undecided.all, r)
}

// slot is what a start needs: a place and room.
type slot struct {
	room *pace.Occupant
	// busy means that the nodes were busy all the same.
	busy bool
	// ahead means that the attempt before is under way.
	ahead bool
}

// placeFor is how long a pod that does not start keeps its place: placeTimes the start of the recorder on a slow node.
const (
	placeFor   = 20 * time.Second
	placeTimes = 5
)

// enter waits until the node can run the trial and has room for it, then for a place. It returns why it can't. A narrow
// node runs a last attempt alone.
func (l *site) enter(t trial.Trial, n *node, p *pace.Pace, number int) (s *slot, why string) {
	if why := n.recovers(l.ctx); why != "" {
		return nil, why
	}
	if t.Worker != nil && l.options.Workers != nil {
		if err := l.options.Workers.AwaitNoPressure(l.ctx, n.name); err != nil {
			return nil, err.Error()
		}
	}
	if _, when := n.matured(t); pace.SleepUntil(l.ctx, when) != nil {
		return nil, context.Cause(l.ctx).Error()
	}
	last := number > 1 && (number > l.beside(n) || number == l.most(n))
	alone, share := last && n.room.Narrowed(), 1.0
	if number > 1 && !alone {
		n.awaitNoDelay(l.ctx)
		share = p.Busy
		if last {
			share = pace.Idle
		}
	}
	room, err := n.room.Enter(l.ctx, t, alone)
	if err != nil {
		return nil, err.Error()
	}
	busy, err := p.BeginBelow(l.ctx, share)
	if err != nil {
		room.Leave()
		return nil, err.Error()
	}
	return &slot{room: room, busy: busy}, ""
}

func (l *site) attempt(
	life context.Context, r *runner.Attempts, n *node, p *pace.Pace, number int, begin *slot,
) runner.Completed {
	if !begin.ahead {
		r.Begin(number)
	}
	release := sync.OnceFunc(p.End)
	defer release()
	late := time.AfterFunc(max(placeFor, placeTimes*n.recorderTook), release)
	defer late.Stop()
	bound := r.Trial.Bound() + runner.StartWithin + runner.LongestDelay
	over := fmt.Errorf("trial %s was given up after %v", r.Trial.ID, bound)
	ctx, cancel := context.WithTimeoutCause(life, bound, over)
	defer cancel()
	on := &lane{trial: r.Trial, lab: l, node: n, room: begin.room, created: time.Now()}
	player := &runner.Runner{
		Deployment: runner.Deployment{
			Trial: r.Trial, Slug: l.subject(r.Subject).Slug, Attempt: number,
			Namespace: l.options.Namespace, Node: n.name, Images: l.options.Images.Images, External: n.external,
		},
		On:    on,
		Again: number < l.most(n),
		Begun: func(unstarted string) {
			release()
			begin.room.Started()
			if !begin.ahead {
				r.Started()
			}
			if n.startFailed(unstarted != "" && life.Err() == nil) {
				l.abandon(n, fmt.Errorf("%d pods in a row did not start, the last one: %s", maxFailedStarts, unstarted))
			}
		},
	}
	a := player.Play(ctx)
	ended := time.Now()
	futile := a.Result.Verdict == trial.Inconclusive && l.underCPUPressure(p.Busy)
	if life.Err() != nil && l.ctx.Err() == nil { // the attempt before was enough
		l.remove(n, player)
		return a
	}
	if begin.busy {
		p.Judged(futile)
	}
	if most := n.room.Judged(on.created, futile); most > 0 {
		l.log("node %s is too busy: until it is idle, at most %d pods are at work there at one time", n.name, most)
	}
	if judge.Missed(a.Result) && l.options.Workers != nil {
		// The kubelet or a container may have died since the last look, which explains a miss.
		l.look(ctx, n)
		on.searchRemovals(ended)
		player.Judge(&a)
	}
	l.remove(n, player)
	if judge.Missed(a.Result) {
		a.Deviation = on.deviation(ended)
	}
	for _, p := range player.Pods() {
		l.pods.Forget(string(p.UID))
		l.events.Forget(string(p.UID))
		l.endpoints.Forget(string(p.UID))
		n.forget(p)
	}
	return a
}

func (e *lane) deviation(until time.Time) *trial.Deviation {
	if e.lab.options.Workers == nil || !e.lab.KeepLog() {
		return runner.Deviation(e.pods, nil)
	}
	ctx, cancel := context.WithTimeout(e.lab.ctx, looking)
	defer cancel()
	e.lab.logs.Lock() // one search at a time: it disturbs what is measured
	defer e.lab.logs.Unlock()
	var about []string
	for _, p := range e.pods {
		about = append(about, p.Name, string(p.UID))
	}
	// the container runtime names no pod but a sandbox's
	about = slices.AppendSeq(about, maps.Keys(instances(e.Look(e.pods).Evidence.Changes())))
	log, err := e.lab.options.Workers.NodeLog(ctx, e.node.name, e.created, until, about...)
	return runner.Deviation(e.pods, log, err)
}

const removal = 10 * time.Second

// remove deletes an attempt's pods and restores the node, that of others also after an interrupt. The namespace's
// deletion removes what is left.
func (l *site) remove(n *node, p *runner.Runner) {
	ctx, ended := l.ctx, l.ctx.Err() != nil
	if ended && !l.options.External {
		return // the cluster goes, or is put right when it is adopted
	}
	if ended {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(context.WithoutCancel(ctx), removal)
		defer cancel()
	}
	// First the node: the end of its last pods would let a shutdown go on to the recorder.
	if err := p.Undo(ctx); err != nil {
		l.abandon(n, err)
	}
	for _, pod := range p.Pods() {
		l.delete(ctx, pod.Pod)
	}
}

func (l *site) delete(ctx context.Context, p *corev1.Pod) {
	ctx, cancel := context.WithTimeout(ctx, removal)
	defer cancel()
	now := int64(0)
	err := l.client.Delete(ctx, p, func(o *metav1.DeleteOptions) {
		o.GracePeriodSeconds, o.Preconditions = &now, metav1.NewUIDPreconditions(string(p.UID))
	})
	gone := apierrors.IsNotFound(err) || apierrors.IsConflict(err) // or another pod has its name
	if err != nil && !gone {
		l.log("delete pod %s: %v", p.Name, err)
	}
}

const secondAttempt = 2

// twin is the second attempt of a long trial, which begins beside the first one. Without it, a run whose longest trial
// is inconclusive at its end takes twice as long.
type twin struct {
	stop  context.CancelCauseFunc
	ended sync.WaitGroup

	mu     sync.Mutex
	begun  bool
	played runner.Completed
}

// plan begins a trial's second attempt as late as the run allows, if the trial is long and the nodes are busy now. It
// returns nil if there will be none.
func (l *site) plan(r *runner.Attempts, n *node, p *pace.Pace) *twin {
	when, long := p.Again(r.Trial.Lasts)
	if !long || r.Trial.Worker != nil || l.beside(n) < secondAttempt || !l.underCPUPressure(pace.Idle) {
		return nil
	}
	ctx, stop := context.WithCancelCause(l.ctx)
	t := &twin{stop: stop}
	t.ended.Go(func() {
		if pace.SleepUntil(ctx, when) != nil {
			return
		}
		room, err := n.room.Enter(ctx, r.Trial, false)
		if err != nil {
			return
		}
		defer room.Leave()
		if p.Begin(ctx) != nil {
			return
		}
		t.mu.Lock()
		t.begun = true
		t.mu.Unlock()
		t.played = l.attempt(ctx, r, n, p, secondAttempt, &slot{room: room, ahead: true})
	})
	return t
}

// end stops the second attempt if the first one was conclusive, if it has not begun, or if the lab ends.
func (t *twin) end(ctx context.Context, first trial.Result) {
	if t == nil {
		return
	}
	t.mu.Lock()
	needed := t.begun && ctx.Err() == nil && judge.Pool([]trial.Result{first}).Open
	t.mu.Unlock()
	if !needed {
		t.stop(errors.New("the first attempt is enough"))
		t.ended.Wait()
	}
}

// take waits for the second attempt, if it has begun.
func (t *twin) take(r *runner.Attempts) (played runner.Completed, begun bool) {
	t.mu.Lock()
	begun = t.begun
	t.mu.Unlock()
	if begun {
		r.Begin(secondAttempt)
		r.Started()
		t.ended.Wait()
		t.stop(nil)
	}
	return t.played, begun
}
