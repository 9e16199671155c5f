package sensitivity

import (
	"cmp"
	"context"
	"errors"
	"path/filepath"
	"strings"
	"time"

	"github.com/podclock/podclock/harness/kubelet"
	"github.com/podclock/podclock/harness/session"
	"github.com/podclock/podclock/harness/stage"
	"github.com/podclock/podclock/harness/trial"
)

// wavesFolder is the folder of the waves' runs in the folder of a sensitivity run.
const wavesFolder = "waves"

// task is one wave while it is played.
type task struct {
	wave
	// reference is the name of the reference, empty without one. mutants are the other subjects, in the order of the
	// candidates.
	reference string
	mutants   []string
	// kubelets are the paths of the mutants' kubelets by their names. workers is the number of workers of the cluster.
	kubelets map[string]string
	workers  int
}

// result is the result of a wave.
type result struct {
	outcomes []trial.Outcome
	// lost are the subjects that could not be put under test, by name.
	lost map[string]error
	// trouble is why the wave could not play its trials, nil if it could.
	trouble error
	// boot is the time until the cluster had all its kubelets.
	boot time.Duration
}

// defaultCluster is the name of the waves' clusters.
const defaultCluster = "sensitivity"

// settingUp bounds the set-up of a wave. 24 workers take two minutes on two cores; a host without the nodes' image
// takes longer.
const settingUp = 20 * time.Minute

// runWave plays waves. Each is a session with its own cluster, saved below the report's folder.
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

// troubleOf returns why no subject of a session could be judged, such as an API server that went away, nil if there is
// no reason.
func troubleOf(s *session.Session) error {
	if troubles := s.Troubles(); len(troubles) > 0 {
		return errors.New(strings.Join(troubles, "; "))
	}
	return nil
}

// waveConfig returns the configuration of a wave, with the user's cluster flags. No wave keeps its cluster,
// because the next has other subjects.
func (o Options) waveConfig(t task) session.Config {
	return session.Config{
		Subjects: strings.Join(t.subjects(), ","), Lane: kubelet.LaneNode, Profile: session.Full,
		Cluster: cmp.Or(o.Cluster.Cluster, defaultCluster), NodeImage: o.Cluster.NodeImage,
		KindConfig: o.Cluster.KindConfig,
		Out:        filepath.Join(o.Out, wavesFolder), Workers: t.workers, Kubelets: t.kubelets,
	}
}

// subjects returns all subjects of the wave, the reference first.
func (t task) subjects() []string {
	if t.reference == "" {
		return t.mutants
	}
	return append([]string{t.reference}, t.mutants...)
}

// selected returns the trials of all subjects.
func (t task) selected() []stage.Selection {
	var all []stage.Selection
	if t.reference != "" {
		all = selections(t.control, t.reference)
	}
	for i, subject := range t.mutants {
		all = append(all, selections(t.candidates[i].trials, subject)...)
	}
	return all
}
