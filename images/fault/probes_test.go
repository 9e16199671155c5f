//go:build linux

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strconv"
	"syscall"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/status"

	"github.com/podclock/podclock/harness/measure/mark"
	"github.com/podclock/podclock/harness/measure/victim"
)

// timeout is the prober's timeout, slow the delay of a slow answer. They distinguish a quick answer, a slow
// one and none, even on a busy machine.
const (
	timeout = 4 * time.Second
	slow    = 1500 * time.Millisecond
)

func TestHTTPProbesFollowTheScript(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	port := freePort(t)
	run := victim.Run{HTTPPort: port, Slow: slow, Liveness: "SFHLE/F", Readiness: "F"}
	get := func(probe string) string {
		client := http.Client{Timeout: timeout}
		start := time.Now()
		response, err := client.Get("http://127.0.0.1:" + strconv.Itoa(port) + "/" + probe)
		if err != nil {
			return "no answer"
		}
		defer func() { _ = response.Body.Close() }()
		if _, err := io.ReadAll(response.Body); err != nil {
			return fmt.Sprintf("%d without its body", response.StatusCode)
		}
		if time.Since(start) >= slow {
			return fmt.Sprintf("%d slowly", response.StatusCode)
		}
		return strconv.Itoa(response.StatusCode)
	}
	p := r.life(run)
	var got []string
	for range 5 {
		got = append(got, get(victim.Liveness))
	}
	got = append(got, get(victim.Readiness), get(victim.Startup))
	r.g.Expect(got).To(Equal([]string{"200", "500", "no answer", "200 slowly", "200 without its body", "500", "200"}))
	r.g.Expect(r.probed(7)).To(Equal([]string{
		"liveness 0 S http", "liveness 1 F http", "liveness 2 H http", "liveness 3 L http", "liveness 4 E http",
		"readiness 0 F http", "startup 0 S http",
	}))
	_ = p.Process.Kill()
	p.exit()
	r.life(run)
	r.g.Expect(get(victim.Liveness)).To(Equal("500"))
	r.g.Expect(r.await(mark.Probed, 8).Life).To(Equal(2))
	r.g.Expect(r.await(mark.Probed, 8).Detail.Probe.Index).To(Equal(0))
}

func TestGRPCProbesFollowTheScript(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	port := freePort(t)
	r.life(victim.Run{GRPCPort: port, Slow: slow, Liveness: "SFHL"})
	conn, err := grpc.NewClient(
		"127.0.0.1:"+strconv.Itoa(port),
		grpc.WithTransportCredentials(insecure.NewCredentials()),
	)
	r.g.Expect(err).NotTo(HaveOccurred())
	defer func() { _ = conn.Close() }()
	check := func(service string) string {
		ctx, cancel := context.WithTimeout(context.Background(), timeout)
		defer cancel()
		start := time.Now()
		answer, err := grpc_health_v1.NewHealthClient(conn).
			Check(ctx, &grpc_health_v1.HealthCheckRequest{Service: service})
		if err != nil {
			return status.Code(err).String()
		}
		if time.Since(start) >= slow {
			return answer.GetStatus().String() + " slowly"
		}
		return answer.GetStatus().String()
	}
	var got []string
	for range 4 {
		got = append(got, check(victim.Liveness))
	}
	got = append(got, check("other"))
	r.g.Expect(got).
		To(Equal([]string{
			"SERVING", "NOT_SERVING", codes.DeadlineExceeded.String(), "SERVING slowly", codes.NotFound.String(),
		}))
	r.g.Expect(r.probed(4)).
		To(Equal([]string{"liveness 0 S grpc", "liveness 1 F grpc", "liveness 2 H grpc", "liveness 3 L grpc"}))
}

func TestTCPProbesFollowTheScript(t *testing.T) {
	t.Parallel()
	if os.Geteuid() != 0 {
		t.Skip("counting TCP probes needs CAP_NET_RAW")
	}
	for _, host := range []string{"127.0.0.1", "::1"} {
		t.Run(host, func(t *testing.T) {
			t.Parallel()
			r := newRig(t)
			port := freePort(t)
			address := net.JoinHostPort(host, strconv.Itoa(port))
			r.life(
				victim.Run{
					TCPPort:    port,
					TCPFor:     victim.Liveness,
					TCPTimeout: 1500 * time.Millisecond,
					Liveness:   "SSFFHHFSHSF",
				},
			)
			dial := func() string {
				// The last SYN of a hanging probe is a retransmission, which must not count.
				conn, err := net.DialTimeout("tcp", address, 1500*time.Millisecond)
				var network net.Error
				switch {
				case err == nil:
					_ = conn.Close()
					return "S"
				case errors.Is(err, syscall.ECONNREFUSED):
					return "F"
				case errors.As(err, &network) && network.Timeout():
					return "H"
				}
				return err.Error()
			}
			if err := probeFamily(host); err != nil {
				t.Skip("this machine does not speak ", host, ": ", err)
			}
			var got string
			for i := range 11 {
				got += dial()
				r.await(mark.Probed, i+1)
				time.Sleep(200 * time.Millisecond) // a kubelet's probes are at least a second apart
			}
			r.g.Expect(got).To(Equal("SSFFHHFSHSF"))
			seen := r.probed(11)
			r.g.Expect(seen).To(HaveLen(11))
			for i, probe := range seen {
				r.g.Expect(probe).To(Equal(fmt.Sprintf("liveness %d %c tcp", i, got[i])))
			}
		})
	}
}

func probeFamily(host string) error {
	listener, err := net.Listen("tcp", net.JoinHostPort(host, "0"))
	if err == nil {
		_ = listener.Close()
	}
	return err
}

func TestExecProbesFollowTheScript(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.life(victim.Run{Slow: slow, Liveness: "SFHL", Readiness: "F"})
	probe := func(kind string) string {
		start := time.Now()
		p := r.start(victim.ExecProbe{For: kind}.Args()...)
		select {
		case <-p.over:
		case <-time.After(timeout):
			_ = p.Process.Kill()
			p.exit()
			return "killed"
		}
		if time.Since(start) >= slow {
			return fmt.Sprintf("%d slowly", p.exit())
		}
		return strconv.Itoa(p.exit())
	}
	var got []string
	for range 4 {
		got = append(got, probe(victim.Liveness))
	}
	got = append(got, probe(victim.Readiness), probe(victim.Startup))
	r.g.Expect(got).To(Equal([]string{"0", "1", "killed", "0 slowly", "1", "0"}))
	r.g.Expect(r.probed(6)).To(Equal([]string{
		"liveness 0 S exec",
		"liveness 1 F exec",
		"liveness 2 H exec",
		"liveness 3 L exec",
		"readiness 0 F exec",
		"startup 0 S exec",
	}))
	r.await(mark.Gone, 6) // every probe's process was seen, and its end
	r.g.Expect(r.all(mark.Connected)).To(HaveLen(7))
}

func TestExitsAfterSoManyLivenessProbes(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	run := victim.Run{Liveness: "F", ExitAfterProbes: []int{2, 0}, ExitCode: 6}
	p := r.life(run)
	for range 2 {
		r.g.Expect(r.start(victim.ExecProbe{For: victim.Readiness}.Args()...).exit()).To(Equal(0))
		r.g.Expect(p.alive()).To(BeTrue())
		r.g.Expect(r.start(victim.ExecProbe{For: victim.Liveness}.Args()...).exit()).To(Equal(1))
	}
	r.g.Expect(p.exit()).To(Equal(6))
	exiting, last := r.await(mark.Exiting, 1), r.await(mark.Probed, 4)
	r.g.Expect(exiting.Sent - last.Sent).To(BeNumerically(">=", int64(victim.AnswerSettle)))
	second := r.life(run)
	for range 4 {
		r.g.Expect(r.start(victim.ExecProbe{For: victim.Liveness}.Args()...).exit()).To(Equal(1))
	}
	time.Sleep(2 * victim.AnswerSettle)
	r.g.Expect(second.alive()).To(BeTrue())
}

func TestAProbeWhoseMainProcessDiesIsNoAnswer(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	p := r.life(victim.Run{Liveness: "H"})
	probe := r.start(victim.ExecProbe{For: victim.Liveness}.Args()...)
	r.await(mark.Probed, 1)
	_ = p.Process.Kill()
	r.g.Expect(probe.exit()).To(Equal(victim.ExitNoMain))
	r.g.Expect(probe.text.String()).To(ContainSubstring("without an answer"))
}
