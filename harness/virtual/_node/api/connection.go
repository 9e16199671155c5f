package api

import (
	"net"
	"sync"
	"syscall"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/client-go/testing"

	"github.com/podclock/podclock/harness/virtual/_node/journal"
)

// Connection is a client's connection. Its requests take no virtual time: client-go's fake clientset holds a mutex
// during a request, and a mutex held during a sleep would stop the bubble's clock.
type Connection struct {
	client  *fake.Clientset
	others  *tracker
	journal *journal.Journal
	by      string
	// away reports whether the server is not to be reached. It is nil for a component of the control plane.
	away func() bool

	mu      sync.Mutex
	severed bool
	watches []watch.Interface
	served  int
}

// connect returns a connection of a component. Its requests about pods go to servePods, all others to the tracker.
func connect(
	others *tracker, j *journal.Journal, by string, servePods func(testing.Action) (runtime.Object, error),
) *Connection {
	c := &Connection{client: fake.NewSimpleClientset(), others: others, journal: j, by: by}
	c.client.ReactionChain, c.client.WatchReactionChain = nil, nil
	c.client.AddReactor("*", "*", func(action testing.Action) (bool, runtime.Object, error) {
		c.forget()
		if c.cut() {
			return true, nil, refused()
		}
		serve := others.serve
		if action.GetResource() == podsResource {
			serve = servePods
		}
		answered := c.journal.Begin(entryOf(c.by, action))
		o, err := serve(action)
		answered(err)
		return true, o, err
	})
	c.client.AddWatchReactor("*", c.watch)
	return c
}

// Client returns the connection's clientset, which has no REST client.
func (c *Connection) Client() kubernetes.Interface { return c.client }

// Sever ends the watches and refuses later requests.
func (c *Connection) Sever() {
	c.mu.Lock()
	c.severed = true
	c.mu.Unlock()
	c.endWatches()
}

func (c *Connection) endWatches() {
	c.mu.Lock()
	watches := c.watches
	c.watches = nil
	c.mu.Unlock()
	for _, w := range watches {
		w.Stop()
	}
}

func (c *Connection) cut() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.severed || c.away != nil && c.away()
}

// forget clears the fake clientset's list of requests. The caller holds the clientset's mutex.
func (c *Connection) forget() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.served++; c.served%500 == 0 {
		go c.client.ClearActions()
	}
}

func refused() error {
	return &net.OpError{Op: "dial", Net: "tcp", Err: syscall.ECONNREFUSED}
}

func (c *Connection) watch(action testing.Action) (bool, watch.Interface, error) {
	a, ok := action.(testing.WatchActionImpl)
	if !ok {
		return true, nil, apierrors.NewBadRequest("not a watch")
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.severed || c.away != nil && c.away() {
		return true, nil, refused()
	}
	c.journal.Add(entryOf(c.by, action))
	w, err := c.others.watch(a.GetResource(), a.GetNamespace(), watchOptions(a))
	if err != nil {
		return true, nil, err
	}
	c.watches = append(c.watches, w)
	return true, w, nil
}
