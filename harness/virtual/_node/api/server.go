// Package api is the API server of one virtual node, in the memory of the node's process: the real registry of pods
// with defaulting, conversion and validation, three real admission plugins and the real taint eviction controller,
// over a map.
//
// It has no authentication, HTTP, server-side apply, managed fields, service accounts, scheduler or garbage
// collector. [Server.Budget] replaces the disruption controller.
package api

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/google/uuid"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/testing"

	"github.com/podclock/podclock/harness/virtual/_node/journal"
	"github.com/podclock/podclock/harness/virtual/wire"
)

// requestLatency is the time of a lab's request and answer. Requests of clients take none: see [Connection].
const requestLatency = 1234 * time.Microsecond

// Options are the initial objects, and the functions that get all changes.
type Options struct {
	// Node is the only node, already registered.
	Node *corev1.Node
	// PriorityClasses are further priority classes' values by name.
	PriorityClasses map[string]int32
	// Journal keeps all requests of clients. It may be nil.
	Journal *journal.Journal
	// Seed decides the UIDs of pods.
	Seed uint64
	// TakePod, TakeEvent and TakeConditions get every version of every pod, every event, and the node's true
	// conditions after each change, in order. They own what they get.
	TakePod        func(wire.Pod)
	TakeEvent      func(wire.Event)
	TakeConditions func(wire.Conditions)
}

// Server is an API server.
type Server struct {
	ctx    context.Context
	cancel context.CancelFunc
	node   string

	journal *journal.Journal

	log    *history
	pods   *pods
	others *tracker
	// the connection of admission, evictions and the taint eviction controller
	own *Connection

	mu      sync.Mutex
	budgets []policyv1.PodDisruptionBudgetSpec
	// kubelet is the connection of the newest kubelet. No kubelet's requests are served before cutUntil.
	kubelet  *Connection
	cutUntil time.Time
}

// New starts an API server. It must be called in the bubble.
func New(options Options) (*Server, error) {
	ctx, cancel := context.WithCancel(context.Background())
	s := &Server{ctx: ctx, cancel: cancel, node: options.Node.Name, log: newHistory(), journal: options.Journal}
	s.others = &tracker{history: s.log}
	uuid.SetRand(&numbered{seed: options.Seed})
	s.own = s.connect(controlPlane)
	if err := s.populate(options); err != nil {
		cancel()
		return nil, err
	}
	var err error
	if s.pods, err = newPods(s.log, s.own.client, s.journal); err != nil {
		cancel()
		return nil, err
	}
	s.feed(options)
	if s.pods.admission, err = startControllers(ctx, s.own.client); err != nil {
		cancel()
		return nil, err
	}
	return s, nil
}

func (s *Server) populate(options Options) error {
	if _, err := s.own.client.CoreV1().Nodes().Create(s.ctx, options.Node, metav1.CreateOptions{}); err != nil {
		return fmt.Errorf("create the node %s: %w", options.Node.Name, err)
	}
	for _, class := range priorityClasses(options.PriorityClasses) {
		classes := s.own.client.SchedulingV1().PriorityClasses()
		if _, err := classes.Create(s.ctx, class, metav1.CreateOptions{}); err != nil {
			return fmt.Errorf("create the priority class %s: %w", class.Name, err)
		}
	}
	return nil
}

// controlPlane is the client of admission, evictions and the taint eviction controller.
const controlPlane = "control plane"

// Connect returns a new connection of a kubelet.
func (s *Server) Connect() *Connection {
	c := s.connect("")
	c.away = func() bool {
		s.mu.Lock()
		defer s.mu.Unlock()
		return time.Now().Before(s.cutUntil)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.kubelet = c
	return c
}

// CutOff refuses the requests of kubelets for a time, and ends their watches.
func (s *Server) CutOff(d time.Duration) {
	s.mu.Lock()
	s.cutUntil = time.Now().Add(d)
	kubelet := s.kubelet
	s.mu.Unlock()
	kubelet.endWatches()
}

func (s *Server) connect(by string) *Connection {
	return connect(s.others, s.journal, by, func(action testing.Action) (runtime.Object, error) {
		return s.pods.serve(s.ctx, action)
	})
}

func request[T any](do func() (T, error)) (T, error) {
	time.Sleep(requestLatency / 2)
	defer time.Sleep(requestLatency / 2)
	return do()
}

// Create creates a pod. There is no scheduler: without a node name it stays unscheduled.
func (s *Server) Create(pod *corev1.Pod) (*corev1.Pod, error) {
	return request(func() (*corev1.Pod, error) { return s.pods.create(s.ctx, pod, metav1.CreateOptions{}) })
}

func (s *Server) feed(options Options) {
	f := &feed{queue: newQueue[change]()}
	s.log.mu.Lock()
	s.log.feeds = append(s.log.feeds, f)
	s.log.mu.Unlock()
	go func() {
		for {
			c, ok := f.queue.next()
			if !ok {
				return
			}
			f.pass(c, options)
		}
	}()
}

func (f *feed) pass(c change, options Options) {
	at := time.Now().UnixNano()
	switch o := c.object().(type) {
	case *corev1.Pod:
		if options.TakePod != nil {
			options.TakePod(wire.Pod{At: at, Deleted: c.is == nil, Pod: o.DeepCopy()})
		}
	case *corev1.Event:
		if options.TakeEvent != nil && c.is != nil {
			options.TakeEvent(wire.Event{At: at, Event: o.DeepCopy()})
		}
	case *corev1.Node:
		now := trueConditions(o)
		if options.TakeConditions == nil || slices.Equal(now, f.conditions) {
			return
		}
		f.conditions = now
		options.TakeConditions(wire.Conditions{At: at, True: slices.Clone(now)})
	}
}

func trueConditions(node *corev1.Node) []string {
	var all []string
	for _, c := range node.Status.Conditions {
		if c.Status == corev1.ConditionTrue {
			all = append(all, string(c.Type))
		}
	}
	slices.Sort(all)
	return all
}
