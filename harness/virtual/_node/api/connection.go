package api

import (
	"net"
	"sync"
	"syscall"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/client-go/testing"
)

// Connection is a client's connection. Its requests take no virtual time: client-go's fake clientset holds a mutex
// during a request, and a mutex held during a sleep would stop the bubble's clock.
type Connection struct {
	server *Server
	client *fake.Clientset

	mu      sync.Mutex
	severed bool
	watches []watch.Interface
	served  int
}

func (s *Server) Connect() *Connection {
	c := &Connection{server: s, client: fake.NewSimpleClientset()}
	c.client.ReactionChain, c.client.WatchReactionChain = nil, nil
	others := testing.ObjectReaction(s.others)
	c.client.AddReactor("*", "*", func(action testing.Action) (bool, runtime.Object, error) {
		c.forget()
		switch {
		case c.cut():
			return true, nil, refused()
		case action.GetResource() == podsResource:
			o, err := s.pods.serve(s, action)
			return true, o, err
		}
		return others(action)
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
	return c.severed
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
	if c.severed {
		return true, nil, refused()
	}
	w, err := c.server.others.Watch(a.GetResource(), a.GetNamespace(), a.ListOptions)
	if err != nil {
		return true, nil, err
	}
	c.watches = append(c.watches, w)
	return true, w, nil
}

func (p *pods) serve(s *Server, action testing.Action) (runtime.Object, error) {
	ctx, namespace, subresource := s.ctx, action.GetNamespace(), action.GetSubresource()
	switch a := action.(type) {
	case testing.GetActionImpl:
		return object(p.get(ctx, namespace, a.GetName()))
	case testing.ListActionImpl:
		list, err := p.list(namespace, a.ListOptions)
		if err != nil {
			return nil, err
		}
		return list, nil
	case testing.CreateActionImpl:
		if pod, ok := a.GetObject().(*corev1.Pod); ok && subresource == "" {
			pod.Namespace = namespace
			return object(p.create(ctx, pod, a.CreateOptions))
		}
	case testing.UpdateActionImpl:
		if pod, ok := a.GetObject().(*corev1.Pod); ok {
			return object(p.update(ctx, pod, subresource))
		}
	case testing.PatchActionImpl:
		return object(p.patch(ctx, namespace, a.GetName(), a.GetPatchType(), a.GetPatch(), subresource))
	case testing.DeleteActionImpl:
		return nil, p.delete(ctx, namespace, a.GetName(), a.DeleteOptions)
	}
	return nil, apierrors.NewMethodNotSupported(podsResource.GroupResource(), action.GetVerb()+" "+subresource)
}

func object(pod *corev1.Pod, err error) (runtime.Object, error) {
	if err != nil {
		return nil, err
	}
	return pod, nil
}
