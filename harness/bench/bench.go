package bench

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/podclock/podclock/harness/host/kubeconfig"
	"github.com/podclock/podclock/harness/kubelets"
	"github.com/podclock/podclock/harness/measure/mark"
	"github.com/podclock/podclock/harness/measure/runner"
	"github.com/podclock/podclock/harness/measure/trial"
	"github.com/podclock/podclock/harness/node/lab"
	"github.com/podclock/podclock/harness/rules/formula"
	"github.com/podclock/podclock/harness/session"
)

// Step is what a benchmark does now.
type Step struct {
	// Row is the number of the row, from 1.
	Row                    int
	Subject, Configuration string
	Doing                  string
	// Left is how long the rest may take, without the cluster's boot.
	Left time.Duration
}

// Bench measures a plan on the workers of a cluster, one row after another: subjects and configurations share the
// host's cores and one API server, so at the same time each would measure the others' load.
type Bench struct {
	Plan     Plan
	Subjects []kubelets.Subject
	Report   Report
	// Tell gets each step. Take gets the report after each row.
	Tell func(Step)
	Take func(Report) error

	pace pace
}

// New returns a benchmark of subjects.
func New(p Plan, subjects []kubelets.Subject) *Bench {
	b := &Bench{Plan: p, Subjects: subjects, pace: pace{slower: 1}, Report: Report{
		Schema: Schema, Kind: p.Kind, Started: time.Now(), Asked: p.rows(len(subjects)),
		Environment: session.Environment(nil),
	}}
	if p.Kind == Probes {
		b.Report.Handler = string(p.Handler)
	}
	return b
}

// Run measures all rows. A row that fails has a problem, and the next one follows. The error is that of Take.
func (b *Bench) Run(ctx context.Context, w session.Workers) error {
	b.Report.Environment = w.Environment
	if version, err := kubeconfig.Version(ctx, w.Cluster.API); err == nil {
		b.Report.ControlPlane = version
	}
	for _, s := range b.Subjects {
		if ctx.Err() != nil {
			break
		}
		if err := b.subject(ctx, w, s); err != nil {
			return err
		}
	}
	if ctx.Err() != nil {
		b.Report.Ended = fmt.Sprintf("interrupted after %d of %d rows", len(b.Report.Rows), b.Report.Asked)
		return b.Take(b.Report)
	}
	return nil
}

// subject measures a subject in all configurations. The error is that of Take.
func (b *Bench) subject(ctx context.Context, w session.Workers, s kubelets.Subject) error {
	name := s.String()
	i := slices.IndexFunc(w.Subjects, func(p lab.Placement) bool { return p.Name == name })
	broken := w.Lost[name]
	var n *node
	var idle Load
	if i >= 0 {
		n, broken = open(ctx, w, w.Subjects[i])
	}
	if n != nil {
		defer n.stop()
		b.tell(name, Unchanged, "measuring the idle node")
		var m measured
		m, broken = n.measure(ctx, min(b.Plan.For, idleFor))
		if ctx.Err() != nil {
			return nil
		}
		idle = m.load
	}
	for _, c := range b.Plan.configurations() {
		var rows []Row
		for _, pods := range b.Plan.Pods {
			row := Row{Subject: name, Configuration: c.name, Pods: pods, Lacks: c.lacks(s.Version)}
			if row.Lacks == "" {
				row.Idle = idle
			}
			rows = append(rows, row)
		}
		problem := broken
		if rows[0].Lacks == "" && broken == nil {
			rows, problem, broken = b.measure(ctx, n, c, rows)
			if ctx.Err() != nil {
				return nil
			}
		}
		for _, r := range rows {
			if r.Lacks == "" {
				r.Problem = problem.Error()
			}
			if err := b.add(r); err != nil {
				return err
			}
		}
	}
	return nil
}

func (b *Bench) tell(subject, configuration, format string, args ...any) {
	b.Tell(Step{
		Row: len(b.Report.Rows) + 1, Subject: subject, Configuration: configuration,
		Doing: fmt.Sprintf(format, args...), Left: b.pace.left(b.Plan, len(b.Report.Rows), b.Report.Asked),
	})
}

func (b *Bench) add(r Row) error {
	b.Report.Rows = append(b.Report.Rows, r)
	return b.Take(b.Report)
}

// idleFor is how long an idle node is measured at most.
const idleFor = 30 * time.Second

// measure measures a configuration with each number of pods. It adds the rows and returns those that it could not
// measure, with the problem. The node is restored unless it is broken.
func (b *Bench) measure(ctx context.Context, n *node, c configuration, rows []Row) (left []Row, problem, broken error) {
	tell := func(format string, args ...any) { b.tell(n.subject.Name, c.name, format, args...) }
	k := n.subject.Kubelet
	if c.kubelet != nil {
		tell("configuring the kubelet")
		tuned, restore, err := n.Tune(ctx, n.subject.Node, trial.Worker{Name: c.name, KubeletConfig: c.kubelet})
		if errors.Is(err, runner.ErrNotRestored) {
			broken = err
		}
		if err != nil {
			return rows, err, broken
		}
		k = tuned
		defer func() {
			if ctx.Err() == nil { // else the cluster goes, or its next run restores the node
				broken = errors.Join(broken, restore(ctx))
			}
		}()
	}
	var uids []string
	defer func() {
		if ctx.Err() == nil { // else they go with their namespace
			tell("deleting the pods")
			broken = errors.Join(n.clear(ctx, len(uids)), broken)
		}
	}()
	for len(rows) > 0 {
		row, began := rows[0], time.Now()
		if b.Plan.Kind == Restarts && len(uids) > 0 { // containers that crashed before wait longer
			tell("deleting the pods")
			if err := n.clear(ctx, len(uids)); err != nil {
				return rows, err, err
			}
			uids = nil
		}
		tell("starting %d pods", row.Pods)
		var err error
		if uids, err = n.add(ctx, b.Plan, uids, row.Pods); err != nil {
			return rows, err, nil
		}
		row.Starting = time.Since(began)
		tell("measuring %d pods for %v", row.Pods, b.Plan.For)
		m, err := n.measure(ctx, b.Plan.For)
		if err != nil {
			return rows, err, nil
		}
		n.fill(&row, b.Plan, m, uids, k)
		b.pace.took(row.Pods, time.Since(began)-b.Plan.For)
		if err := b.add(row); err != nil {
			return rows, err, nil
		}
		rows = rows[1:]
	}
	return nil, nil, nil
}

// fill adds to a row what was measured of its pods.
func (n *node) fill(row *Row, p Plan, m measured, uids []string, k formula.Kubelet) {
	n.mu.Lock()
	defer n.mu.Unlock()
	row.Load, row.Unanswered = m.load, map[string]time.Duration{}
	for _, l := range n.lost {
		// Any earlier life decides how long a container waits, but an earlier probe decides nothing.
		if p.Kind == Restarts || l.Before >= m.from && l.After <= m.to {
			row.Losses = append(row.Losses, l.String())
		}
	}
	for _, r := range n.own {
		if r.At < m.from || r.At > m.to {
			continue
		}
		row.RecorderLate = max(row.RecorderLate, time.Duration(r.Detail.LateNS))
		if a := r.Detail.NoAnswer; a != nil {
			row.Unanswered[a.Of] = max(row.Unanswered[a.Of], time.Duration(a.NS))
		}
	}
	base := m.from
	for _, uid := range uids {
		for _, r := range n.marks[uid] {
			base = min(base, r.At-1)
		}
	}
	from, to := time.Duration(m.from-base), time.Duration(m.to-base)
	if p.Kind == Restarts {
		var pods [][]formula.Life
		for _, uid := range uids {
			pods = append(pods, livesOf(n.marks[uid], base))
		}
		result := restartsOf(pods, k, from, to)
		row.Restarts = &result
		return
	}
	var pods [][]time.Duration
	for _, uid := range uids {
		var probes []time.Duration
		for _, r := range n.marks[uid] {
			if r.Kind == mark.Probed {
				probes = append(probes, time.Duration(r.At-base))
			}
		}
		pods = append(pods, probes)
	}
	result := probesOf(pods, string(p.Handler), from, to)
	result.Unsuccessful = m.unsuccessful
	row.Probes = &result
}

// pace estimates how long the rest takes. slower is how many times as long as usual pods take to start here.
type pace struct{ slower float64 }

// What a row takes beside its measurement on two idle cores: the rest of it, and the start and the end of each pod.
const (
	usualRow = 30 * time.Second
	usualPod = time.Second
)

func (p *pace) took(pods int, beside time.Duration) {
	p.slower = max(1, float64(beside)/float64(time.Duration(pods)*usualPod))
}

func (p *pace) left(plan Plan, done, asked int) (left time.Duration) {
	for i := done; i < asked; i++ {
		pods := plan.Pods[i%len(plan.Pods)]
		left += plan.For + usualRow + time.Duration(p.slower*float64(pods)*float64(usualPod))
	}
	return left
}
