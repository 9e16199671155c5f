package cri

import (
	"context"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	services "k8s.io/cri-api/pkg/apis"
)

// Connection is what one kubelet sees of the runtime: it stands in the place of k8s.io/cri-client, and
// returns the errors that that would return.
//
// Like that, it gives up a call whose time is over: requestTimeout, which [RequestTimeout] sets, or what a
// call says for itself.
//
// What a kubelet never calls is left to a nil interface, so that this compiles whatever else an API's version asks for.
type Connection struct {
	services.RuntimeService
	unused

	runtime *Runtime
	alive   context.Context
	die     context.CancelFunc
	// timeout is the time that a call has.
	timeout time.Duration
}

var (
	_ services.RuntimeService      = (*Connection)(nil)
	_ services.ImageManagerService = (*Connection)(nil)
)

// unused keeps the methods of the second interface a level deeper, so that those which both have are the first's.
type unused struct{ services.ImageManagerService }

// requestTimeout is the time that a call has unless [RequestTimeout] says another: the kubelet's own
// default of runtimeRequestTimeout.
const requestTimeout = 2 * time.Minute

// Option says something of a connection.
type Option func(*Connection)

// RequestTimeout is the kubelet's runtimeRequestTimeout.
func RequestTimeout(timeout time.Duration) Option { return func(c *Connection) { c.timeout = timeout } }

// Connect connects a kubelet.
func (r *Runtime) Connect(options ...Option) *Connection {
	c := &Connection{runtime: r, timeout: requestTimeout}
	for _, set := range options {
		set(c)
	}
	c.alive, c.die = context.WithCancel(context.Background())
	return c
}

// Sever is the death of the kubelet: containerd cancels its calls in flight. Later ones, of goroutines that
// don't know they are dead, fail: one that never returned might hold a mutex.
func (c *Connection) Sever() { c.die() }

// call makes one call of the kubelet's: what the runtime does for it is cancelled when the call is, when
// its time is over, or when the kubelet dies.
func call[T any](ctx context.Context, c *Connection, do func(ctx context.Context) (T, error)) (T, error) {
	return within(c.timeout, ctx, c, do)
}

// within is a call that has a time of its own.
func within[T any](
	timeout time.Duration,
	ctx context.Context,
	c *Connection,
	do func(ctx context.Context) (T, error),
) (T, error) {
	ctx, end := context.WithTimeout(ctx, timeout)
	defer end()
	return unbounded(ctx, c, do)
}

// unbounded is a call that has all the time there is.
func unbounded[T any](ctx context.Context, c *Connection, do func(ctx context.Context) (T, error)) (none T, err error) {
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
	_, err := call(ctx, c, silent(do))
	return err
}

// silent is what gives no answer.
func silent(do func(ctx context.Context) error) func(ctx context.Context) (struct{}, error) {
	return func(ctx context.Context) (struct{}, error) { return struct{}{}, do(ctx) }
}
