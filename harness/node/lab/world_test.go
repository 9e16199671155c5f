package lab

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"

	"github.com/podclock/podclock/fixtures"
	"github.com/podclock/podclock/harness/measure/mark"
	"github.com/podclock/podclock/harness/measure/runner"
	"github.com/podclock/podclock/harness/measure/trial"
	"github.com/podclock/podclock/harness/measure/victim"
	"github.com/podclock/podclock/harness/node/pace"
	"github.com/podclock/podclock/harness/rules/formula"
	"github.com/podclock/podclock/images/recorder/record"
)

// The subject of these tests.
const (
	subjectName = "v1.36.3"
	nodeName    = "worker-1"
	spareName   = "worker-2"
)

// behaviour is what a node does with a trial's pod.
type behaviour struct {
	// starts is how long each container takes to start, one after the other. If never is set, none starts,
	// for that reason.
	starts time.Duration
	never  string
	// dies is how long after its deletion the pod is dead, 0 for the pod's grace period.
	dies time.Duration
}

// world is a cluster of workers, each with a real recorder.
type world struct {
	api *apiServer
	// behaviour returns what happens to a pod, by its name. The zero value means at once and correctly.
	behaviour func(pod string) behaviour

	mu        sync.Mutex
	recorders map[string]*runningRecorder // by node
	created   []string                    // trial pods in the order of their creation
	starting  int                         // trial pods created and not started
	peak      int                         // the most that starting ever was
}

type runningRecorder struct {
	*record.Recorder
	owner string
	conns chan net.Conn
	stop  context.CancelFunc
}

func newWorld(t *testing.T) *world {
	w := &world{
		api:       newAPIServer(t),
		recorders: map[string]*runningRecorder{},
		behaviour: func(string) behaviour { return behaviour{} },
	}
	w.api.run, w.api.proxied = w.run, w.proxied
	t.Cleanup(w.api.stop)
	return w
}

// open makes a lab of this world, which ends with the test.
func (w *world) open(t *testing.T, change func(*Options)) *Lab {
	t.Helper()
	o := Options{
		Config:    w.api.config(),
		Namespace: "trials",
		Images: Images{
			Images:   runner.Images{Fault: "fault", FaultOther: "fault-other", FaultStopSignal: "fault-stop-signal"},
			Recorder: "recorder",
		},
		Log: io.Discard,
		Subjects: []Placement{
			{Name: subjectName, Slug: "v1-36-3", Node: nodeName, Kubelet: formula.Kubelet{Version: "v1.36.3"}},
		},
	}
	if change != nil {
		change(&o)
	}
	l, err := Open(t.Context(), o)
	NewWithT(t).Expect(err).NotTo(HaveOccurred())
	t.Cleanup(func() { NewWithT(t).Expect(l.Close(context.Background())).To(Succeed()) })
	return l
}

// run plays the kubelet of the worker.
func (w *world) run(ctx context.Context, pod *corev1.Pod, deleted <-chan struct{}) {
	node := pod.Spec.NodeName
	if node != nodeName && node != spareName {
		w.api.t.Errorf("pod %s is on node %q", pod.Name, node)
	}
	if strings.HasPrefix(pod.Name, "recorder-") {
		w.startRecorder(node, string(pod.UID))
		<-ctx.Done()
		w.mu.Lock()
		defer w.mu.Unlock()
		w.recorders[node].stop()
		return
	}
	b := w.behaviour(pod.Name)
	w.count(pod.Name, 1)
	var lines []*process
	for _, c := range pod.Spec.Containers {
		if b.never != "" {
			w.api.status(pod.Name, func(s *corev1.PodStatus) {
				s.ContainerStatuses = []corev1.ContainerStatus{{Name: c.Name, State: corev1.ContainerState{
					Waiting: &corev1.ContainerStateWaiting{Reason: b.never, Message: "as the test wants"},
				}}}
			})
			<-ctx.Done()
			break
		}
		if pace.SleepUntil(ctx, time.Now().Add(b.starts)) != nil {
			break
		}
		p := w.connect(node, mark.Identity{
			Pod:       pod.Namespace + "/" + pod.Name,
			UID:       string(pod.UID),
			Container: c.Name,
			Role:      mark.Run,
		})
		defer p.end()
		p.mark(mark.Started)
		w.api.status(pod.Name, func(s *corev1.PodStatus) { s.Phase = corev1.PodRunning })
		lines = append(lines, p)
	}
	w.count("", -1)
	select {
	case <-deleted:
	case <-ctx.Done():
		return
	}
	for _, p := range lines {
		p.mark(mark.SIGTERM)
	}
	dies := b.dies
	if dies == 0 {
		dies = time.Duration(*pod.Spec.TerminationGracePeriodSeconds) * time.Second
	}
	_ = pace.SleepUntil(ctx, time.Now().Add(dies))
}

// count notes that a trial's pod was created (1) or has started or given up (-1).
func (w *world) count(created string, change int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if created != "" {
		w.created = append(w.created, created)
	}
	w.starting += change
	w.peak = max(w.peak, w.starting)
}

// startRecorder starts a recorder in place of the one that ran; its clock and epoch are its own.
func (w *world) startRecorder(node, owner string) {
	ctx, stop := context.WithCancel(context.Background())
	r := &runningRecorder{
		Recorder: record.New(record.Options{Owner: owner}),
		owner:    owner,
		conns:    make(chan net.Conn),
		stop:     stop,
	}
	go func() { _ = r.TakeMarks(ctx, listener{ctx, r.conns}) }()
	w.mu.Lock()
	defer w.mu.Unlock()
	if old := w.recorders[node]; old != nil {
		old.stop()
	}
	w.recorders[node] = r
}

func (w *world) proxied(pod string) http.Handler {
	w.mu.Lock()
	defer w.mu.Unlock()
	r := w.recorders[strings.TrimPrefix(pod, "recorder-")]
	if r == nil {
		return http.NotFoundHandler()
	}
	return r.Reader()
}

// dial opens a connection to a node's recorder.
func (w *world) dial(node string) net.Conn {
	near, far := net.Pipe()
	w.mu.Lock()
	r := w.recorders[node]
	w.mu.Unlock()
	r.conns <- far
	return near
}

// listener is the recorder's port.
type listener struct {
	ctx   context.Context
	conns <-chan net.Conn
}

func (l listener) Accept() (net.Conn, error) {
	select {
	case c := <-l.conns:
		return c, nil
	case <-l.ctx.Done():
		return nil, net.ErrClosed
	}
}
func (l listener) Close() error   { return nil }
func (l listener) Addr() net.Addr { return &net.TCPAddr{} }

// process is a victim's main process: its connection to the recorder.
type process struct {
	conn net.Conn
	n    int
}

func (w *world) connect(node string, id mark.Identity) *process {
	p := &process{conn: w.dial(node)}
	p.write(mark.Hello{Identity: id})
	_, _ = bufio.NewReader(p.conn).ReadString('\n') // the Welcome
	return p
}

func (p *process) mark(kind mark.Kind) {
	p.n++
	p.write(mark.Line{N: p.n, Kind: kind, Sent: time.Now().UnixNano()})
}

// write sends one line. A recorder that was restarted in the meantime takes no more lines, as on a real node.
func (p *process) write(v any) {
	if text, err := json.Marshal(v); err == nil {
		_, _ = p.conn.Write(append(text, '\n'))
	}
}

func (p *process) end() { _ = p.conn.Close() }

// deletion is a trial that deletes a pod with a grace period in seconds and claims that it dies when that is over.
func deletion(id string, grace int64, containers ...string) trial.Trial {
	pod := fixtures.Pod(grace, fixtures.Victim(victim.Run{Term: victim.Ignore}))
	for _, name := range containers {
		pod.Spec.Containers = append(pod.Spec.Containers, fixtures.Named(name, victim.Run{Term: victim.Ignore}))
	}
	return trial.Trial{
		ID:     "test/" + id,
		About:  "It is deleted.",
		Pod:    pod,
		Faults: []trial.Fault{trial.Delete()},
		Lasts:  time.Duration(grace+4) * time.Second,
		Claims: []trial.Claim{{Measure: trial.Between(trial.SIGTERM, trial.Gone), Formula: formula.Formula{
			ID: "test/grace",
			Implemented: func(in formula.Input) formula.Window {
				d := in.Kill.TerminationGracePeriodSeconds * int64(time.Second)
				return formula.Window{Unit: formula.Nanoseconds, Earliest: d, Latest: d + int64(100*time.Millisecond)}
			},
		}}},
	}
}
