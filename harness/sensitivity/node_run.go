package sensitivity

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/podclock/podclock/harness/kubelet"
	"github.com/podclock/podclock/harness/kubelet/mutation"
	"github.com/podclock/podclock/harness/session"
	"github.com/podclock/podclock/harness/stage"
)

// defaultCluster is the name of the waves' clusters.
const defaultCluster = "sensitivity"

// settingUp bounds the way to a wave's trials: two dozen workers take two minutes on two cores, a host that
// has no nodes' image yet some more.
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

// troubleOf is what kept a whole session from being judged, such as an API server that went away, nil where
// nothing did.
func troubleOf(s *session.Session) error {
	if troubles := s.Troubles(); len(troubles) > 0 {
		return errors.New(strings.Join(troubles, "; "))
	}
	return nil
}

// waveConfig returns the configuration of a wave, with the user's cluster flags. No wave keeps its cluster, because the next
// has other subjects.
func (o Options) waveConfig(t task) session.Config {
	return session.Config{
		Subjects: strings.Join(t.subjects(), ","), Lane: kubelet.LaneNode, Profile: session.Full,
		Cluster: cmp.Or(o.Cluster.Cluster, defaultCluster), NodeImage: o.Cluster.NodeImage, KindConfig: o.Cluster.KindConfig,
		Out: filepath.Join(o.Out, wavesFolder), Workers: t.workers, Kubelets: t.kubelets,
	}
}

// subjects are all subjects of the wave, its control first.
func (t task) subjects() []string {
	if t.reference == "" {
		return t.mutants
	}
	return append([]string{t.reference}, t.mutants...)
}

// selected are the trials of all subjects.
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

// describe says what a wave is and how long it will take.
func (w wave) describe() string {
	beside := "beside a reference"
	if len(w.control) == 0 {
		beside = "alone"
	}
	return fmt.Sprintf(
		"%s %s, %s, %s, the longest %v: some %v until its verdicts, and longer where one waits for what a mutant never does",
		count(len(w.candidates), "mutant"),
		beside,
		count(w.workers(), "worker"),
		count(w.trials(), "trial"),
		w.lasts(),
		w.expected().Round(time.Minute/2),
	)
}

// What a wave takes beside its longest trial, measured on two cores with 2 and with 24 workers.
const (
	// buildOne is the build of a mutant, of which little is compiled anew. A mutated component of the
	// control plane takes putComponent until all of that is Ready.
	buildOne, putComponent = 5500 * time.Millisecond, 75 * time.Second
	// bootBase and bootPerWorker are how long a cluster takes until its kubelets are there.
	bootBase, bootPerWorker = 15 * time.Second, 3200 * time.Millisecond
	// startEvery is the time between the starts of two trials, as the lab has it on two cores.
	// againPerWorker is how much longer it takes as some trials run again, and some wait for what a mutant
	// never does.
	startEvery, againPerWorker = 1200 * time.Millisecond, 6 * time.Second
)

// expected is how long a wave should take.
func (w wave) expected() time.Duration {
	total := bootBase + time.Duration(w.workers())*(bootPerWorker+againPerWorker) + time.Duration(
		w.trials(),
	)*startEvery + w.lasts()
	for _, c := range w.candidates {
		total += buildOne
		if c.mutation.Component != mutation.Kubelet {
			total += putComponent
		}
	}
	return total
}

// describePlan says what is ahead.
func describePlan(waves []wave, r room) string {
	all, own := 0, 0
	for _, w := range waves {
		all += len(w.candidates)
		if len(w.control) == 0 {
			own++
		}
	}
	beside := ""
	if own > 0 {
		beside = fmt.Sprintf(" and %s of a mutated control plane", count(own, "run"))
	}
	return fmt.Sprintf("%s in %s of at most %s%s, some %v", count(all, "mutant"), count(len(waves)-own, "wave"),
		count(r.workers, "worker"), beside, expected(waves).Round(time.Minute))
}

// count counts in words.
func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
