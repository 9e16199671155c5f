package cri

import (
	"context"
	"errors"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	services "k8s.io/cri-api/pkg/apis"

	"github.com/podclock/podclock/harness/virtual/wire"
)

// Connection is a kubelet's connection to the runtime. It replaces k8s.io/cri-client, returns the same errors, and
// cancels a call after its own timeout or [RequestTimeout].
//
// Methods that no kubelet of a trial calls are those of a nil interface, so that this compiles with every version of
// the API.
type Connection struct {
	services.RuntimeService
	unused

	runtime *Runtime
	alive   context.Context
	die     context.CancelFunc
	timeout time.Duration
}

var (
	_ services.RuntimeService      = (*Connection)(nil)
	_ services.ImageManagerService = (*Connection)(nil)
)

// unused embeds the second interface a level deeper, so that the first one's methods win.
type unused struct{ services.ImageManagerService }

// requestTimeout is the default of runtimeRequestTimeout.
const requestTimeout = 2 * time.Minute

type Option func(*Connection)

// RequestTimeout sets the kubelet's runtimeRequestTimeout.
func RequestTimeout(timeout time.Duration) Option { return func(c *Connection) { c.timeout = timeout } }

func (r *Runtime) Connect(options ...Option) *Connection {
	c := &Connection{runtime: r, timeout: requestTimeout}
	for _, set := range options {
		set(c)
	}
	c.alive, c.die = context.WithCancel(context.Background())
	return c
}

// Sever is the death of the kubelet: its calls are cancelled. Later calls of its goroutines fail, because one that
// never returned might hold a mutex.
func (c *Connection) Sever() { c.die() }

func call[T any](
	ctx context.Context, c *Connection, e wire.Entry, do func(ctx context.Context) (T, error),
) (T, error) {
	return within(c.timeout, ctx, c, e, do)
}

func within[T any](
	timeout time.Duration, ctx context.Context, c *Connection, e wire.Entry, do func(ctx context.Context) (T, error),
) (T, error) {
	ctx, end := context.WithTimeout(ctx, timeout)
	defer end()
	return unbounded(ctx, c, e, do)
}

// unbounded keeps the call in the journal, unless the kubelet is dead.
func unbounded[T any](
	ctx context.Context, c *Connection, e wire.Entry, do func(ctx context.Context) (T, error),
) (none T, err error) {
	if c.alive.Err() != nil {
		return none, status.Error(codes.Unavailable, "the kubelet of this connection is dead")
	}
	if ctx.Err() != nil { // a gRPC client does not even ask
		return none, status.FromContextError(ctx.Err()).Err()
	}
	answered := c.runtime.options.Journal.Begin(e)
	defer func() { answered(err) }()
	ctx, end := context.WithCancel(ctx)
	defer end()
	defer context.AfterFunc(c.alive, end)()
	if err := c.runtime.failure(e.What); err != nil {
		return none, rpc(err)
	}
	got, err := do(ctx)
	switch {
	case err == nil:
		return got, nil
	case ctx.Err() != nil: // a gRPC client does not wait for the server's answer
		return none, status.FromContextError(ctx.Err()).Err()
	}
	return none, rpc(err)
}

func perform(ctx context.Context, c *Connection, e wire.Entry, do func(ctx context.Context) error) error {
	_, err := call(ctx, c, e, noAnswer(do))
	return err
}

func noAnswer(do func(ctx context.Context) error) func(ctx context.Context) (struct{}, error) {
	return func(ctx context.Context) (struct{}, error) { return struct{}{}, do(ctx) }
}

// rpc returns an error as a gRPC client gets it (errgrpc.ToGRPC of containerd/errdefs).
func rpc(err error) error {
	if err == nil {
		return nil
	}
	code := codes.Unknown
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		code = codes.DeadlineExceeded
	case errors.Is(err, context.Canceled):
		code = codes.Canceled
	case errors.Is(err, errNotFound):
		code = codes.NotFound
	}
	return status.Error(code, err.Error())
}
