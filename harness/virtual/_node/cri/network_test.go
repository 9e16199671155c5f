package cri_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"syscall"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/health/grpc_health_v1"

	"github.com/podclock/podclock/harness/measure/mark"
	"github.com/podclock/podclock/harness/measure/victim"
)

// get sends an HTTP probe, and returns its status or the end of its error.
func (r *rig) get(address, path string, timeout time.Duration) (int, error) {
	client := &http.Client{
		Timeout:   timeout,
		Transport: &http.Transport{DialContext: r.runtime.Dial, DisableKeepAlives: true},
	}
	response, err := client.Get("http://" + address + path)
	if err != nil {
		return 0, err
	}
	defer func() { _ = response.Body.Close() }()
	_, err = io.Copy(io.Discard, response.Body)
	return response.StatusCode, err
}

func TestHTTP(t *testing.T) {
	inBubble(t, func(r *rig) {
		sandbox := r.sandbox()
		id := r.start(sandbox, r.spec(victim.Run{HTTPPort: 8080, Liveness: "SFHES", HookSleep: 3 * second}))
		address := r.ip(sandbox) + ":8080"
		r.Expect(address).To(HavePrefix("10.88."))

		r.Expect(r.get(address, "/liveness", 2*second)).To(Equal(200))
		r.Expect(r.get(address, "/liveness", 2*second)).To(Equal(500))
		asked := time.Now()
		_, err := r.get(address, "/liveness", 2*second)
		r.Expect(os.IsTimeout(err)).To(BeTrue(), "%v", err)
		r.Expect(time.Since(asked)).To(Equal(2 * second))
		_, err = r.get(address, "/liveness", 2*second)
		r.Expect(os.IsTimeout(err)).To(BeTrue(), "%v", err)
		asked = time.Now()
		r.Expect(r.get(address, "/hook", time.Minute)).To(Equal(200))
		r.Expect(time.Since(asked)).To(about(3 * second))

		time.AfterFunc(second, func() { _ = r.StopContainer(context.Background(), id, 0) })
		_, err = r.get(address, "/hook", time.Minute)
		r.Expect(err).To(MatchError(io.EOF))
		_, err = r.get(address, "/liveness", 2*second)
		r.Expect(err).To(MatchError(syscall.ECONNREFUSED))
		r.Expect(r.kinds(mark.Run)).
			To(Equal("connected started probed:S probed:F probed:H probed:E hook-began hook-ended hook-began gone"))
	})
}

func TestGRPC(t *testing.T) {
	inBubble(t, func(r *rig) {
		sandbox := r.sandbox()
		r.start(sandbox, r.spec(victim.Run{GRPCPort: 8082, Startup: "FHS"}))
		check := func() (grpc_health_v1.HealthCheckResponse_ServingStatus, error) {
			ctx, cancel := context.WithTimeout(context.Background(), 2*second)
			defer cancel()
			conn, err := grpc.NewClient(
				"passthrough:///"+r.ip(sandbox)+":8082",
				grpc.WithTransportCredentials(insecure.NewCredentials()),
				grpc.WithContextDialer(func(ctx context.Context, address string) (net.Conn, error) {
					return r.runtime.Dial(ctx, "tcp", address)
				}),
			)
			r.Expect(err).NotTo(HaveOccurred())
			defer func() { _ = conn.Close() }()
			response, err := grpc_health_v1.NewHealthClient(conn).
				Check(ctx, &grpc_health_v1.HealthCheckRequest{Service: victim.Startup})
			return response.GetStatus(), err
		}
		r.Expect(check()).To(Equal(grpc_health_v1.HealthCheckResponse_NOT_SERVING))
		asked := time.Now()
		_, err := check()
		r.Expect(err).To(HaveOccurred())
		r.Expect(time.Since(asked)).To(Equal(2 * second))
		r.Expect(check()).To(Equal(grpc_health_v1.HealthCheckResponse_SERVING))
		r.Expect(r.kinds(mark.Run)).To(Equal("connected started probed:F probed:H probed:S"))
	})
}

func TestTCP(t *testing.T) {
	inBubble(t, func(r *rig) {
		sandbox := r.sandbox()
		id := r.start(sandbox,
			r.spec(victim.Run{TCPPort: 8081, TCPFor: victim.Readiness, Readiness: "SFHS", TCPTimeout: 2 * second}))
		dial := func() error {
			ctx, cancel := context.WithTimeout(context.Background(), 2*second)
			defer cancel()
			conn, err := r.runtime.Dial(ctx, "tcp", r.ip(sandbox)+":8081")
			if err == nil {
				r.Expect(conn.Close()).To(Succeed())
			}
			return err
		}
		r.Expect(dial()).To(Succeed())
		failed := dial()
		r.Expect(failed).To(MatchError(syscall.ECONNREFUSED))
		r.Expect(failed).To(MatchError("dial tcp 10.88.0.2:8081: connect: connection refused"))
		asked := time.Now()
		r.Expect(dial()).To(MatchError(os.ErrDeadlineExceeded))
		r.Expect(time.Since(asked)).To(Equal(2 * second))
		r.Expect(dial()).To(Succeed())
		r.Expect(r.kinds(mark.Run)).To(Equal("connected started probed:S probed:F probed:H probed:S"))
		r.Expect(r.StopContainer(context.Background(), id, 0)).To(Succeed())
		r.Expect(dial()).To(MatchError(syscall.ECONNREFUSED))
		r.Expect(r.StopPodSandbox(context.Background(), sandbox)).To(Succeed())
		r.Expect(dial()).To(MatchError(os.ErrDeadlineExceeded), "the address is free again")
	})
}

// The fault program does not see when a TCP prober has its answer. It counts a probe as answered when the answer may
// change.
func TestTCPProbeEndsWhenItsAnswerMayChange(t *testing.T) {
	for name, c := range map[string]struct {
		script victim.Scripts
		probes int
		after  time.Duration
	}{
		"success":             {"S", 1, victim.TCPSettle},
		"failure":             {"FS", 1, victim.TCPSettle},
		"hang":                {"HS", 1, 2*second + victim.TCPSettle},
		"hang before another": {"HHS", 1, victim.TCPSettle},
		"the last hang":       {"HHS", 2, 2*second + victim.TCPSettle},
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(r *rig) {
				sandbox := r.sandbox()
				r.start(sandbox, r.spec(victim.Run{
					TCPPort:         8081,
					TCPFor:          victim.Liveness,
					Liveness:        c.script,
					TCPTimeout:      2 * second,
					ExitAfterProbes: []int{c.probes},
				}))
				for range c.probes {
					ctx, cancel := context.WithTimeout(context.Background(), second)
					if conn, err := r.runtime.Dial(ctx, "tcp", r.ip(sandbox)+":8081"); err == nil {
						r.Expect(conn.Close()).To(Succeed())
					}
					cancel()
				}
				time.Sleep(5 * second)
				last := int64(0)
				for _, record := range r.records() {
					if record.Kind == mark.Probed {
						last = record.At
					}
				}
				r.Expect(time.Duration(r.first(mark.Exiting).At - last)).To(Equal(c.after + victim.AnswerSettle))
			})
		})
	}
}

func TestStopSignalWaitsForATCPProbeThatMayHaveCausedIt(t *testing.T) {
	for run, hold := range map[*victim.Run]time.Duration{
		{TCPPort: 8081, TCPFor: victim.Liveness}: 50 * time.Millisecond,
		{HTTPPort: 8080}:                         0,
	} {
		inBubble(t, func(r *rig) {
			id := r.victim(*run)
			r.Expect(r.StopContainer(context.Background(), id, 5)).To(Succeed())
			term := r.first(mark.SIGTERM)
			sent := term.Sent
			if hold == 0 && sent == 0 {
				sent = term.At
			}
			r.Expect(time.Duration(term.At - sent)).To(Equal(hold))
			r.Expect(r.first(mark.Exiting).At).To(Equal(term.At))
		})
	}
}

func TestNoListener(t *testing.T) {
	inBubble(t, func(r *rig) {
		asked := time.Now()
		_, err := r.runtime.Dial(context.Background(), "tcp", "10.88.200.1:80")
		r.Expect(err).To(MatchError(syscall.ETIMEDOUT))
		r.Expect(time.Since(asked)).To(Equal(127 * second))
		ctx, cancel := context.WithCancel(context.Background())
		time.AfterFunc(second, cancel)
		_, err = r.runtime.Dial(ctx, "tcp", "10.88.200.1:80")
		r.Expect(err).To(MatchError(context.Canceled))
		var failed *net.OpError
		r.Expect(errors.As(err, &failed)).To(BeTrue())
	})
}

func TestContainersOfAPodShareItsPorts(t *testing.T) {
	inBubble(t, func(r *rig) {
		sandbox := r.sandbox()
		run := victim.Run{HTTPPort: 8080}
		first := r.start(sandbox, r.spec(run))
		second := r.start(sandbox, r.spec(run))
		r.Expect(r.status(second).ExitCode).To(BeEquivalentTo(victim.ExitNotServing))
		r.Expect(r.stderr.String()).To(ContainSubstring("address already in use"))
		r.Expect(r.StopContainer(context.Background(), first, 0)).To(Succeed())
		third := r.start(sandbox, r.spec(run))
		r.Expect(fmt.Sprint(r.status(third).State)).To(Equal("CONTAINER_RUNNING"))
		r.Expect(r.get(r.ip(sandbox)+":8080", "/liveness", 2*time.Second)).To(Equal(200))
	})
}
