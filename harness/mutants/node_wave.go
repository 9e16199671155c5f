package mutants

import (
	"cmp"
	"context"
	"errors"
	"path/filepath"
	"strings"
	"time"

	"github.com/podclock/podclock/harness/kubelets/builder"
	"github.com/podclock/podclock/harness/measure/run"
	"github.com/podclock/podclock/harness/measure/runner"
	"github.com/podclock/podclock/harness/measure/trial"
	"github.com/podclock/podclock/harness/node/cluster"
	"github.com/podclock/podclock/harness/session"
)

const wavesFolder = "waves"

type task struct {
	wave
	// reference is the reference's name, "" without one. mutants are the other subjects in the order of the candidates.
	reference string
	mutants   []string
	built     map[string]builder.Binary
	workers   int
}

type result struct {
	outcomes []trial.Outcome
	lost     map[string]error
	// trouble is why the wave could not play its trials.
	trouble error
	// boot is the time until all kubelets were up.
	boot time.Duration
}

const defaultCluster = "mutants"

// settingUp bounds a wave's set-up. 24 workers take two minutes on two cores, longer without the nodes' image.
const settingUp = 20 * time.Minute

func runWave(o Options) func(context.Context, task) result {
	return func(ctx context.Context, t task) result {
		config, err := o.waveConfig(t).Resolve()
		if err != nil {
			return result{trouble: err}
		}
		s, err := session.New(config, t.selected(), o.Session)
		if err != nil {
			return result{trouble: err}
		}
		played, interrupted, err := s.Play(ctx, settingUp, nil)
		r := result{outcomes: played.Outcomes, lost: s.Lost(), trouble: cmp.Or(interrupted, err, troubleOf(s))}
		if !played.Ready.IsZero() {
			r.boot = played.Ready.Sub(played.Started)
		}
		return r
	}
}

func troubleOf(s *session.Session) error {
	if troubles := s.Troubles(); len(troubles) > 0 {
		return errors.New(strings.Join(troubles, "; "))
	}
	return nil
}

func (o Options) clusterName() string { return cmp.Or(o.Cluster.Cluster, defaultCluster) }

// takingDown bounds the end of the cluster that all waves share.
const takingDown = 2 * time.Minute

// takeDown deletes the cluster of the waves, also after an interrupt.
func takeDown(ctx context.Context, o Options) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), takingDown)
	defer cancel()
	return cluster.NewProvider(cluster.Options{Name: o.clusterName(), Log: o.Log}).Destroy(ctx)
}

// waveConfig has the user's cluster flags. The next wave gets the cluster, unless its control plane is mutated.
func (o Options) waveConfig(t task) session.Config {
	return session.Config{
		Keep: t.reference != "", Pool: t.pool,
		Subjects: strings.Join(t.subjects(), ","), Lane: run.NodeLane, Profile: trial.Full,
		Cluster: o.clusterName(), NodeImage: o.Cluster.NodeImage,
		KindBase:   o.Cluster.KindBase,
		KindConfig: o.Cluster.KindConfig,
		Out:        filepath.Join(o.Out, wavesFolder), Workers: t.workers, Built: t.built,
	}
}

func (t task) subjects() []string {
	if t.reference == "" {
		return t.mutants
	}
	return append([]string{t.reference}, t.mutants...)
}

func (t task) selected() []runner.Selection {
	var all []runner.Selection
	if t.reference != "" {
		all = selections(t.beside, t.reference)
	}
	for i, subject := range t.mutants {
		all = append(all, selections(t.candidates[i].trials, subject)...)
	}
	return all
}
