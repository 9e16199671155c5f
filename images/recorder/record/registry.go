package record

import (
	"net/http"

	"github.com/podclock/podclock/harness/mark"
)

// refusePull answers like a registry without the image, and records the request.
func (r *Recorder) refusePull(w http.ResponseWriter, request *http.Request) {
	at := r.clock.now()
	r.store.add(mark.Record{At: at, Kind: mark.Pulled, Identity: mark.Identity{
		Pod: request.PathValue("namespace") + "/" + request.PathValue("pod"), Container: request.PathValue("container"),
	}})
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(http.StatusNotFound)
	_, _ = w.Write([]byte(`{"errors":[{"code":"MANIFEST_UNKNOWN","message":"the recorder has no image"}]}`))
}
