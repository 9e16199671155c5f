// Package watch shows a cluster to an observer. It only reads: pods, events, EndpointSlices, nodes, and the log of the
// node part.
package watch

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/podclock/podclock/harness/observe"
	"github.com/podclock/podclock/harness/predict/live"
	"github.com/podclock/podclock/harness/predict/next"
	"github.com/podclock/podclock/harness/rules/formula"
)

// Options are what to observe, and for how long.
type Options struct {
	Access live.Access
	// Names are the workloads. Without one, all pods of the namespace are observed.
	Names []live.Name
	// Everywhere means the pods of all namespaces.
	Everywhere bool
	// Kubelet returns the kubelet of a version and a configuration, which may be nil.
	Kubelet next.KubeletOf
	// For ends the observation; 0 is never.
	For time.Duration
	// UntilRollout ends it after a rollout of the names, once the old pods are gone.
	UntilRollout bool
	// Fact takes each fact as soon as nothing can change it, Note what people should know of the observation itself.
	Fact func(observe.Fact)
	Note func(string)
}

// observation is an observation under way.
type observation struct {
	Options
	server    *live.Server
	streams   client
	namespace string
	observer  *observe.Observer
	seen      chan seen
	kubelets  map[string]formula.Kubelet
}

// unread is how many changes may wait for the observer.
const unread = 1 << 14

// ticks is how often facts are looked for that are due.
const ticks = 100 * time.Millisecond

// Run observes until ctx ends, or until the end of the options.
func Run(ctx context.Context, o Options) error {
	if o.For > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, o.For)
		defer cancel()
	}
	w := &observation{Options: o, seen: make(chan seen, unread), kubelets: map[string]formula.Kubelet{}}
	var err error
	if w.server, err = o.Access.Connect(); err != nil {
		return err
	}
	if w.streams, err = w.server.Streaming(); err != nil {
		return err
	}
	if !w.Everywhere {
		w.namespace = w.server.Namespace()
	}
	if err := w.named(ctx); err != nil {
		return err
	}
	w.observer = observe.New(func(p *corev1.Pod) bool { return selects(o.Names, p) }, w.kubelet)
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	if err := w.begin(ctx); err != nil {
		return err
	}
	w.Note("observing: what ends from now on is reported")
	go nodes{w.server, w.streams, w.seen, w.now, w.Note}.follow(ctx)
	w.observe(ctx, stop)
	return nil
}

func (w *observation) now() time.Time {
	t, _ := w.server.Now()
	return t
}

// named makes sure that the names exist and have pods.
func (w *observation) named(ctx context.Context) error {
	if len(w.Names) == 0 {
		return nil
	}
	read, err := live.Read(ctx, w.Access, w.Names)
	if err != nil {
		return err
	}
	for _, one := range read.Workloads {
		if len(one.Pods) == 0 {
			w.Note(fmt.Sprintf("%s %s has no pods yet: the observation waits for them; `kubectl describe` says why "+
				"there are none", one.Kind, one.Name))
		}
	}
	return nil
}

// begin lists what is watched, and begins to watch it. Without its pods there is no observation.
func (w *observation) begin(ctx context.Context) error {
	for i, r := range watchables(w.server, w.streams, w.namespace) {
		f := follower{r, w.server, w.namespace, w.seen, w.Note}
		version, err := f.begin(ctx)
		switch {
		case err != nil && i == 0:
			return err
		case err != nil:
			w.Note(fmt.Sprintf("Not read: %s, so %s: %v", r.right, without[r.right], err))
			continue
		}
		go f.follow(ctx, version)
	}
	if _, differs := w.server.Now(); differs != "" {
		w.Note(differs)
	}
	return nil
}

// without is what is not known without a right.
var without = map[string]string{
	"events":                          "kills by probes count as crashes or deletes",
	"endpointslices.discovery.k8s.io": "the time in Services is not known",
}

// observe shows what arrives to the observer, until ctx ends.
func (w *observation) observe(ctx context.Context, stop func()) {
	tick := time.NewTicker(ticks)
	defer tick.Stop()
	r := rollout{server: w.server, names: w.Names}
	for {
		select {
		case s := <-w.seen:
			w.emit(s(w.observer))
			continue
		case <-tick.C:
		case <-ctx.Done():
			w.last()
			return
		}
		if len(w.seen) > 0 {
			continue
		}
		w.emit(w.observer.Due(w.now()))
		if w.UntilRollout && r.over(ctx) && w.observer.Quiet() {
			stop()
		}
	}
}

// last takes what has arrived, and reports what waits.
func (w *observation) last() {
	for {
		select {
		case s := <-w.seen:
			w.emit(s(w.observer))
		default:
			w.emit(w.observer.Rest())
			return
		}
	}
}

func (w *observation) emit(facts []observe.Fact) {
	for _, f := range facts {
		w.Fact(f)
	}
}

// kubelet returns the kubelet of a node. It asks once.
func (w *observation) kubelet(node string) (formula.Kubelet, error) {
	if k, known := w.kubelets[node]; known {
		return k, nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	n, missing, err := w.server.Node(ctx, node)
	if err == nil && n.Version == "" {
		err = fmt.Errorf("the kubelet of node %s is not known: %s", node, strings.Join(missing, " "))
	}
	if err != nil {
		return formula.Kubelet{}, err
	}
	for _, m := range missing {
		w.Note(m)
	}
	k, err := w.Kubelet(n.Version, n.Configz)
	if err == nil {
		w.kubelets[node] = k
	}
	return k, err
}

// selects reports whether one of the names made a pod, or whether there is no name.
func selects(names []live.Name, p *corev1.Pod) bool {
	return len(names) == 0 || slices.ContainsFunc(names, func(n live.Name) bool {
		name := n.String()
		if name == observe.PodOf(p).Workload || name == "pod/"+p.Name {
			return true
		}
		owner := metav1.GetControllerOf(p)
		if owner == nil {
			return false
		}
		kind, bare, _ := strings.Cut(name, "/")
		// A CronJob's Jobs, and what a custom resource makes, are named after it.
		madeBy := (n.Custom() || kind == "cronjob") && strings.HasPrefix(owner.Name, bare+"-")
		return madeBy || name == strings.ToLower(owner.Kind)+"/"+owner.Name
	})
}
