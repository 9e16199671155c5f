package rounds

import (
	"context"
	"fmt"
	"time"

	"github.com/podclock/podclock/harness/run"
)

// Round is one played round.
type Round struct {
	// Number counts from 1.
	Number  int
	Started time.Time
	// Run has no ID if the session could not begin.
	Run run.Run
	// Err is why not every trial was judged, or what went wrong afterwards.
	Err error
}

// mostFailed is how many rounds in a row may fail before a trial runs.
const mostFailed = 2

// Repeat plays n rounds. take gets every round that was not interrupted, and returns why no trial ran in
// it, empty if one did. After such a round the cluster is deleted, so that the next round does not use it;
// after two in a row Repeat ends. ended is why it played fewer than n rounds.
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
