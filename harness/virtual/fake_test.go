package virtual

import (
	"bufio"
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"slices"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/podclock/podclock/harness/measure/mark"
	"github.com/podclock/podclock/harness/virtual/wire"
)

// The environment of a fake node: the test program itself, started again.
const (
	envScript = "PODCLOCK_FAKE_NODE"
	envLog    = "PODCLOCK_FAKE_NODE_LOG"
)

func TestMain(m *testing.M) {
	if script := os.Getenv(envScript); script != "" {
		newFake(script).run()
		return
	}
	os.Exit(m.Run())
}

// booted is the fake node's clock at its start, not a whole second.
const booted = int64(946684800)*int64(time.Second) + int64(25*time.Millisecond)

// fake plays a node. Pods start a second after their creation, one container after the other, and are shown. They
// ignore SIGTERM and die after their grace period.
type fake struct {
	script   string
	clock    int64
	due      []due
	answer   wire.Answer
	pods     map[string]*corev1.Pod // by name
	seq      uint64
	restarts int
	budget   bool
	trace    []wire.Entry
}

// due is what will happen at a time.
type due struct {
	at int64
	do func()
}

func newFake(script string) *fake {
	return &fake{script: script, clock: booted, pods: map[string]*corev1.Pod{}}
}

func (f *fake) run() {
	log, err := os.OpenFile(os.Getenv(envLog), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		panic(err)
	}
	folder, _ := os.Getwd()
	lines := bufio.NewReader(os.Stdin)
	for {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			return
		}
		var r wire.Request
		if err := json.Unmarshal(line, &r); err != nil {
			panic(err)
		}
		text, _ := json.Marshal(asked{Clock: f.clock, Request: r, Folder: folder})
		_, _ = log.Write(append(text, '\n'))
		f.misbehave(r)
		f.answer = wire.Answer{From: f.clock}
		if err := f.do(r); err != nil {
			f.answer.Error = err.Error()
		}
		f.send()
	}
}

func (f *fake) send() {
	f.answer.To = f.clock
	if err := json.NewEncoder(os.Stdout).Encode(f.answer); err != nil {
		os.Exit(1)
	}
}

// misbehave fails as the script says when a pod is created.
func (f *fake) misbehave(r wire.Request) {
	if r.Create == nil {
		return
	}
	switch f.script {
	case "freezes":
		_ = json.NewEncoder(os.Stdout).
			Encode(wire.Answer{Frozen: "these goroutines hold it:\n\ngoroutine 7 [sync.Mutex.Lock]:"})
		os.Exit(1)
	case "crashes":
		fmt.Fprintln(os.Stderr, "I1121 12:00:00 kubelet.go:1] started")
		panic("out of its mind")
	case "ends":
		os.Exit(0)
	case "talks":
		fmt.Println("=== RUN   node")
	case "hesitates":
		time.Sleep(time.Hour)
	case "goes-back":
		f.clock -= int64(time.Second)
	case "stops-time":
		f.due = nil
	}
}

func (f *fake) do(r wire.Request) error {
	switch {
	case r.Start != nil:
		*f = *newFake(f.script)
		f.answer.From = f.clock
		fmt.Fprintln(os.Stderr, wire.LogBegins)
		return f.start(r.Start.KubeletConfig)
	case r.Restart != nil:
		f.restarts++
		f.clock += int64(307 * time.Millisecond)
		return f.start(r.Restart.KubeletConfig)
	case r.Create != nil:
		f.create(r.Create)
	case r.Manifest != nil:
		f.place(r.Manifest.Name+"-"+wire.NodeName, r.Manifest.Pod)
	case r.API != nil:
		at, pod := f.clock, r.API.Namespace+"/"+r.API.Name
		f.trace = []wire.Entry{
			{At: at + int64(time.Second), Kind: wire.KindCRI, Pod: pod + "-second", What: "StopContainer"},
			{At: at, Kind: wire.KindLane, Pod: pod, What: r.API.Method + " " + r.API.Resource},
		}
		return f.serve(*r.API)
	case r.Counters:
		f.answer.Counters = map[string]map[string]map[string]int{"uid-1": {"victim": {"liveness": 3}}}
	case r.Trace:
		f.answer.Trace = f.trace
	case r.Advance != nil:
		f.advance(r.Advance.Until)
	}
	return nil
}

func (f *fake) serve(r wire.API) error {
	switch kind(wire.Request{API: &r}) {
	case "delete":
		f.delete(r.Name, decoded[metav1.DeleteOptions](r))
	case "evict":
		if f.budget {
			f.answer.Status = http.StatusTooManyRequests
			return fmt.Errorf("the disruption budget needs it")
		}
		f.delete(r.Name, *decoded[policyv1.Eviction](r).DeleteOptions)
	case "budget":
		f.budget = true
	}
	return nil
}

func (f *fake) start(patch map[string]any) error {
	if _, ok := patch["tomorrow"]; ok {
		f.answer.Unsupported = true
		return fmt.Errorf("strict decoding error: unknown field tomorrow")
	}
	configuration, _ := json.Marshal(
		map[string]any{"syncFrequency": "1m", "evictionMaxPodGracePeriod": patch["evictionMaxPodGracePeriod"]},
	)
	f.answer.Kubelet = &wire.Kubelet{
		Version:       "v1.36.3",
		Gates:         map[string]bool{"SidecarContainers": true},
		Configuration: configuration,
	}
	f.answer.Conditions = append(f.answer.Conditions, wire.Conditions{At: f.clock, True: []string{"Ready"}})
	return nil
}

func (f *fake) create(template *corev1.Pod) {
	pod := template.DeepCopy()
	pod.UID = types.UID(fmt.Sprintf("uid-%d", len(f.pods)+1))
	f.pods[pod.Name+string(pod.UID)] = pod
	f.answer.Pod = pod
	f.show(pod, false)
	if f.script == "stops-time" {
		return
	}
	for i, c := range pod.Spec.Containers {
		f.later(time.Duration(i+1)*time.Second, func() {
			if f.script == "starts-nothing" {
				pod.Status.ContainerStatuses = []corev1.ContainerStatus{
					{
						Name: c.Name,
						State: corev1.ContainerState{
							Waiting: &corev1.ContainerStateWaiting{Reason: "ImagePullBackOff"},
						},
					},
				}
				f.show(pod, false)
				return
			}
			if f.script == "refuses" {
				pod.Status.Phase, pod.Status.Reason, pod.Status.Message = corev1.PodFailed, "OutOfpods", "too many"
				f.show(pod, false)
				return
			}
			f.mark(pod, c.Name, mark.Connected)
			f.mark(pod, c.Name, mark.Started)
			pod.Status.Phase = corev1.PodRunning
			f.show(pod, false)
		})
	}
	f.later(2500*time.Millisecond, func() {
		f.answer.Events = append(f.answer.Events, wire.Event{At: f.clock, Event: &corev1.Event{
			InvolvedObject: corev1.ObjectReference{
				Kind:      "Pod",
				UID:       pod.UID,
				FieldPath: "spec.containers{victim}",
			},
			Reason: "Started",
			Count:  1,
		}})
	})
}

// place replaces the mirror of a name at once.
func (f *fake) place(name string, pod *corev1.Pod) {
	for key, old := range f.pods {
		if old.Name == name && old.DeletionTimestamp == nil {
			f.pods[key].DeletionTimestamp = &metav1.Time{}
			f.show(old, true)
		}
	}
	if pod != nil {
		pod.Name = name
		f.create(pod)
	}
}

// delete deletes the pod of a name and of the UID in the preconditions.
func (f *fake) delete(name string, options metav1.DeleteOptions) {
	pod := f.pods[name+string(*options.Preconditions.UID)]
	if pod == nil {
		f.answer.Error, f.answer.Status = "no such pod", http.StatusNotFound
		return
	}
	grace := *pod.Spec.TerminationGracePeriodSeconds
	if options.GracePeriodSeconds != nil {
		grace = *options.GracePeriodSeconds
	}
	if f.script == "kills-early" {
		grace = 1
	}
	now := metav1.NewTime(time.Unix(0, f.clock))
	pod.DeletionTimestamp, pod.DeletionGracePeriodSeconds = &now, &grace
	f.show(pod, false)
	for _, c := range pod.Spec.Containers {
		f.later(50*time.Millisecond, func() { f.mark(pod, c.Name, mark.SIGTERM) })
		f.later(50*time.Millisecond+time.Duration(grace)*time.Second, func() { f.mark(pod, c.Name, mark.Gone) })
	}
	f.later(time.Duration(grace+1)*time.Second, func() { f.show(pod, true) })
}

func (f *fake) later(d time.Duration, do func()) {
	f.due = append(f.due, due{f.clock + int64(d), do})
	slices.SortStableFunc(f.due, func(a, b due) int { return cmp.Compare(a.at, b.at) })
}

// advance lets the next event happen if it is due in time.
func (f *fake) advance(until int64) {
	if f.script == "stops-time" && len(f.pods) > 0 {
		return
	}
	if len(f.due) == 0 || f.due[0].at > until {
		f.clock = until
		return
	}
	next := f.due[0]
	f.due = f.due[1:]
	f.clock = next.at
	next.do()
}

func (f *fake) show(pod *corev1.Pod, deleted bool) {
	f.answer.Pods = append(f.answer.Pods, wire.Pod{At: f.clock, Deleted: deleted, Pod: pod.DeepCopy()})
}

func (f *fake) mark(pod *corev1.Pod, container string, kind mark.Kind) {
	f.seq++
	r := mark.Record{
		Seq:  f.seq,
		At:   f.clock,
		Life: 1,
		Kind: kind,
		Identity: mark.Identity{
			Pod:       pod.Namespace + "/" + pod.Name,
			UID:       string(pod.UID),
			Container: container,
			Role:      mark.Run,
		},
	}
	f.answer.Marks = append(f.answer.Marks, r)
}
