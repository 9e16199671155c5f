package play

import (
	"fmt"
	"net/http"
	"strconv"
	"time"

	"github.com/podclock/podclock/harness/mark"
	"github.com/podclock/podclock/harness/victim"
)

// followedPattern is where a redirect to the same host leads. The path names the redirected probe.
const followedPattern = "/followed/{probe}/{index}/{answer}"

func followedPath(probe string, index int, answer victim.Answer) string {
	return fmt.Sprintf("/followed/%s/%d/%s", probe, index, answer)
}

// followed answers a prober that followed a redirect: with a failure after a redirect to failure.
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
