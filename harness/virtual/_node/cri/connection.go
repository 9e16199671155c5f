package cri

import (
	"context"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	services "k8s.io/cri-api/pkg/apis"
)

// Connection is what one kubelet sees of the runtime: it stands in the place of k8s.io/cri-client, and returns the errors that that would return.
//
// What a kubelet never calls is left to a nil interface, so that this compiles whatever else an API's version asks for.
type Connection struct {
	services.RuntimeService
	unused

	runtime *Runtime
	alive   context.Context
	die     context.CancelFunc
}

var (
	_ services.RuntimeService      = (*Connection)(nil)
	_ services.ImageManagerService = (*Connection)(nil)
)

// unused keeps the methods of the second interface a level deeper, so that those which both have are the first's.
type unused struct{ services.ImageManagerService }

// Connect connects a kubelet.
func (r *Runtime) Connect() *Connection {
	c := &Connection{runtime: r}
	c.alive, c.die = context.WithCancel(context.Background())
	return c
}

// Sever is the death of the kubelet: containerd cancels its calls in flight. Later ones, of goroutines that don't know they are dead, fail: one that
// never returned might hold a mutex.
func (c *Connection) Sever() { c.die() }

// call makes one call of the kubelet's: what the runtime does for it is cancelled when the call is, or when the kubelet dies.
func call[T any](ctx context.Context, c *Connection, do func(ctx context.Context) (T, error)) (none T, err error) {
	if c.alive.Err() != nil {
		return none, status.Error(codes.Unavailable, "the kubelet of this connection is dead")
	}
	ctx, end := context.WithCancel(ctx)
	defer end()
	defer context.AfterFunc(c.alive, end)()
	got, err := do(ctx)
	switch {
	case err == nil:
		return got, nil
	case ctx.Err() != nil: // a gRPC client does not wait for what the server says of it
		return none, status.FromContextError(ctx.Err()).Err()
	}
	return none, rpc(err)
}

// perform is a call without an answer.
func perform(ctx context.Context, c *Connection, do func(ctx context.Context) error) error {
	_, err := call(ctx, c, func(ctx context.Context) (struct{}, error) { return struct{}{}, do(ctx) })
	return err
}
