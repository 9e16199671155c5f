package record

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"github.com/podclock/podclock/harness/mark"
)

// batchRecords bounds one answer to a reader, to about 2 MB; the rest comes with the next.
const batchRecords = 8192

// Reader serves HTTP to the harness, as package mark describes, and refuses the node's container runtime
// the images it asks for.
func (r *Recorder) Reader() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc(
		"GET "+mark.HealthPath,
		func(w http.ResponseWriter, _ *http.Request) { _, _ = fmt.Fprintln(w, "ok") },
	)
	mux.HandleFunc("GET "+mark.ReaderPath, r.read)
	mux.HandleFunc("GET "+mark.PullPath, r.refusePull)
	return mux
}

func (r *Recorder) read(w http.ResponseWriter, request *http.Request) {
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

// batch is what is above a number, as soon as there is something that somebody may wait for, at the latest after wait.
func (r *Recorder) batch(ctx context.Context, after uint64, wait time.Duration) mark.Batch {
	r.store.confirm(after)
	ctx, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	for {
		ended := ctx.Err() != nil
		// The clock is read first: what was recorded before that moment is in the batch, which could not be
		// said of a later one.
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
