package play

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"testing"
	"time"

	. "github.com/onsi/gomega"

	"github.com/podclock/podclock/harness/measure/victim"
)

// timeout is the prober's, slow the time of a slow answer.
const (
	timeout = 2 * time.Second
	slow    = 1500 * time.Millisecond
)

// web is a main process' HTTP server, and a prober.
type web struct {
	*rig
	listener *pipes
	over     <-chan error
}

func (r *rig) web(run victim.Run) web {
	run.HTTPPort, run.Slow = 80, slow
	r.Expect(run.Validate()).To(Succeed())
	listener, over := serve(func(l net.Listener) error { return ServeHTTP(r.ctx, l, run, r, NewProbes(run, r)) })
	return web{r, listener, over}
}

// get returns what a prober sees. Like the kubelet's, it follows redirects within a host and stops at one to
// another host.
func (w web) get(path string) string {
	transport := &http.Transport{
		DialContext:       func(ctx context.Context, _, _ string) (net.Conn, error) { return w.listener.dial(ctx) },
		DisableKeepAlives: true,
	}
	client := http.Client{
		Transport: transport,
		Timeout:   timeout,
		CheckRedirect: func(request *http.Request, via []*http.Request) error {
			if request.URL.Hostname() != via[0].URL.Hostname() {
				return http.ErrUseLastResponse
			}
			return nil
		},
	}
	began := time.Now()
	seen := func(what string) string { return fmt.Sprintf("%s after %s", what, time.Since(began)) }
	response, err := client.Get("http://10.0.0.1" + path)
	var network net.Error
	if errors.As(err, &network) && network.Timeout() {
		return seen("nothing")
	} else if err != nil {
		return seen("an end")
	}
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		return seen(fmt.Sprintf("%d without its body", response.StatusCode))
	}
	return seen(fmt.Sprintf("%d %s%s", response.StatusCode, response.Header.Get("Location"), body))
}

func TestHTTPProbesFollowTheScript(t *testing.T) {
	t.Parallel()
	inBubble(t, func(r *rig) {
		w := r.web(victim.Run{Liveness: "SFHLERDWN", Readiness: "F"})
		var got []string
		for i, path := range []string{
			"/liveness", "/liveness", "/liveness", "/liveness", "/liveness", "/liveness", "/liveness", "/liveness",
			"/liveness", "/readiness", "/startup",
		} {
			r.until(time.Duration(i) * 10 * time.Second)
			got = append(got, w.get(path))
		}
		r.Expect(got).To(Equal([]string{
			"200  after 0s",
			"500  after 0s",
			"nothing after 2s",
			"200  after 1.5s",
			"200 without its body after 2s",
			"200  after 0s",
			"500  after 0s",
			"302 http://192.0.2.1/<a href=\"http://192.0.2.1/\">Found</a>.\n\n after 0s",
			"404  after 0s",
			"500  after 0s",
			"200  after 0s",
		}))
		r.Expect(r.marked()).To(Equal([]string{
			"0s probed liveness 0 S http",
			"10s probed liveness 1 F http",
			"20s probed liveness 2 H http",
			"30s probed liveness 3 L http",
			"40s probed liveness 4 E http",
			"50s probed liveness 5 R http",
			"50s followed liveness 5 R http",
			"1m0s probed liveness 6 D http",
			"1m0s followed liveness 6 D http",
			"1m10s probed liveness 7 W http",
			"1m20s probed liveness 8 N http",
			"1m30s probed readiness 0 F http",
			"1m40s probed startup 0 S http",
		}))
		r.kill()
		r.Expect(<-w.over).NotTo(HaveOccurred())
	})
}

// A prober whose headers, paths, certificates or bodies are not the usual ones.
func TestHTTPRequests(t *testing.T) {
	t.Parallel()
	inBubble(t, func(r *rig) {
		w := r.web(victim.Run{Liveness: "ABOU", TLS: true})
		client := &http.Client{Transport: &http.Transport{
			DialContext:       func(ctx context.Context, _, _ string) (net.Conn, error) { return w.listener.dial(ctx) },
			DisableKeepAlives: true,
			TLSClientConfig:   &tls.Config{InsecureSkipVerify: true},
		}}
		get := func(url string, asks bool) string {
			request, err := http.NewRequestWithContext(r.ctx, http.MethodGet, url, nil)
			r.Expect(err).NotTo(HaveOccurred())
			for _, h := range victim.AskedHeaders() {
				if asks && h[1] != "" {
					request.Header.Add(h[0], h[1])
				}
			}
			request.Host = request.Header.Get("Host")
			response, err := client.Do(request)
			if err != nil {
				return err.Error()
			}
			defer func() { _ = response.Body.Close() }()
			body, _ := io.ReadAll(response.Body)
			return fmt.Sprintf("%d %d", response.StatusCode, len(body))
		}
		const liveness = "https://10.0.0.1/%25zz/liveness"
		r.Expect(get(liveness, true)).To(Equal("200 0"))
		r.Expect(get(liveness, false)).To(Equal("200 12288"))
		r.Expect(get(liveness, false)).To(ContainSubstring("stopped after 10 redirects"))
		r.Expect(get(liveness, false)).To(Equal("501 0"))
		r.Expect(get("http://10.0.0.1/liveness", false)).To(HavePrefix("400 "), "TLS only")
		r.kill()
		r.Expect(<-w.over).NotTo(HaveOccurred())
		time.Sleep(10 * time.Second) // both ends of a connection may wait for five seconds to say that it is closed
	})
	inBubble(t, func(r *rig) {
		w := r.web(victim.Run{Liveness: "A"})
		r.Expect(w.get("/liveness")).To(Equal("500  after 0s"), "none of the headers")
		r.kill()
		r.Expect(<-w.over).NotTo(HaveOccurred())
	})
}

func TestTheHTTPHook(t *testing.T) {
	t.Parallel()
	for what, c := range map[string]struct {
		run  victim.Run
		seen string
		want []string
	}{
		"takes its time": {
			victim.Run{HookSleep: time.Second}, "200 done\n after 1s", []string{"0s hook-began", "1s hook-ended"},
		},
		"given up": {victim.Run{HookSleep: time.Minute}, "nothing after 2s", []string{"0s hook-began"}},
		"hangs":    {victim.Run{HookHang: true}, "nothing after 2s", []string{"0s hook-began"}},
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			inBubble(t, func(r *rig) {
				w := r.web(c.run)
				r.Expect(w.get("/hook")).To(Equal(c.seen))
				r.until(2 * time.Minute)
				r.Expect(r.marked()).To(Equal(c.want))
			})
		})
	}
}

// A prober sees the death of its victim as the end of the connection. The next one cannot connect.
func TestDeathEndsHTTPConnections(t *testing.T) {
	t.Parallel()
	for path, want := range map[string][]string{
		"/liveness":  {"0s probed liveness 0 H http"},
		"/readiness": {"0s probed readiness 0 L http"},
		"/hook":      {"0s hook-began"},
	} {
		t.Run(path, func(t *testing.T) {
			t.Parallel()
			inBubble(t, func(r *rig) {
				w := r.web(victim.Run{Liveness: "H", Readiness: "L", HookSleep: time.Minute})
				time.AfterFunc(time.Second, r.kill)
				r.Expect(w.get(path)).To(Equal("an end after 1s"))
				r.Expect(<-w.over).NotTo(HaveOccurred())
				r.Expect(w.get(path)).To(Equal("an end after 0s"))
				r.until(2 * time.Minute)
				r.Expect(r.marked()).To(Equal(want))
			})
		})
	}
}

func TestAServerWithoutItsListenerReturnsAnError(t *testing.T) {
	t.Parallel()
	inBubble(t, func(r *rig) {
		w := r.web(victim.Run{})
		r.Expect(w.listener.Close()).To(Succeed())
		r.Expect(<-w.over).To(And(MatchError(net.ErrClosed), MatchError(ContainSubstring("HTTP"))))
		g := r.grpc("")
		r.Expect(g.listener.Close()).To(Succeed())
		r.Expect(<-g.over).To(And(MatchError(net.ErrClosed), MatchError(ContainSubstring("gRPC"))))
	})
}
