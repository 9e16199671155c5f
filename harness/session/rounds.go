package session

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/podclock/podclock/harness/cluster"
	"github.com/podclock/podclock/harness/kubelet"
	"github.com/podclock/podclock/harness/run"
	"github.com/podclock/podclock/harness/stage"
)

const (
	// settingUp is how long a round may take until its trials run, ending how long any run may take to clean up.
	settingUp = 90 * time.Minute
	ending    = 5 * time.Minute
)

// During does something to a session's nodes while its trials are awaited, which await does.
type During func(ctx context.Context, s *Session, await func(context.Context) error) error

// Rounds are sessions of one selection, one after another. Between them their cluster stands; End deletes
// it, unless it was there before or is to be kept.
type Rounds struct {
	// Play plays a session and says whether it booted the cluster, Down deletes the cluster. A test has others.
	Play func(ctx context.Context, during During) (run run.Run, booted bool, err error)
	Down func(ctx context.Context) error

	config   Config
	selected []stage.Selection
	log      io.Writer
	// keep says that the user wants the cluster to be left, booted that it is the rounds' own: no earlier
	// run had kept it.
	keep, booted bool
}

// NewRounds prepares rounds that are saved below the configuration's Out. Its Keep is that of the cluster
// after the last of them.
func NewRounds(c Config, selected []stage.Selection, log io.Writer) *Rounds {
	r := &Rounds{config: c, selected: selected, log: log, keep: c.Keep}
	r.config.Keep = len(c.in(kubelet.LaneNode)) > 0 // for the next round
	r.Play, r.Down = r.play, r.deleteCluster
	return r
}

// Next plays one session until every trial has its outcome.
func (r *Rounds) Next(ctx context.Context, during During) (run.Run, error) {
	run, booted, err := r.Play(ctx, during)
	r.booted = r.booted || booted
	return run, err
}

// End deletes the cluster if it is the rounds' own and not to be kept. It works after an interrupt, too.
// One that could not be deleted stays the rounds' own: the next round may find it, and the next End tries
// again.
func (r *Rounds) End(ctx context.Context) error {
	if !r.booted || r.keep {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), ending)
	defer cancel()
	if err := r.Down(ctx); err != nil {
		return err
	}
	r.booted = false
	return nil
}

func (r *Rounds) deleteCluster(ctx context.Context) error {
	return cluster.Down(ctx, cluster.Options{Name: r.config.Cluster, Log: r.log})
}

// play runs one session.
func (r *Rounds) play(ctx context.Context, during During) (run.Run, bool, error) {
	s, err := New(r.config, r.selected, r.log)
	if err != nil {
		return run.Run{}, false, err
	}
	run, err := s.Play(ctx, settingUp, during)
	return run, s.Booted(), err
}

// Play goes from a bare host to the run's end: its set-up, which must be over within a time, then until
// every trial has its outcome, then what Finish does, after an interrupt, too. During may be nil.
func (s *Session) Play(ctx context.Context, within time.Duration, during During) (run.Run, error) {
	life, end := context.WithCancelCause(context.WithoutCancel(ctx))
	defer end(errors.New("the run is over"))
	err := s.judgeAll(ctx, life, within, during)
	finishing, cancel := context.WithTimeout(context.WithoutCancel(ctx), ending)
	defer cancel()
	run, finished := s.Finish(finishing)
	return run, errors.Join(err, finished)
}

// judgeAll waits until every trial has its outcome.
func (s *Session) judgeAll(ctx, life context.Context, within time.Duration, during During) error {
	bounded, cancel := context.WithTimeoutCause(ctx, within, fmt.Errorf("the set-up took longer than %v", within))
	defer cancel()
	if err := s.SetUp(bounded, life); err != nil {
		return err
	}
	await := func(ctx context.Context) error {
		for _, selection := range s.selected {
			if _, err := s.Await(ctx, selection.Trial.ID, selection.Subject); err != nil {
				s.Problem(err.Error())
				return err
			}
		}
		return nil
	}
	if during == nil {
		return await(ctx)
	}
	return during(ctx, s, await)
}
