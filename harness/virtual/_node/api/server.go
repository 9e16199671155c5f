// Package api is the API server of one virtual node, in the memory of the node's process. It has the real registry
// of pods (create, update, status, delete and eviction, with defaulting, conversion and validation), two real
// admission plugins and the real taint eviction controller, over a database that is a map.
//
// It has no authentication, HTTP, server-side apply, managed fields, service accounts, scheduler or garbage
// collector. [Server.Budget] replaces the disruption controller.
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
	// requestLatency is the time of a lab's request, there and back. Requests of clients take no time: see
	// [Connection].
	requestLatency = 1234 * time.Microsecond
	// watchLatency is the time from a write to its arrival at watchers.
	watchLatency = 1313 * time.Microsecond
)

// Options are the initial objects of an API server and the functions that get its changes.
type Options struct {
	// Node is the only node, already registered.
	Node *corev1.Node
	// PriorityClasses are the values of the priority classes that pods may name, besides the system's own.
	PriorityClasses map[string]int32
	// TakePod, TakeEvent and TakeConditions get every version of every pod, every event, and the node's true
	// conditions after each change: one after the other and in order, as a watch would. They own what they get.
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
	// own is the connection of the server's parts: admission, evictions and the taint eviction controller.
	own *Connection

	mu      sync.Mutex
	budgets []map[string]string
}

// New starts an API server. It must be called in the bubble.
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
	s.feed(options)
	if err := s.startControllers(); err != nil {
		cancel()
		return nil, err
	}
	return s, nil
}

// populate creates the initial objects.
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

// request performs a lab's request with its latency.
func request[T any](do func() (T, error)) (T, error) {
	time.Sleep(requestLatency / 2)
	defer time.Sleep(requestLatency / 2)
	return do()
}

// Create creates a pod. Without a node name it stays unscheduled, because there is no scheduler.
func (s *Server) Create(pod *corev1.Pod) (*corev1.Pod, error) {
	return request(func() (*corev1.Pod, error) { return s.pods.create(s.ctx, pod, metav1.CreateOptions{}) })
}
