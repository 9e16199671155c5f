package play

import (
	"context"
	"fmt"
	"net"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/status"

	"github.com/podclock/podclock/harness/measure/victim"
)

// checked is the health server of a main process, and a prober.
type checked struct {
	*rig
	listener *pipes
	over     <-chan error
}

func (r *rig) grpc(liveness victim.Scripts) checked {
	run := victim.Run{GRPCPort: 80, Liveness: liveness, Slow: slow}
	r.Expect(run.Validate()).To(Succeed())
	listener, over := serve(func(l net.Listener) error { return ServeGRPC(r.ctx, l, run, NewProbes(run, r)) })
	return checked{r, listener, over}
}

// check returns what a prober sees. Like the kubelet's, it has a connection for each probe.
func (c checked) check(service string) string {
	conn, err := grpc.NewClient("passthrough:///10.0.0.1:80", grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithContextDialer(func(ctx context.Context, _ string) (net.Conn, error) { return c.listener.dial(ctx) }))
	c.Expect(err).NotTo(HaveOccurred())
	defer func() { _ = conn.Close() }()
	ctx, cancel := context.WithTimeout(context.Background(), timeout)
	defer cancel()
	began := time.Now()
	answer, err := grpc_health_v1.NewHealthClient(conn).Check(ctx, &grpc_health_v1.HealthCheckRequest{Service: service})
	if err != nil {
		return fmt.Sprintf("%s after %s", status.Code(err), time.Since(began))
	}
	return fmt.Sprintf("%s after %s", answer.GetStatus(), time.Since(began))
}

func TestGRPCProbesFollowTheScript(t *testing.T) {
	t.Parallel()
	inBubble(t, func(r *rig) {
		c := r.grpc("SFHLNU")
		var got []string
		for i, service := range []string{
			"liveness", "liveness", "liveness", "liveness", "liveness", "liveness", "readiness", "other",
		} {
			r.until(time.Duration(i) * 10 * time.Second)
			got = append(got, c.check(service))
		}
		r.Expect(got).To(Equal([]string{
			"SERVING after 0s",
			"NOT_SERVING after 0s",
			"DeadlineExceeded after 2s",
			"SERVING after 1.5s",
			"NotFound after 0s",
			"Unimplemented after 0s",
			"SERVING after 0s",
			"NotFound after 0s",
		}))
		r.Expect(r.marked()).To(Equal([]string{
			"0s probed liveness 0 S grpc",
			"10s probed liveness 1 F grpc",
			"20s probed liveness 2 H grpc",
			"30s probed liveness 3 L grpc",
			"40s probed liveness 4 N grpc",
			"50s probed liveness 5 U grpc",
			"1m0s probed readiness 0 S grpc",
		}))
		r.kill()
		r.Expect(<-c.over).NotTo(HaveOccurred())
	})
}

func TestDeathEndsGRPCConnections(t *testing.T) {
	t.Parallel()
	inBubble(t, func(r *rig) {
		c := r.grpc("H")
		time.AfterFunc(time.Second, r.kill)
		r.Expect(c.check(victim.Liveness)).To(Equal("Unavailable after 1s"))
		r.Expect(<-c.over).NotTo(HaveOccurred())
		r.Expect(c.check(victim.Liveness)).To(Equal("Unavailable after 0s"))
		r.Expect(r.marked()).To(Equal([]string{"0s probed liveness 0 H grpc"}))
	})
}
