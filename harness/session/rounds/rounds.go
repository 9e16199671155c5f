// Package rounds plays sessions of one selection one after another in one cluster: again and again, or under one
// disturbance after another. It must not know how rounds are reported.
package rounds

import (
	"context"
	"errors"
	"io"

	"github.com/podclock/podclock/harness/measure/run"
	"github.com/podclock/podclock/harness/measure/runner"
	"github.com/podclock/podclock/harness/node/cluster"
	"github.com/podclock/podclock/harness/session"
)

// Rounds are sessions of one selection. End deletes their cluster, unless an earlier run or the user keeps it.
type Rounds struct {
	// Play plays one session and reports whether it booted the cluster. Tests replace Play and Down.
	Play func(ctx context.Context, during session.During) (r run.Run, booted bool, err error)
	Down func(ctx context.Context) error

	log          io.Writer
	keep, booted bool
}

// Series is what every round plays. Its configuration is resolved; its Out has the rounds.
type Series struct {
	Config   session.Config
	Selected []runner.Selection
}

// New prepares rounds and plays none. Their cluster lives from one round to the next. The configuration's Keep only
// says whether End leaves it.
func New(all Series, p session.Program) *Rounds {
	c := forRounds(all.Config)
	r := &Rounds{log: p.Log, keep: all.Config.Keep}
	r.Play = func(ctx context.Context, during session.During) (run.Run, bool, error) {
		s, err := session.New(c, all.Selected, p)
		c.Seed++ // the same seed would measure the same
		if err != nil {
			return run.Run{}, false, err
		}
		played, interrupted, err := s.Play(ctx, session.SettingUp, during)
		return played, s.Booted(), errors.Join(interrupted, err)
	}
	r.Down = func(ctx context.Context) error {
		return cluster.NewProvider(cluster.Options{Name: c.Cluster, Log: p.Log}).Destroy(ctx)
	}
	return r
}

func forRounds(c session.Config) session.Config {
	c.Keep = false
	for _, s := range c.AllSubjects() {
		c.Keep = c.Keep || s.Lane() == run.NodeLane
	}
	return c
}

// Next plays one more round. during may be nil. The error is why not every trial was judged, or what went wrong
// afterwards. The run has no ID if its session could not begin.
func (r *Rounds) Next(ctx context.Context, during session.During) (run.Run, error) {
	played, booted, err := r.Play(ctx, during)
	r.booted = r.booted || booted
	return played, err
}

// End deletes a cluster that a round booted, also after an interrupt. A failed End can be repeated.
func (r *Rounds) End(ctx context.Context) error {
	if !r.booted || r.keep {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), session.Ending)
	defer cancel()
	if err := r.Down(ctx); err != nil {
		return err
	}
	r.booted = false
	return nil
}
