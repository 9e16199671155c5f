package lab

import (
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/podclock/podclock/harness/measure/delay"
	"github.com/podclock/podclock/harness/measure/mark"
	"github.com/podclock/podclock/harness/measure/runner"
	"github.com/podclock/podclock/harness/measure/timeline"
	"github.com/podclock/podclock/harness/node/pace"
	"github.com/podclock/podclock/harness/node/recording"
	"github.com/podclock/podclock/harness/rules/formula"
)

type node struct {
	subject string // empty in the pool
	name    string
	reader  *recording.Reader
	// recorder is the UID of the recorder's pod, became the subject that a node of the pool is now. Both are strings.
	recorder, became atomic.Value
	// guest is nil on a node of podclock's own.
	external *runner.External
	room     *pace.Room
	// found is when the lab found the node. Its kubelet may have just started.
	found time.Time

	// recorderTook is how long the recorder took to start.
	recorderTook time.Duration

	mu    sync.Mutex
	marks map[string][]mark.Record // by the pod's UID, pulls by namespace/name
	// forgotten are the UIDs of pods that nobody asks about any more.
	forgotten map[string]bool
	delayed   delay.Record
	losses    []delay.Loss
	known     int64 // the recorder's clock up to which every record is here
	// kubelet is the one that runs now, tuned or not.
	kubelet formula.Kubelet
	// why is the reason of a state other than healthy.
	state        state
	why          string
	failedStarts int
	changed      chan struct{}

	health health
	// watched and exits are set when the lab stops.
	watched bool
	exits   []string
}

func newNode(s Placement, name string, room *pace.Room) *node {
	return &node{
		subject: s.Name, name: name, kubelet: s.Kubelet, found: time.Now(), room: room,
		marks: map[string][]mark.Record{}, forgotten: map[string]bool{}, changed: make(chan struct{}),
	}
}

func (n *node) recorderUID() string {
	uid, _ := n.recorder.Load().(string)
	return uid
}

// place places a span of the harness's clock on the recorder's.
func (n *node) place(from, to time.Time) timeline.Instant {
	p, _ := n.reader.Place(from)
	return timeline.Instant{At: p.At, Early: int64(p.Error), Late: int64(to.Sub(from) + p.Error)}
}

func (n *node) take(records []mark.Record) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, r := range records {
		if !n.health.restartedDuring(r) {
			n.delayed.Add(r)
		}
		switch {
		case n.forgotten[r.UID]:
		case r.UID != "":
			n.marks[r.UID] = append(n.marks[r.UID], r)
		case r.Kind == mark.Pulled: // by a path that can't hold the UID
			n.marks[r.Pod] = append(n.marks[r.Pod], r)
		}
		n.known = max(n.known, r.At)
	}
	n.announce()
}

func (n *node) takeLoss(l recording.Loss) {
	n.addLoss(delay.Loss{From: l.After, To: l.Before, Why: l.String()})
}

// noticeable is the shortest outage of the API server after which its watch dates changes wrongly. It is longer than
// delay.MinOutage, because such an outage repeats the trials of all nodes.
const noticeable = runner.ShownWithin

// takeUnread notes that the API server, through which the recorder is asked, was away. No mark is lost, but what the
// harness did or saw meanwhile is dated too late.
func (n *node) takeUnread(u recording.Unread) {
	if u.To.Sub(u.From) >= noticeable {
		n.addLossBetween(u.From, u.To, "the API server did not answer: "+u.Err.Error())
	}
}

func (n *node) addLossBetween(from, to time.Time, why string) {
	n.addLoss(delay.Loss{From: n.place(from, from).At, To: n.place(to, to).At, Why: why})
}

func (n *node) addLoss(l delay.Loss) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.losses = append(n.losses, l)
	n.announce()
}

type state int

const (
	healthy     state = iota
	unavailable       // it does not answer, but may do so again
	abandoned         // it is not used any more
)

// become changes the state, and returns the one before. An abandoned node stays abandoned.
func (n *node) become(s state, why string) (before state) {
	n.mu.Lock()
	defer n.mu.Unlock()
	before = n.state
	if before == abandoned && s != abandoned || before == s && n.why == why {
		return before
	}
	n.state, n.why = s, why
	n.announce()
	return before
}

// unusable returns why no trial can run on the node now, or "".
func (n *node) unusable() string {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.why
}

func (n *node) isAbandoned() bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.state == abandoned
}

// maxFailedStarts is how many attempts in a row may fail to start before a node is abandoned.
const maxFailedStarts = 5

// startFailed reports whether too many starts in a row failed.
func (n *node) startFailed(failed bool) (tooOften bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if !failed {
		n.failedStarts = 0
		return false
	}
	n.failedStarts++
	return n.failedStarts >= maxFailedStarts
}

// announce notifies those that wait for a change. The caller holds the lock.
func (n *node) announce() {
	close(n.changed)
	n.changed = make(chan struct{})
}

func (n *node) change() <-chan struct{} {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.changed
}

func (n *node) recorded(pods []runner.Deployed, since int64) (marks [][]mark.Record, losses []delay.Loss, known int64) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, p := range pods {
		marks = append(marks, slices.Concat(n.marks[p.MarkedAs()], n.marks[p.Namespace+"/"+p.Name]))
	}
	for _, l := range n.losses {
		if l.To >= since {
			losses = append(losses, l)
		}
	}
	return marks, losses, n.known
}

// forget drops a pod's marks, which the outcome has.
func (n *node) forget(p runner.Deployed) {
	n.mu.Lock()
	defer n.mu.Unlock()
	delete(n.marks, p.MarkedAs())
	n.forgotten[p.MarkedAs()] = true
	delete(n.marks, p.Namespace+"/"+p.Name)
}

func (n *node) runs() formula.Kubelet {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.kubelet
}

func (n *node) setKubelet(k formula.Kubelet) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.kubelet = k
}

func (n *node) seen(pods []runner.Deployed) (marks int, known int64) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, p := range pods {
		marks += len(n.marks[p.MarkedAs()]) + len(n.marks[p.Namespace+"/"+p.Name])
	}
	return marks, n.known / int64(time.Second)
}

func (n *node) delays() delay.Record {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.delayed.Clone()
}

func (n *node) clockError() time.Duration {
	p, _ := n.reader.Place(time.Now())
	return p.Error
}
