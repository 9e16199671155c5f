package main

import (
	"fmt"
	"net"
	"net/http"
	"time"

	"github.com/podclock/podclock/harness/mark"
	"github.com/podclock/podclock/harness/victim"
)

// serveHTTP answers HTTP probes and the HTTP hook.
func serveHTTP(listener net.Listener, run victim.Run, recorder *recorder, probes *probes) error {
	mux := http.NewServeMux()
	for _, probe := range []string{victim.Liveness, victim.Readiness, victim.Startup} {
		mux.HandleFunc("/"+probe, func(w http.ResponseWriter, r *http.Request) {
			answer, index := probes.arrived(probe, byHTTP, time.Now())
			defer probes.done(probe)
			if probes.wait(r.Context(), answer) {
				answerHTTP(w, r, answer, followedPath(probe, index, answer))
			}
		})
	}
	mux.HandleFunc(followedPattern, followed(recorder))
	mux.HandleFunc("/hook", func(w http.ResponseWriter, r *http.Request) {
		recorder.mark(mark.HookBegan, time.Now(), mark.Detail{})
		if run.HookHang {
			<-r.Context().Done()
			return
		}
		if sleep(r.Context(), run.HookSleep) {
			recorder.mark(mark.HookEnded, time.Now(), mark.Detail{})
			_, _ = fmt.Fprintln(w, "done")
		}
	})
	server := &http.Server{Handler: mux, ReadHeaderTimeout: 10 * time.Second}
	// One connection, one request: a connection kept alive would show the victim's death to the prober before the next probe does.
	server.SetKeepAlivesEnabled(false)
	if err := server.Serve(listener); err != nil {
		return fmt.Errorf("serving HTTP probes: %w", err)
	}
	return nil
}

// answerHTTP answers a probe; elsewhere is where a redirect to this host leads.
func answerHTTP(w http.ResponseWriter, r *http.Request, answer victim.Answer, elsewhere string) {
	switch answer {
	case victim.Fail:
		w.WriteHeader(http.StatusInternalServerError)
	case victim.Error:
		w.Header().Set("Content-Length", "1")
		w.WriteHeader(http.StatusOK)
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
	case victim.Redirect, victim.RedirectToFailure:
		http.Redirect(w, r, elsewhere, http.StatusFound)
	case victim.RedirectAway:
		http.Redirect(w, r, victim.ElsewhereURL, http.StatusFound)
	}
	// The other answers are the empty 200 that net/http sends when nothing is said.
}
