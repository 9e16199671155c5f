package repeat

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/podclock/podclock/harness/session"
	"github.com/podclock/podclock/reports/folder"
	"github.com/podclock/podclock/reports/repeats"
)

// Series are the rounds of one configuration.
type Series struct {
	config  Config
	log     io.Writer
	dir     string
	repeats *repeats.Repeats
	rounds  *session.Rounds
}

// New makes the series' folder, below which every round has its own. Below is the share of inconclusive
// verdicts that the rounds must stay below.
func New(c Config, below float64, log io.Writer) (*Series, error) {
	dir, err := repeats.RepeatFolder(c.session.Out, time.Now())
	if err != nil {
		return nil, err
	}
	s := &Series{config: c, log: log, dir: dir, repeats: repeats.NewRepeats(c.Rounds, below)}
	c.session.Out = dir
	s.rounds = session.NewRounds(c.session, c.selected, log)
	return s, nil
}

// Dir is the series' folder.
func (s *Series) Dir() string { return s.dir }

// Run plays the rounds and writes the report anew after each, so that a series that is interrupted keeps
// what it has. Between the rounds the cluster stands; at the end it is deleted, unless it was there before
// or is to be kept. What it returns beside the report is what went wrong around the rounds.
func (s *Series) Run(ctx context.Context) (repeats.Repeat, error) {
	failures := 0
	for n := 1; n <= s.config.Rounds && ctx.Err() == nil; n++ {
		round, err := s.next(ctx)
		if ctx.Err() != nil {
			s.repeats.End(fmt.Sprintf("interrupted in round %d of %d, which is not counted", n, s.config.Rounds))
			break
		}
		s.tell(n, round, err)
		if err := s.write(); err != nil {
			return s.repeats.Report(), errors.Join(err, s.rounds.End(ctx))
		}
		if round.Failed == "" {
			failures = 0
			continue
		}
		if failures++; failures == repeats.MostTroubled {
			s.repeats.End(
				fmt.Sprintf("%d rounds in a row failed before a trial ran, the last one, %d of %d, as %s", failures, n,
					s.config.Rounds, round.Failed),
			)
			break
		}
		if err := s.rounds.End(ctx); err != nil { // the next round must not adopt a cluster that was good for nothing
			_, _ = fmt.Fprintln(s.log, err)
		}
	}
	s.tellInterrupt(ctx)
	return s.repeats.Report(), errors.Join(s.write(), s.rounds.End(ctx))
}

// tellInterrupt says that there will be no more rounds where an interrupt came between two.
func (s *Series) tellInterrupt(ctx context.Context) {
	report := s.repeats.Report()
	if n := len(report.Rounds); ctx.Err() != nil && report.Ended == "" && n < s.config.Rounds {
		s.repeats.End(fmt.Sprintf("interrupted after round %d of %d", n, s.config.Rounds))
	}
}

// next plays one round and takes it in, unless it is interrupted: what it could not judge then says nothing
// of a kubelet.
func (s *Series) next(ctx context.Context) (repeats.Round, error) {
	started := time.Now()
	run, err := s.rounds.Next(ctx, nil)
	switch {
	case ctx.Err() != nil:
		return repeats.Round{}, err
	case run.ID == "":
		return s.repeats.AddFailed(started.UTC().Format(time.RFC3339), started, err), err
	}
	return s.repeats.Add(run), err
}

// tell says in two lines how a round went, and what there is so far.
func (s *Series) tell(n int, round repeats.Round, err error) {
	_, _ = fmt.Fprintf(s.log, "round %d of %d, %s\n", n, s.config.Rounds, round)
	if err != nil && round.Failed == "" {
		_, _ = fmt.Fprintf(s.log, "round %d: %v\n", n, err)
	}
	_, _ = fmt.Fprintf(s.log, "so far: %s\n", s.repeats.Report().Title())
}

func (s *Series) write() error { return folder.WriteRepeat(s.dir, s.repeats.Report()) }
