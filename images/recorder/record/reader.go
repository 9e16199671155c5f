package record

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"github.com/podclock/podclock/harness/measure/mark"
	"github.com/podclock/podclock/harness/measure/victim"
)

// batchRecords bounds an answer to a reader, to about 2 MB.
const batchRecords = 8192

// Reader returns the HTTP handler for the harness (see package mark). It also refuses image pulls of the node's
// runtime.
func (r *Recorder) Reader() http.Handler {
	mux := http.NewServeMux()
	ok := func(w http.ResponseWriter, _ *http.Request) { _, _ = fmt.Fprintln(w, "ok") }
	mux.HandleFunc("GET "+mark.HealthPath, ok)
	mux.HandleFunc("GET "+mark.ReaderPath, r.read)
	mux.HandleFunc("GET "+mark.PullPath, r.refusePull)
	// CRI-O asks for no manifest of a registry that does not answer here.
	mux.HandleFunc("GET /v2/{$}", func(http.ResponseWriter, *http.Request) {})
	return mux
}

// ErrUnread is why a recorder ends that nobody reads.
var ErrUnread = errors.New("nobody reads the recorder any more")

// AwaitUnread returns [ErrUnread] once nobody has asked for records for a while, or nil when the context ends.
func (r *Recorder) AwaitUnread(ctx context.Context, while time.Duration) error {
	for {
		left := while - time.Since(r.clock.start) + time.Duration(r.asked.Load())
		if left <= 0 {
			return ErrUnread
		}
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(left):
		}
	}
}

func (r *Recorder) read(w http.ResponseWriter, request *http.Request) {
	r.asked.Store(int64(time.Since(r.clock.start)))
	query := request.URL.Query()
	after, wait := uint64(0), time.Duration(0)
	var err error
	if text := query.Get("after"); text != "" {
		if after, err = strconv.ParseUint(text, 10, 64); err != nil {
			http.Error(w, fmt.Sprintf("after=%q is no number of a record", text), http.StatusBadRequest)
			return
		}
	}
	if text := query.Get("wait"); text != "" {
		if wait, err = time.ParseDuration(text); err != nil || wait < 0 {
			http.Error(w, fmt.Sprintf("wait=%q is no duration such as 5s", text), http.StatusBadRequest)
			return
		}
	}
	if query.Get("epoch") != r.store.epoch {
		after, wait = 0, 0
	}
	batch := r.batch(request.Context(), after, min(wait, mark.MaxWait))
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(batch)
}

// batch returns the records above a number once one of them is urgent, or after wait.
func (r *Recorder) batch(ctx context.Context, after uint64, wait time.Duration) mark.Batch {
	r.store.confirm(after)
	ctx, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	for {
		ended := ctx.Err() != nil
		// The clock is read first, so the batch contains every record from before that time.
		clock := r.clock.now()
		batch, grown := r.store.above(after, batchRecords)
		batch.Owner = r.options.Owner
		if batch.Clock = clock; grown == nil || ended {
			return batch
		}
		select {
		case <-ctx.Done():
		case <-grown:
		}
	}
}

func (r *Recorder) refusePull(w http.ResponseWriter, request *http.Request) {
	at := r.clock.now()
	r.store.add(mark.Record{At: at, Kind: mark.Pulled, Identity: mark.Identity{
		Pod: request.PathValue("namespace") + "/" + request.PathValue("pod"), Container: request.PathValue("container"),
	}})
	if request.PathValue("tag") == mark.SlowTag {
		select {
		case <-request.Context().Done():
		case <-time.After(victim.SlowPull):
		}
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(http.StatusNotFound)
	_, _ = w.Write([]byte(`{"errors":[{"code":"MANIFEST_UNKNOWN","message":"the recorder has no image"}]}`))
}
