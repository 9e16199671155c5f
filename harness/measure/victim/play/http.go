package play

import (
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"log"
	"math/big"
	"net"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/podclock/podclock/harness/measure/mark"
	"github.com/podclock/podclock/harness/measure/victim"
)

// ServeHTTP answers HTTP probes, the HTTP hook and requests of clients. It ends as [ServeGRPC] does.
func ServeHTTP(ctx context.Context, listener net.Listener, run victim.Run, recorder Recorder, probes *Probes) error {
	// A request's context ends with its connection, so a handler that gives up cannot answer any more.
	server := &http.Server{Handler: handler(run, recorder, probes), ReadHeaderTimeout: 10 * time.Second}
	// A kept-alive connection would show the victim's death to the prober before the next probe.
	server.SetKeepAlivesEnabled(false)
	// Probes in the clear make a server of TLS complain.
	server.ErrorLog = log.New(io.Discard, "", 0)
	defer context.AfterFunc(ctx, func() { _ = server.Close() })()
	serve := server.Serve
	switch {
	case run.TLS:
		config, err := encrypted()
		if err != nil {
			return fmt.Errorf("serving HTTPS probes: %w", err)
		}
		server.TLSConfig = config
		serve = func(l net.Listener) error { return server.ServeTLS(l, "", "") }
	case run.H2C:
		server.Protocols = new(http.Protocols)
		server.Protocols.SetUnencryptedHTTP2(true)
	}
	if err := serve(listener); ctx.Err() == nil {
		return fmt.Errorf("serving HTTP probes: %w", err)
	}
	return nil
}

// encrypted returns a configuration with a selfSigned certificate.
func encrypted() (*tls.Config, error) {
	certificate, err := selfSigned()
	return &tls.Config{Certificates: []tls.Certificate{certificate}, MinVersion: tls.VersionTLS12}, err
}

// selfSigned returns a certificate that no authority has signed, for no host.
func selfSigned() (c tls.Certificate, err error) {
	public, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		return c, err
	}
	now := time.Now()
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), NotBefore: now.Add(-time.Hour), NotAfter: now.Add(24 * time.Hour),
	}
	text, err := x509.CreateCertificate(rand.Reader, template, template, public, private)
	return tls.Certificate{Certificate: [][]byte{text}, PrivateKey: private}, err
}

func handler(run victim.Run, recorder Recorder, probes *Probes) http.Handler {
	mux := http.NewServeMux()
	for _, probe := range []string{victim.Liveness, victim.Readiness, victim.Startup} {
		answer := func(w http.ResponseWriter, r *http.Request) {
			answer, index := probes.Arrived(probe, ByHTTP, time.Now())
			defer probes.Done(probe)
			if probes.Wait(r.Context(), answer) {
				answerHTTP(w, r, answer, followedPath(probe, index, answer))
			}
		}
		mux.HandleFunc("/"+probe, answer)
		mux.HandleFunc("/{escaped}/"+probe, answer)
	}
	mux.HandleFunc(loopPath, func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, loopPath, http.StatusFound)
	})
	mux.HandleFunc(followedPattern, followed(recorder))
	mux.Handle(victim.RequestPath, probes.requests)
	mux.HandleFunc("/hook", func(w http.ResponseWriter, r *http.Request) {
		recorder.Mark(mark.HookBegan, time.Now(), mark.Detail{})
		if run.HookHang {
			<-r.Context().Done()
			return
		}
		if Sleep(r.Context(), run.HookSleep) {
			recorder.Mark(mark.HookEnded, time.Now(), mark.Detail{})
			_, _ = fmt.Fprintln(w, "done")
		}
	})
	return mux
}

func answerHTTP(w http.ResponseWriter, r *http.Request, answer victim.Answer, elsewhere string) {
	switch answer {
	case victim.Fail:
		w.WriteHeader(http.StatusInternalServerError)
	case victim.NotFound:
		w.WriteHeader(http.StatusNotFound)
	case victim.Unimplemented:
		w.WriteHeader(http.StatusNotImplemented)
	case victim.Asked:
		if !asked(r) {
			w.WriteHeader(http.StatusInternalServerError)
		}
	case victim.BigBody:
		_, _ = w.Write(make([]byte, bigBody))
	case victim.RedirectLoop:
		http.Redirect(w, r, loopPath, http.StatusFound)
	case victim.Error:
		w.Header().Set("Content-Length", "1")
		w.WriteHeader(http.StatusOK)
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
	case victim.Redirect, victim.RedirectToFailure:
		http.Redirect(w, r, elsewhere, http.StatusFound)
	case victim.RedirectToPort:
		host, _, _ := net.SplitHostPort(r.Host)
		http.Redirect(w, r, "http://"+net.JoinHostPort(host, victim.ClosedPort)+"/", http.StatusFound)
	case victim.RedirectAway:
		http.Redirect(w, r, victim.ElsewhereURL, http.StatusFound)
	}
}

// bigBody, in bytes, is more than an HTTP prober reads.
const bigBody = 12 << 10

// loopPath is where an endless redirect leads.
const loopPath = "/loop"

// asked reports whether a request has the headers of victim.AskedHeaders and no other of the prober's.
func asked(r *http.Request) bool {
	wanted := http.Header{}
	for _, h := range victim.AskedHeaders() {
		wanted.Add(h[0], h[1])
	}
	_, accepts := r.Header["Accept"] // a prober removes one that is empty
	return r.Host == wanted.Get("Host") && r.UserAgent() == wanted.Get("User-Agent") && !accepts &&
		slices.Equal(r.Header.Values("X-Podclock"), wanted.Values("X-Podclock"))
}

// followedPattern is where a redirect to the same host leads. The path names the redirected probe.
const followedPattern = "/followed/{probe}/{index}/{answer}"

func followedPath(probe string, index int, answer victim.Answer) string {
	return fmt.Sprintf("/followed/%s/%d/%s", probe, index, answer)
}

func followed(recorder Recorder) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		at := time.Now()
		index, err := strconv.Atoi(r.PathValue("index"))
		if err != nil {
			http.NotFound(w, r)
			return
		}
		answer := r.PathValue("answer")
		recorder.Mark(
			mark.Followed,
			at,
			mark.Detail{
				Probe: &mark.ProbeDetail{For: r.PathValue("probe"), Handler: ByHTTP, Index: index, Answer: answer},
			},
		)
		if answer == victim.RedirectToFailure.String() {
			w.WriteHeader(http.StatusInternalServerError)
		}
	}
}
