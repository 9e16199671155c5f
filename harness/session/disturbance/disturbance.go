package disturbance

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/podclock/podclock/harness/session"
	"github.com/podclock/podclock/reports/disturbances"
	"github.com/podclock/podclock/reports/folder"
)

// Series are the rows of one configuration.
type Series struct {
	config Config
	log    io.Writer
	dir    string
	rounds *session.Rounds
}

// New makes the series' folder, below which every row has its run's.
func New(c Config, log io.Writer) (*Series, error) {
	dir, err := disturbances.DisturbanceFolder(c.session.Out, time.Now())
	if err != nil {
		return nil, err
	}
	c.session.Out = dir
	return &Series{config: c, log: log, dir: dir, rounds: session.NewRounds(c.session, c.selected, log)}, nil
}

// Dir is the series' folder.
func (s *Series) Dir() string { return s.dir }

// Run plays one row after another and writes the report anew after each. Between the rows the cluster
// stands; at the end it is deleted, unless it was there before or is to be kept. What it returns beside the
// table is what went wrong around the rows; an interrupt the table tells.
func (s *Series) Run(ctx context.Context) (disturbances.Disturbances, error) {
	var table disturbances.Disturbances
	for _, d := range s.config.disturbances {
		table.Asked = append(table.Asked, d.Name)
	}
	for _, d := range s.config.disturbances {
		var row disturbances.Disturbed
		if ctx.Err() == nil {
			row = s.play(ctx, d)
		}
		if ctx.Err() != nil {
			table.End("interrupted under the disturbance " + d.Name)
			break
		}
		table.Add(row)
		_, _ = fmt.Fprintf(s.log, "%s\n", row)
		if err := folder.WriteDisturbances(s.dir, table); err != nil {
			return table, errors.Join(err, s.rounds.End(ctx))
		}
	}
	return table, errors.Join(folder.WriteDisturbances(s.dir, table), s.rounds.End(ctx))
}

// play runs one session under one disturbance.
func (s *Series) play(ctx context.Context, d Disturbance) disturbances.Disturbed {
	disturber := &disturber{Disturbance: d}
	run, err := s.rounds.Next(
		ctx,
		func(ctx context.Context, one *session.Session, await func(context.Context) error) error {
			nodes := one.Cluster()
			disturber.run, disturber.nodes = nodes.Run, nodes.WorkerNames()
			if d.controlPlane {
				disturber.nodes = []string{nodes.ControlPlane}
			}
			return disturber.during(ctx, await)
		},
	)
	row := disturbances.Disturbed{
		Name:    d.Name,
		Says:    d.Says,
		Control: d.Name == None,
		Run:     run,
		Applied: disturber.times(),
		Problem: disturber.failed(),
	}
	if err != nil {
		row.Problem = err.Error()
	}
	return row
}
