package rounds

import (
	"context"
	"fmt"
	"time"

	"github.com/podclock/podclock/harness/measure/run"
)

// Round is what Repeat reports of one session.
type Round struct {
	// Number counts from 1. Run has no ID if the session could not begin.
	Number  int
	Started time.Time
	Run     run.Run
	// Err is why not every trial was judged, or what went wrong afterwards.
	Err error
}

const mostFailed = 2

// Repeat plays n rounds. take gets each that was not interrupted, and returns why no trial ran in it, or "". The
// cluster of such a round is deleted; after two in a row Repeat ends. ended is why there are fewer rounds.
func (r *Rounds) Repeat(
	ctx context.Context, n int, take func(Round) (failed string, err error),
) (ended string, err error) {
	failures := 0
	for number := 1; number <= n; number++ {
		if ctx.Err() != nil {
			return fmt.Sprintf("interrupted after round %d of %d", number-1, n), nil
		}
		round := Round{Number: number, Started: time.Now()}
		round.Run, round.Err = r.Next(ctx, nil)
		if ctx.Err() != nil {
			return fmt.Sprintf("interrupted in round %d of %d, which is not counted", number, n), nil
		}
		failed, err := take(round)
		switch {
		case err != nil:
			return "", err
		case failed == "":
			failures = 0
			continue
		}
		if failures++; failures == mostFailed {
			return fmt.Sprintf("%d rounds in a row failed before a trial ran, the last one, %d of %d, as %s",
				failures, number, n, failed), nil
		}
		if err := r.End(ctx); err != nil {
			_, _ = fmt.Fprintln(r.log, err)
		}
	}
	return "", nil
}
