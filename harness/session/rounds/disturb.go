package rounds

import (
	"cmp"
	"context"
	"strings"

	"github.com/podclock/podclock/harness/host/option"
	"github.com/podclock/podclock/harness/measure/run"
	"github.com/podclock/podclock/harness/measure/trial"
	"github.com/podclock/podclock/harness/session"
)

const disturbedSubjects = "v1.37.2,v1.37.2+resultrun-one,v1.37.2+hook-not-subtracted,v1.37.2+no-minimum-grace"

// disturbedTrials take at most half a minute and have claims of every kind.
var disturbedTrials = []string{
	"probes/grid-http-p2-n2-t2-d0",
	"probes/grid-tcp-p3-n2-t1-d0",
	"probes/grid-exec-p3-n1-t4-d7",
	"probes/streak-survives-crash",
	"probes/readiness-fault-and-recovery",
	"restarts/startup-every-3s",
	"termination/grace-1",
	"termination/grace-2",
	"termination/hook-hangs",
	"termination/force-hook-hangs",
	"termination/exec-hook-3500ms-of-10s",
	"termination/exits-after-2500ms",
	"deletion/eviction",
	"deletion/second-shorter",
}

// Disturbable sets default subjects and trials, resolves a configuration, and requires subjects that can be disturbed
// and a released kubelet.
func Disturbable(c session.Config) (session.Config, error) {
	if c.Subjects == "" {
		c.Subjects = disturbedSubjects
	}
	if c.Focus == "" {
		c.Profile = cmp.Or(c.Profile, trial.Full)
		c.Focus = "(" + strings.Join(disturbedTrials, "|") + ")$"
	}
	c, err := c.Resolve()
	if err != nil {
		return c, err
	}
	released := false
	for _, s := range c.AllSubjects() {
		if s.Lane() != run.NodeLane {
			return c, option.Invalid("subjects", c.Subjects, "%s is virtual, and nothing disturbs a virtual node", s)
		}
		released = released || s.Released()
	}
	if !released {
		return c, option.Invalid("subjects", c.Subjects,
			"none is a released kubelet, whose trials must not deviate under a disturbance")
	}
	return c, nil
}

// Disturbed is one round under a disturbance.
type Disturbed struct {
	// Control is true for [None].
	Name, Description string
	Control           bool
	// Applied counts the disturbances of each node.
	Applied map[string]int
	// Problem is why the round shows nothing, or "".
	Problem string
	Run     run.Run
}

// Disturb plays one round under each disturbance. take gets each that was not interrupted. ended is why there are
// fewer.
func (r *Rounds) Disturb(ctx context.Context, all []Disturbance, take func(Disturbed) error) (ended string, err error) {
	for _, d := range all {
		var row Disturbed
		if ctx.Err() == nil {
			row = r.disturbed(ctx, d)
		}
		if ctx.Err() != nil {
			return "interrupted under the disturbance " + d.Name, nil
		}
		if err := take(row); err != nil {
			return "", err
		}
	}
	return "", nil
}

func (r *Rounds) disturbed(ctx context.Context, d Disturbance) Disturbed {
	disturber := &disturber{Disturbance: d}
	played, err := r.Next(ctx, func(ctx context.Context, s *session.Session, await func(context.Context) error) error {
		if d.Name != None {
			s.Disturb(d.Name)
		}
		nodes := s.Cluster()
		disturber.run, disturber.nodes = nodes.Run, nodes.WorkerNames()
		if d.controlPlane {
			disturber.nodes = []string{nodes.ControlPlane}
		}
		return disturber.during(ctx, await)
	})
	row := Disturbed{
		Name: d.Name, Description: d.Description, Control: d.Name == None,
		Run: played, Applied: disturber.times(), Problem: disturber.failed(),
	}
	if err != nil {
		row.Problem = err.Error()
	}
	return row
}
