package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/coverage"
	"sync"
	"testing/synctest"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/podclock/podclock/harness/measure/mark"
	"github.com/podclock/podclock/harness/virtual/_node/api"
	"github.com/podclock/podclock/harness/virtual/_node/cri"
	"github.com/podclock/podclock/harness/virtual/_node/journal"
	"github.com/podclock/podclock/harness/virtual/_node/kubelet"
	"github.com/podclock/podclock/harness/virtual/_node/machine"
	"github.com/podclock/podclock/harness/virtual/_node/recorder"
	"github.com/podclock/podclock/harness/virtual/wire"
)

// serve answers the requests of one scenario. It returns the start of the next one, or an exit code. The scenario's own
// start is nil if it is still to be read.
func serve(start *wire.Request, requests *json.Decoder, answers *answers, dog *watchdog, root string) (
	next *wire.Request, code int,
) {
	kubelet.Seed(0)
	kubelet.Prepare()
	n := &node{tape: newTape(), journal: journal.New(root), root: root}
	dog.follow()
	synctest.Wait() // also without a read: what comes first at one instant must not depend on it
	for {
		request := start
		if start = nil; request == nil {
			request = &wire.Request{}
			switch err := requests.Decode(request); {
			case errors.Is(err, io.EOF):
				return nil, 0
			case err != nil:
				fmt.Fprintln(os.Stderr, "read a request:", err)
				return nil, exitUnserved
			}
		}
		if request.Start != nil && n.asked {
			return request, 0
		}
		n.asked = true
		dog.guard(true)
		answer := wire.Answer{From: time.Now().UnixNano()}
		err := n.do(*request, &answer)
		synctest.Wait() // what follows at the same instant belongs to the request
		dog.guard(false)
		answer.To = time.Now().UnixNano()
		blame(&answer, err)
		n.tape.unwind(&answer)
		if err := answers.send(answer); err != nil {
			fmt.Fprintln(os.Stderr, "send an answer:", err)
			return nil, exitUnserved
		}
	}
}

func blame(a *wire.Answer, err error) {
	if err == nil {
		return
	}
	a.Error = err.Error()
	a.Unsupported = errors.Is(err, kubelet.ErrUnsupported)
	var refusal apierrors.APIStatus
	if errors.As(err, &refusal) {
		a.Status, a.Reason = int(refusal.Status().Code), refusal.Status().Reason
	}
}

type node struct {
	asked   bool
	tape    *tape
	journal *journal.Journal
	root    string
	around  kubelet.Surroundings
	kubelet *kubelet.Kubelet
	patch   map[string]any
}

func (n *node) do(r wire.Request, a *wire.Answer) (err error) {
	if n.kubelet == nil && r.Start == nil {
		return errors.New("the node was not started: the first request must be a start")
	}
	if e, ok := did(r); ok {
		end := n.journal.Begin(e)
		defer func() { end(err) }()
	}
	server := n.around.API
	switch {
	case r.Start != nil:
		return n.start(*r.Start, a)
	case r.Create != nil:
		a.Pod, err = server.Create(r.Create)
		return err
	case r.API != nil:
		return server.Serve(*r.API)
	case r.Manifest != nil:
		return kubelet.Place(n.root, r.Manifest.Name, r.Manifest.Pod)
	case r.Restart != nil:
		return n.restart(*r.Restart, a)
	case r.Runtime != nil && r.Runtime.Removes != "":
		return n.around.Runtime.Remove(r.Runtime.Removes)
	case r.Runtime != nil:
		n.around.Runtime.Fail(r.Runtime.Fails, r.Runtime.For)
		return nil
	case r.CutOff > 0:
		server.CutOff(r.CutOff)
		return nil
	case r.ShutDown:
		n.kubelet.ShutDown()
		return nil
	case r.Counters:
		a.Counters, err = kubelet.FailedProbes()
		return err
	case r.Trace:
		a.Trace = n.journal.Entries()
		return nil
	case r.Coverage != "":
		return saveCoverage(r.Coverage)
	case r.Advance != nil:
		n.tape.await(time.Unix(0, r.Advance.Until))
		return nil
	}
	return errors.New("an empty request")
}

func (n *node) start(s wire.Start, a *wire.Answer) error {
	fmt.Fprintln(os.Stderr, wire.LogBegins)
	_ = coverage.ClearCounters() // a program without -cover has none
	var runtime *cri.Runtime
	m := machine.New(machine.Options{
		Root:         n.root,
		NodeFSBytes:  s.NodeFSBytes,
		NodeFSInodes: s.NodeFSInodes,
		Containers:   func() []cri.Container { return runtime.Containers() },
	})
	kubelet.Seed(s.Seed)
	options := cri.Options{
		Images: s.Images, Fill: m.Fill, Stats: m.Stats, ContainerStart: s.ContainerStart, Journal: n.journal,
	}
	options.Recorder = recorder.New(n.takeMark)
	runtime = cri.New(options)
	server, err := api.New(api.Options{
		Node: kubelet.Node(), PriorityClasses: s.PriorityClasses, Journal: n.journal, Seed: s.Seed,
		TakePod: n.takePod, TakeEvent: n.tape.takeEvent, TakeConditions: n.tape.takeConditions,
	})
	if err != nil {
		return fmt.Errorf("start the API server: %w", err)
	}
	n.around = kubelet.Surroundings{Runtime: runtime, API: server, Machine: m, Root: n.root}
	if n.kubelet, err = kubelet.Start(n.around, s.KubeletConfig); err != nil {
		return err
	}
	n.patch, a.Kubelet = s.KubeletConfig, &n.kubelet.Facts
	return nil
}

// saveCoverage writes the counters since the start, and what they count.
func saveCoverage(folder string) error {
	if err := coverage.WriteMetaDir(folder); err != nil {
		return err
	}
	return coverage.WriteCountersDir(folder)
}

func (n *node) takePod(p wire.Pod) {
	n.journal.Add(versionOf(p))
	n.tape.takePod(p)
}

func (n *node) takeMark(m mark.Record) {
	n.journal.Add(marked(m))
	n.tape.takeMark(m)
}

// restarting is the time that systemd takes to stop the old kubelet and start the new one.
const restarting = 300*time.Millisecond + 7*time.Millisecond

// restart kills the kubelet and starts it with a further change of the start's configuration.
func (n *node) restart(r wire.Restart, a *wire.Answer) error {
	n.kubelet.Kill()
	if r.Reboot {
		n.around.Runtime.Reboot()
	}
	if r.Meanwhile != nil {
		if err := n.around.API.Serve(*r.Meanwhile); err != nil {
			return err
		}
	}
	time.Sleep(restarting)
	next, err := kubelet.Start(n.around, n.patch, r.KubeletConfig)
	if err != nil {
		return err
	}
	n.kubelet, a.Kubelet = next, &next.Facts
	return nil
}

type tape struct {
	mu       sync.Mutex
	recorded wire.Answer
	changed  chan struct{}
}

func newTape() *tape { return &tape{changed: make(chan struct{}, 1)} }

func (t *tape) takeMark(r mark.Record) { t.take(func(a *wire.Answer) { a.Marks = append(a.Marks, r) }) }

func (t *tape) takePod(p wire.Pod) { t.take(func(a *wire.Answer) { a.Pods = append(a.Pods, p) }) }

func (t *tape) takeEvent(e wire.Event) {
	t.take(func(a *wire.Answer) { a.Events = append(a.Events, e) })
}

func (t *tape) takeConditions(c wire.Conditions) {
	t.take(func(a *wire.Answer) { a.Conditions = append(a.Conditions, c) })
}

func (t *tape) take(add func(*wire.Answer)) {
	t.mu.Lock()
	add(&t.recorded)
	t.mu.Unlock()
	select {
	case t.changed <- struct{}{}:
	default:
	}
}

// gathering is how long later records join an answer: a probe's answer, or the API's changes after a death.
const gathering = 7 * time.Millisecond

func (t *tape) await(until time.Time) {
	late := time.NewTimer(time.Until(until))
	defer late.Stop()
	select {
	case <-t.changed:
		time.Sleep(min(gathering, max(0, time.Until(until))))
	case <-late.C:
	}
}

func (t *tape) unwind(a *wire.Answer) {
	t.mu.Lock()
	defer t.mu.Unlock()
	r := t.recorded
	a.Marks, a.Pods, a.Events, a.Conditions = r.Marks, r.Pods, r.Events, r.Conditions
	t.recorded = wire.Answer{}
	select {
	case <-t.changed:
	default:
	}
}
