package cri

import (
	"context"
	"errors"
	"fmt"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// errNotFound is wrapped by errors about unknown things, like errdefs.ErrNotFound in containerd.
var errNotFound = errors.New("not found")

// errUnimplemented is the error of calls that this runtime does not have.
var errUnimplemented = errors.New("not implemented by the virtual node's runtime")

func noContainer(id string) error {
	return fmt.Errorf("an error occurred when try to find container %q: %w", id, errNotFound)
}

func noSandbox(id string) error {
	return fmt.Errorf("an error occurred when try to find sandbox %q: %w", id, errNotFound)
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
	case errors.Is(err, errUnimplemented):
		code = codes.Unimplemented
	}
	return status.Error(code, err.Error())
}
