package disturbance

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/podclock/podclock/harness/cluster"
	"github.com/podclock/podclock/reports"
	"github.com/podclock/podclock/suites/session"
)

const (
	// settingUp is how long a row may take until its trials run, ending how long it may take to clean up.
	settingUp = 90 * time.Minute
	ending    = 5 * time.Minute
)

// Series are the rows of one configuration.
type Series struct {
	config Config
	log    io.Writer
	dir    string
	// booted says that the cluster is the series' own: no earlier run had kept it.
	booted bool
	// row plays one, down deletes the cluster.
	row  func(ctx context.Context, d Disturbance) reports.Disturbed
	down func(ctx context.Context) error
}

// New makes the series' folder, below which every row has its run's.
func New(c Config, log io.Writer) (*Series, error) {
	dir, err := reports.DisturbanceFolder(c.session.Out, time.Now())
	if err != nil {
		return nil, err
	}
	c.session.Out = dir
	s := &Series{config: c, log: log, dir: dir}
	s.row, s.down = s.play, s.deleteCluster
	return s, nil
}

// Dir is the series' folder.
func (s *Series) Dir() string { return s.dir }

// Run plays one row after another and writes the report anew after each. Between the rows the cluster stands; at the end it is deleted, unless it was there before
// or is to be kept. What it returns beside the table is what went wrong around the rows; an interrupt the table tells.
func (s *Series) Run(ctx context.Context) (reports.Disturbances, error) {
	var table reports.Disturbances
	for _, d := range s.config.disturbances {
		table.Asked = append(table.Asked, d.Name)
	}
	for _, d := range s.config.disturbances {
		var row reports.Disturbed
		if ctx.Err() == nil {
			row = s.row(ctx, d)
		}
		if ctx.Err() != nil {
			table.End("interrupted under the disturbance " + d.Name)
			break
		}
		table.Add(row)
		_, _ = fmt.Fprintf(s.log, "%s\n", row)
		if err := reports.WriteDisturbances(s.dir, table); err != nil {
			return table, errors.Join(err, s.end(ctx))
		}
	}
	return table, errors.Join(reports.WriteDisturbances(s.dir, table), s.end(ctx))
}

// play runs one session under one disturbance.
func (s *Series) play(ctx context.Context, d Disturbance) reports.Disturbed {
	row := reports.Disturbed{Name: d.Name, Says: d.Says, Control: d.Name == None}
	life, end := context.WithCancelCause(context.WithoutCancel(ctx))
	defer end(errors.New("the row is over"))
	one, err := session.New(s.config.session, s.config.selected, s.log)
	if err != nil {
		row.Problem = err.Error()
		return row
	}
	disturber := &disturber{Disturbance: d}
	err = s.judgeAll(ctx, life, one, disturber)
	finishing, cancel := context.WithTimeout(context.WithoutCancel(ctx), ending)
	defer cancel()
	run, finished := one.Finish(finishing)
	s.booted = s.booted || one.Booted()
	row.Run, row.Applied = run, disturber.times()
	if err = errors.Join(err, finished); err != nil {
		row.Problem = err.Error()
	} else {
		row.Problem = disturber.failed()
	}
	return row
}

// judgeAll waits, while the nodes are disturbed, until every trial has its outcome.
func (s *Series) judgeAll(ctx, life context.Context, one *session.Session, d *disturber) error {
	bounded, cancel := context.WithTimeoutCause(ctx, settingUp, fmt.Errorf("the set-up took longer than %v", settingUp))
	defer cancel()
	if err := one.SetUp(bounded, life); err != nil {
		return err
	}
	nodes := one.Cluster()
	d.run, d.nodes = nodes.Run, nodes.WorkerNames()
	if d.controlPlane {
		d.nodes = []string{nodes.ControlPlane}
	}
	return d.during(ctx, func(ctx context.Context) error {
		for _, selection := range s.config.selected {
			if _, err := one.Await(ctx, selection.Trial.ID, selection.Subject); err != nil {
				one.Problem(err.Error())
				return err
			}
		}
		return nil
	})
}

// end deletes the cluster if it is the series' own and not to be kept.
func (s *Series) end(ctx context.Context) error {
	if !s.booted || s.config.keep {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), ending)
	defer cancel()
	return s.down(ctx)
}

func (s *Series) deleteCluster(ctx context.Context) error {
	return cluster.Down(ctx, cluster.Options{Name: s.config.session.Cluster, Log: s.log})
}
