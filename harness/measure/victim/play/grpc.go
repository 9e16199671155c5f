package play

import (
	"context"
	"fmt"
	"net"
	"slices"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/status"

	"github.com/podclock/podclock/harness/measure/victim"
)

// health is the gRPC health service. Its services are the kinds of probes.
type health struct {
	grpc_health_v1.UnimplementedHealthServer
	probes *Probes
}

// ServeGRPC answers gRPC probes. When the context ends, it closes the listener and all connections, like the kernel
// at a process' death, and returns nil.
func ServeGRPC(ctx context.Context, listener net.Listener, run victim.Run, probes *Probes) error {
	var options []grpc.ServerOption
	if run.TLS {
		config, err := encrypted()
		if err != nil {
			return fmt.Errorf("serving gRPC probes by TLS: %w", err)
		}
		options = append(options, grpc.Creds(credentials.NewTLS(config)))
	}
	server := grpc.NewServer(options...)
	grpc_health_v1.RegisterHealthServer(server, health{probes: probes})
	defer context.AfterFunc(ctx, server.Stop)()
	if err := server.Serve(listener); err != nil && ctx.Err() == nil {
		return fmt.Errorf("serving gRPC probes: %w", err)
	}
	return nil
}

func (h health) Check(
	ctx context.Context,
	request *grpc_health_v1.HealthCheckRequest,
) (*grpc_health_v1.HealthCheckResponse, error) {
	at := time.Now()
	probe := request.GetService()
	if !slices.Contains([]string{victim.Liveness, victim.Readiness, victim.Startup}, probe) {
		return nil, status.Errorf(codes.NotFound, "service %q: it is liveness, readiness or startup", probe)
	}
	answer, _ := h.probes.Arrived(probe, ByGRPC, at)
	defer h.probes.Done(probe)
	if !h.probes.Wait(ctx, answer) {
		return nil, status.FromContextError(ctx.Err()).Err()
	}
	switch answer {
	case victim.NotFound:
		return nil, status.Errorf(codes.NotFound, "service %q: the script says not found", probe)
	case victim.Unimplemented:
		return nil, status.Error(codes.Unimplemented, "the script says unimplemented")
	case victim.Fail:
		return &grpc_health_v1.HealthCheckResponse{Status: grpc_health_v1.HealthCheckResponse_NOT_SERVING}, nil
	}
	return &grpc_health_v1.HealthCheckResponse{Status: grpc_health_v1.HealthCheckResponse_SERVING}, nil
}
