package play

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"strconv"
	"time"

	"github.com/podclock/podclock/harness/measure/mark"
	"github.com/podclock/podclock/harness/measure/victim"
)

// ServeHTTP answers HTTP probes and the HTTP hook. It ends as [ServeGRPC] does.
func ServeHTTP(ctx context.Context, listener net.Listener, run victim.Run, recorder Recorder, probes *Probes) error {
	// A request's context ends with its connection, so a handler that gives up cannot answer any more.
	server := &http.Server{Handler: handler(run, recorder, probes), ReadHeaderTimeout: 10 * time.Second}
	// A kept-alive connection would show the victim's death to the prober before the next probe.
	server.SetKeepAlivesEnabled(false)
	defer context.AfterFunc(ctx, func() { _ = server.Close() })()
	if err := server.Serve(listener); ctx.Err() == nil {
		return fmt.Errorf("serving HTTP probes: %w", err)
	}
	return nil
}

func handler(run victim.Run, recorder Recorder, probes *Probes) http.Handler {
	mux := http.NewServeMux()
	for _, probe := range []string{victim.Liveness, victim.Readiness, victim.Startup} {
		mux.HandleFunc("/"+probe, func(w http.ResponseWriter, r *http.Request) {
			answer, index := probes.Arrived(probe, ByHTTP, time.Now())
			defer probes.Done(probe)
			if probes.Wait(r.Context(), answer) {
				answerHTTP(w, r, answer, followedPath(probe, index, answer))
			}
		})
	}
	mux.HandleFunc(followedPattern, followed(recorder))
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
