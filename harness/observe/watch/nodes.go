package watch

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/podclock/podclock/harness/observe"
	"github.com/podclock/podclock/harness/observe/wire"
	"github.com/podclock/podclock/harness/predict/live"
)

// nodes reads the logs of the node parts.
type nodes struct {
	server  *live.Server
	streams client
	to      chan<- seen
	now     func() time.Time
	note    func(string)
}

// looksForNodes is how often new pods of the node part are looked for.
const looksForNodes = 5 * time.Second

// follow reads the node parts of all nodes until ctx ends. Without the right to do that, there are none.
func (n nodes) follow(ctx context.Context) {
	following, warned := map[string]bool{}, map[string]bool{}
	for {
		pods, err := n.server.CoreV1().Pods(Namespace).List(ctx, metav1.ListOptions{LabelSelector: selector})
		if err == nil {
			for i := range pods.Items {
				n.take(ctx, &pods.Items[i], following, warned)
			}
		} else if !warned[""] && ctx.Err() == nil {
			warned[""] = true
			n.tell(fmt.Sprintf("the node part is not read: %v", n.server.Explain(err, "list", "pods", Namespace)))
		}
		select {
		case <-time.After(looksForNodes):
		case <-ctx.Done():
			return
		}
	}
}

// tell notes something in the goroutine of the observer.
func (n nodes) tell(text string) {
	n.to <- func(*observe.Observer) []observe.Fact { n.note(text); return nil }
}

// startsWithin is how long the pod of a node part may take to run.
const startsWithin = 30 * time.Second

// take follows the log of a pod once.
func (n nodes) take(ctx context.Context, p *corev1.Pod, following, warned map[string]bool) {
	name := p.Name
	switch {
	case following[name]:
	case p.Status.Phase == corev1.PodRunning && p.DeletionTimestamp == nil:
		following[name] = true
		go node{n, p.Spec.NodeName, name, &position{}}.follow(ctx)
	case !warned[name] && n.now().Sub(p.CreationTimestamp.Time) > startsWithin && p.DeletionTimestamp == nil:
		warned[name] = true
		n.tell(fmt.Sprintf("the node part of node %s does not run, so its deaths are known from the API only: "+
			"`kubectl describe pod -n %s %s` says why", p.Spec.NodeName, Namespace, name))
	}
}

// node is the node part of one node.
type node struct {
	nodes
	name, pod string
	*position
}

// position is how far the log of a node part was read.
type position struct {
	epoch string
	seq   uint64
	at    time.Time
	// off is when the log broke off, zero while it is read.
	off time.Time
	// ahead is how far the node's clock is ahead, as far as a line shows it.
	ahead time.Duration
}

// follow reads the log until ctx ends, and begins again where it was.
func (n node) follow(ctx context.Context) {
	for ctx.Err() == nil {
		o := corev1.PodLogOptions{Follow: true, TailLines: new(int64(1))}
		if n.seq > 0 { // lines that come again are left out
			o.TailLines, o.SinceTime = nil, &metav1.Time{Time: n.at.Add(-time.Second)}
		}
		log, err := n.streams.CoreV1().Pods(Namespace).GetLogs(n.pod, &o).Stream(ctx)
		if err == nil {
			n.read(log)
			_ = log.Close()
		}
		if n.off.IsZero() {
			n.off = n.now()
		}
		is := n.name
		n.to <- func(o *observe.Observer) []observe.Fact { o.Watches(is, false); return nil }
		select {
		case <-time.After(firstWait):
		case <-ctx.Done():
		}
	}
}

// mostSilent is how long a node part may write nothing.
const mostSilent = 3 * wire.BeatsEvery

// read passes on the lines of a log.
func (n node) read(log io.ReadCloser) {
	silence := time.AfterFunc(mostSilent, func() { _ = log.Close() })
	defer silence.Stop()
	lines := bufio.NewScanner(log)
	for lines.Scan() {
		silence.Reset(mostSilent)
		var l wire.Line
		if json.Unmarshal(lines.Bytes(), &l) == nil && l.Epoch != "" {
			n.line(l)
		}
	}
}

// shownAhead is how far a node's clock must be ahead to be a word.
const shownAhead = 50 * time.Millisecond

// line takes a line, and reports those that are missing before it.
func (n node) line(l wire.Line) {
	now := n.now()
	again := l.Epoch == n.epoch && l.Seq <= n.seq
	if again {
		return
	}
	var gap *observe.Gap
	from := n.at
	if n.epoch != "" && l.Epoch != n.epoch {
		gap = &observe.Gap{From: from, To: now, What: fmt.Sprintf("the node part of node %s began again: ends in "+
			"between are known from the API only", n.name)}
	} else if n.epoch != "" && l.Seq != n.seq+1 {
		gap = &observe.Gap{From: from, To: now, What: fmt.Sprintf("%d lines of the node part of node %s are missing: "+
			"ends in between are known from the API only", l.Seq-n.seq-1, n.name)}
	}
	n.epoch, n.seq, n.at, n.off = l.Epoch, l.Seq, l.Time(), time.Time{}
	if ahead := l.Time().Sub(now); ahead > n.ahead+shownAhead {
		n.ahead = ahead
		n.tell(fmt.Sprintf("the clock of node %s is at least %v ahead of the API server's: its times are corrected "+
			"by that", n.name, ahead.Round(time.Millisecond)))
	}
	at := l.Time().Add(-n.ahead)
	late := time.Duration(l.Late)
	n.to <- func(o *observe.Observer) []observe.Fact {
		o.Watches(n.name, true)
		if l.Container != "" {
			o.Ended(l.Container, observe.Instant{Earliest: at.Add(-late), At: at, Latest: at, By: observe.ByNode})
		}
		if gap != nil {
			return []observe.Fact{*gap}
		}
		return nil
	}
}
