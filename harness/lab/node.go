package lab

import (
	"slices"
	"sync"
	"time"

	"github.com/podclock/podclock/harness/delay"
	"github.com/podclock/podclock/harness/formula"
	"github.com/podclock/podclock/harness/mark"
	"github.com/podclock/podclock/harness/recording"
	"github.com/podclock/podclock/harness/stage"
	"github.com/podclock/podclock/harness/timeline"
)

// node is what is known of one node, mostly from its recorder.
type node struct {
	subject Subject
	name    string
	reader  *recording.Reader

	mu      sync.Mutex
	marks   map[string][]mark.Record // by the pod's UID, pulls by namespace/name
	delayed delay.Record
	losses  []delay.Loss
	known   int64 // the recorder's clock up to which every record is here
	// kubelet is the one that runs now, tuned or not.
	kubelet formula.Kubelet
	// state is whether trials can run on the node; why is the reason if none can.
	state state
	why   string
	// failedStarts counts the attempts in a row whose pods did not start.
	failedStarts int
	// changed is closed and replaced at every change.
	changed chan struct{}

	health health
}

func newNode(s Subject, name string) *node {
	return &node{
		subject: s,
		name:    name,
		kubelet: s.Kubelet,
		marks:   map[string][]mark.Record{},
		changed: make(chan struct{}),
	}
}

// place places a span of the harness's clock on the recorder's. A recorder that has never answered has no
// clock, and none of its trials has begun.
func (n *node) place(from, to time.Time) timeline.Instant {
	p, _ := n.reader.Place(from)
	return timeline.Instant{At: p.At, Early: int64(p.Error), Late: int64(to.Sub(from) + p.Error)}
}

// take takes a recorder's answer.
func (n *node) take(records []mark.Record) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, r := range records {
		if !n.health.restartedDuring(r) {
			n.delayed.Add(r)
		}
		switch {
		case r.UID != "":
			n.marks[r.UID] = append(n.marks[r.UID], r)
		case r.Kind == mark.Pulled: // by a path that can't hold the UID
			n.marks[r.Pod] = append(n.marks[r.Pod], r)
		}
		n.known = max(n.known, r.At)
	}
	n.announce()
}

// takeLoss notes marks that were not recorded.
func (n *node) takeLoss(l recording.Loss) {
	n.addLoss(delay.Loss{From: l.After, To: l.Before, Why: l.String()})
}

// noticeable is how long the API server must not answer for its watch to date changes wrongly. Informers
// reconnect within it. It is more than the shortest outage of a node's component: the API server's questions
// take longer than those to a kubelet, and its outage makes the trials of all nodes run again.
const noticeable = 2 * time.Second

// takeUnread notes a time in which the recorder did not answer. It loses no mark, but the API server, through
// which the recorder is asked, was away: what the harness did or saw there is dated too late.
func (n *node) takeUnread(u recording.Unread) {
	if u.To.Sub(u.From) >= noticeable {
		n.addLossBetween(u.From, u.To, "the API server did not answer: "+u.Err.Error())
	}
}

// addLossBetween notes a loss between two times of the harness's clock.
func (n *node) addLossBetween(from, to time.Time, why string) {
	n.addLoss(delay.Loss{From: n.place(from, from).At, To: n.place(to, to).At, Why: why})
}

// addLoss notes a span in which the evidence can't be trusted.
func (n *node) addLoss(l delay.Loss) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.losses = append(n.losses, l)
	n.announce()
}

// state is whether trials can run on a node.
type state int

const (
	healthy     state = iota
	unavailable       // it does not answer, but may do so again
	abandoned         // it is not used any more
)

// become changes the state, for a reason that is empty if the node is healthy. An abandoned node stays
// abandoned. It returns the state before.
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

// unusable returns why no trial can run on the node now, empty if one can.
func (n *node) unusable() string {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.why
}

// isAbandoned reports whether no trial will run on the node any more.
func (n *node) isAbandoned() bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.state == abandoned
}

// hopeless is how many attempts in a row may fail to start before a node is abandoned. Each start was waited for.
const hopeless = 5

// startFailed counts attempts whose pods did not start, and reports whether there were too many in a row.
func (n *node) startFailed(failed bool) (tooOften bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if !failed {
		n.failedStarts = 0
		return false
	}
	n.failedStarts++
	return n.failedStarts >= hopeless
}

// announce wakes whoever waits for a change. The caller holds the lock.
func (n *node) announce() {
	close(n.changed)
	n.changed = make(chan struct{})
}

// change returns a channel that is closed at the next change.
func (n *node) change() <-chan struct{} {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.changed
}

// recorded returns the marks of some pods, one list for each, the losses since an instant, and how far the record goes.
func (n *node) recorded(pods []stage.Deployed, since int64) (marks [][]mark.Record, losses []delay.Loss, known int64) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, p := range pods {
		marks = append(marks, slices.Concat(n.marks[string(p.UID)], n.marks[p.Namespace+"/"+p.Name]))
	}
	for _, l := range n.losses {
		if l.To >= since {
			losses = append(losses, l)
		}
	}
	return marks, losses, n.known
}

// runs returns the kubelet that runs now.
func (n *node) runs() formula.Kubelet {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.kubelet
}

// setKubelet notes another configuration of the kubelet.
func (n *node) setKubelet(k formula.Kubelet) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.kubelet = k
}

// seen returns the number of marks of some pods, and how far the record goes, in whole seconds.
func (n *node) seen(pods []stage.Deployed) (marks int, known int64) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, p := range pods {
		marks += len(n.marks[string(p.UID)]) + len(n.marks[p.Namespace+"/"+p.Name])
	}
	return marks, n.known / int64(time.Second)
}

// delays returns the node's delays so far.
func (n *node) delays() delay.Record {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.delayed.Clone()
}

// clockError returns the error of the harness's clock on the recorder's.
func (n *node) clockError() time.Duration {
	p, _ := n.reader.Place(time.Now())
	return p.Error
}
