package lab

import (
	"context"
	"errors"
	"fmt"
	"time"

	"golang.org/x/sync/errgroup"
	corev1 "k8s.io/api/core/v1"

	"github.com/podclock/podclock/harness/measure/mark"
	"github.com/podclock/podclock/harness/measure/runner"
	"github.com/podclock/podclock/harness/node/internal/pull"
	"github.com/podclock/podclock/harness/node/pace"
	"github.com/podclock/podclock/harness/node/recording"
)

const recorderStart = 60 * time.Second

// startRecorders abandons nodes whose recorder does not start. That is an error only if no node is left. Of nodes that
// podclock did not make, it starts one alone. If that one can't pull an image, the others are not touched.
func (l *site) startRecorders(ctx context.Context) error {
	group, starting := errgroup.WithContext(ctx)
	failed, pulled := make(chan error, len(l.nodes)), make(chan struct{})
	var first *node
	if l.options.External {
		first = l.nodes[l.options.Subjects[0].Node]
	} else {
		close(pulled)
	}
	for _, n := range l.nodes {
		group.Go(func() error {
			if n != first {
				select {
				case <-pulled:
				case <-starting.Done():
					return nil
				}
			}
			recorder, err := l.createRecorder(starting, n)
			if err != nil {
				return err
			}
			l.watching.Go(func() { n.reader.Follow(ctx) })
			began := time.Now()
			err = l.awaitRecorder(starting, n, recorder)
			n.recorderTook = time.Since(began)
			if most := n.room.Started(n.recorderTook); most > 0 && err == nil {
				l.log("node %s is slow: its recorder took %v to start, so at first %d pods run there at one time",
					n.name, n.recorderTook.Round(time.Second/10), most)
			}
			if _, unpulled := errors.AsType[*pull.Failure](err); err != nil && starting.Err() == nil &&
				!(unpulled && n == first) {
				l.abandon(n, err)
				failed <- err
				err = nil
			}
			if n == first && err == nil {
				close(pulled)
			}
			return err
		})
	}
	err := group.Wait()
	if err == nil && len(failed) > 0 && len(failed) == len(l.nodes) {
		return <-failed
	}
	return err
}

func (l *site) createRecorder(ctx context.Context, n *node) (created *corev1.Pod, err error) {
	create, pause := l.createOwnRecorder, recording.Often
	if l.options.External {
		create, pause = l.createExternalRecorder, recording.Seldom
	}
	if created, err = create(ctx, n); err != nil {
		return nil, err
	}
	n.recorder.Store(string(created.UID))
	if n.reader == nil {
		fetch := recording.ThroughAPIServer(l.server.CoreV1().RESTClient(), created.Namespace, created.Name)
		n.reader = recording.NewReader(recording.Owned(n.recorderUID, fetch),
			recording.Sink{Records: n.take, Loss: n.takeLoss, Unread: n.takeUnread}, pause)
	}
	return created, nil
}

// renewRecorder starts a node's recorder again if something deleted it, such as a mutant.
func (l *site) renewRecorder(n *node) error {
	if !l.pods.Deleted(n.recorderUID()) {
		return nil
	}
	recorder, err := l.createRecorder(l.ctx, n)
	if err != nil {
		return err
	}
	return l.awaitRecorder(l.ctx, n, recorder)
}

func (l *site) awaitRecorder(ctx context.Context, n *node, recorder *corev1.Pod) error {
	late := fmt.Errorf("did not answer within %v", recorderStart)
	bounded, cancel := context.WithTimeoutCause(ctx, recorderStart, late)
	defer cancel()
	pulling, giveUp := context.WithCancelCause(bounded)
	defer giveUp(nil)
	go l.watchPulls(pulling, string(recorder.UID), giveUp)
	if err := n.reader.Drained(pulling, time.Now()); err != nil {
		if failure, unpulled := errors.AsType[*pull.Failure](context.Cause(pulling)); unpulled {
			return failure
		}
		newest := l.pods.Newest(string(recorder.UID))
		complaint := runner.Complaint(newest)
		if failure := n.reader.Failure(); failure != nil && newest != nil && newest.Status.Phase == corev1.PodRunning {
			complaint = fmt.Sprintf("it runs, but %v: does a network policy or a firewall keep the API server from "+
				"port %d of the pods in namespace %s?", failure, mark.ReaderPort, recorder.Namespace)
		}
		return fmt.Errorf("start the recorder on node %s: pod %s %w (%s)",
			n.name, recorder.Name, context.Cause(bounded), complaint)
	}
	if n.external == nil {
		return nil
	}
	running := &corev1.Pod{}
	if err := l.client.Get(ctx, recorder.Name, recorder.Namespace, running); err != nil {
		return fmt.Errorf("read the address of pod %s: %w", recorder.Name, err)
	}
	n.external.Recorder = running.Status.PodIP
	return nil
}

// watchPulls calls giveUp once a recorder's images can't be pulled. It returns when ctx ends.
func (l *site) watchPulls(ctx context.Context, recorder string, giveUp context.CancelCauseFunc) {
	for pace.SleepUntil(ctx, time.Now().Add(time.Second)) == nil {
		if failure := l.pods.Unpulled(recorder); failure != nil {
			giveUp(failure)
		}
	}
}

// wronglyEvicted returns how a recorder ended that the kubelet must not evict, or "". That of a guest is no critical
// pod.
func (l *site) wronglyEvicted(n *node) string {
	if n.external != nil {
		return ""
	}
	return l.evicted(n.recorderUID())
}

// evicted returns how a recorder ended, empty if it did not. On podclock's own nodes only an eviction can end it,
// because podclock does not delete it and its restartPolicy is Always. If it exits with 0, the kubelet drops the reason
// Evicted.
func (l *site) evicted(recorder string) string {
	pod := l.pods.Newest(recorder)
	if pod == nil || pod.Status.Phase != corev1.PodFailed && pod.Status.Phase != corev1.PodSucceeded {
		return ""
	}
	return pod.Name + ": " + runner.Complaint(pod)
}

// abandonEvicted abandons the nodes whose recorder was evicted, because none of their trials can be measured any more.
func (l *site) abandonEvicted() {
	for _, n := range l.nodes {
		if how := l.evicted(n.recorderUID()); how != "" {
			l.abandon(n, fmt.Errorf("its recorder has ended: %s", how))
		}
	}
}
