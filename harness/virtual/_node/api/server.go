// Package api is the API server of one virtual node, in the memory of the node's process: the real registry
// of pods (create, update, status, delete and eviction, with defaulting, conversion and validation), two
// real admission plugins and the real taint eviction controller, over a database that is a map.
//
// What it leaves out: authentication, HTTP, server-side apply and managed fields, service accounts, the
// scheduler, the garbage collector, and the disruption controller, whose one result that matters here
// [Server.Budget] writes itself.
package api

import (
	"context"
	"fmt"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/testing"

	"github.com/podclock/podclock/harness/virtual/wire"
)

const (
	// requestLatency is how long a request of the lab is under way, there and back. Requests of clients
	// take no time: see [Connection].
	requestLatency = 1234 * time.Microsecond
	// watchLatency is how long after a write its watchers hear of it.
	watchLatency = 1313 * time.Microsecond
)

// Options say what an API server begins with, and whom it tells what happens.
type Options struct {
	// Node is the one node, registered already.
	Node *corev1.Node
	// PriorityClasses are those that pods may name, with their values, besides the system's own.
	PriorityClasses map[string]int32
	// TakePod, TakeEvent and TakeConditions are told every version of every pod, of every event, and the
	// node's true conditions whenever they have changed: one after the other and in order, as a watch
	// would. What they are given is theirs.
	TakePod        func(wire.Pod)
	TakeEvent      func(wire.Event)
	TakeConditions func(wire.Conditions)
}

// Server is an API server.
type Server struct {
	ctx    context.Context
	cancel context.CancelFunc
	node   string

	log    *history
	pods   *pods
	others testing.ObjectTracker
	// own is the connection of what runs in the server and beside it: admission, evictions and the taint
	// eviction controller.
	own *Connection

	mu      sync.Mutex
	budgets []map[string]string
}

// New starts an API server. It must be called in the bubble in which all the rest happens.
func New(options Options) (*Server, error) {
	ctx, cancel := context.WithCancel(context.Background())
	s := &Server{ctx: ctx, cancel: cancel, node: options.Node.Name, log: newHistory()}
	s.others = newTracker(s.log)
	s.own = s.Connect()
	if err := s.populate(options); err != nil {
		cancel()
		return nil, err
	}
	var err error
	if s.pods, err = newPods(s.log, s.own.client); err != nil {
		cancel()
		return nil, err
	}
	s.tell(options)
	if err := s.startControllers(); err != nil {
		cancel()
		return nil, err
	}
	return s, nil
}

// populate creates what is there from the start.
func (s *Server) populate(options Options) error {
	if _, err := s.own.client.CoreV1().Nodes().Create(s.ctx, options.Node, metav1.CreateOptions{}); err != nil {
		return fmt.Errorf("create the node %s: %w", options.Node.Name, err)
	}
	for _, class := range priorityClasses(options.PriorityClasses) {
		if _, err := s.own.client.SchedulingV1().
			PriorityClasses().
			Create(s.ctx, class, metav1.CreateOptions{}); err != nil {
			return fmt.Errorf("create the priority class %s: %w", class.Name, err)
		}
	}
	return nil
}

// request lets a request of the lab be under way for a while.
func request[T any](do func() (T, error)) (T, error) {
	time.Sleep(requestLatency / 2)
	defer time.Sleep(requestLatency / 2)
	return do()
}

// Create creates a pod: on a node if it names one, else it stays unscheduled, since there is no scheduler.
func (s *Server) Create(pod *corev1.Pod) (*corev1.Pod, error) {
	return request(func() (*corev1.Pod, error) { return s.pods.create(s.ctx, pod, metav1.CreateOptions{}) })
}
