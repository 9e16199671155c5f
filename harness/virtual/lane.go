package virtual

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"maps"
	"net/http"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/podclock/podclock/fixtures"
	"github.com/podclock/podclock/harness/measure/delay"
	"github.com/podclock/podclock/harness/measure/runner"
	"github.com/podclock/podclock/harness/measure/timeline"
	"github.com/podclock/podclock/harness/measure/trial"
	"github.com/podclock/podclock/harness/measure/victim"
	"github.com/podclock/podclock/harness/rules/formula"
	"github.com/podclock/podclock/harness/virtual/wire"
)

const (
	// settle begins a trial after a round of the kubelet's allocation manager, 30 s after the start and then every
	// three minutes. A round takes the mutex of an admission that waits for a preempted pod (allocation_manager.go
	// retryPendingResizes) and stops virtual time. So a preemption must be over 210 s after the kubelet's start.
	settle = 31 * time.Second
	// lookEvery bounds the virtual time between two looks: that nothing came is news.
	lookEvery = 5 * time.Second
	// notice is how long it takes to notice that an object has disappeared.
	notice    = 37 * time.Millisecond
	namespace = "podclock"
)

// images have no content: the container runtime plays the fault program.
var images = runner.Images{
	Fault:           "podclock.dev/fault:virtual",
	FaultOther:      "podclock.dev/fault:other",
	FaultStopSignal: "podclock.dev/fault:stop-signal",
}

// lane is a trial's own virtual node. It implements [runner.Node].
type lane struct {
	trial    trial.Trial
	node     *node
	kubelet  formula.Kubelet
	record   record
	counters *timeline.Counters
	booted   int64
	seed     uint64
	// taints are the node's.
	taints []corev1.Taint
	// patch is what the last fault changed of the kubelet's configuration.
	patch  map[string]any
	broken error
	// entries are all that happened until the trial settled.
	entries []wire.Entry
}

// ask makes a request of the node and records the answer. It also fails if the API server refuses.
func (l *lane) ask(r wire.Request) (wire.Answer, error) {
	if l.broken != nil {
		return wire.Answer{}, l.broken
	}
	a, err := l.node.ask(r)
	if err != nil {
		l.broken = err
		return a, err
	}
	news := l.record.take(a)
	if r.Advance != nil && a.Error == "" && !news && a.To < r.Advance.Until {
		return a, l.fail("let no time pass")
	}
	if a.Kubelet != nil && a.Error == "" {
		if l.kubelet, err = formula.KubeletOf(a.Kubelet.Version, a.Kubelet.Gates, a.Kubelet.Configuration,
			a.Kubelet.Given); err != nil {
			return a, err
		}
		l.kubelet.OwnServer = true
	}
	return a, refusal(a)
}

func (l *lane) fail(what string) error {
	l.broken = l.node.fail(errors.New(what))
	return l.broken
}

func refusal(a wire.Answer) error {
	switch {
	case a.Error == "":
		return nil
	case a.Unsupported:
		return fmt.Errorf("%w: %s", runner.ErrUnsupported, a.Error)
	case a.Status != 0:
		return &apierrors.StatusError{ErrStatus: metav1.Status{
			Status: metav1.StatusFailure, Code: int32(a.Status), Message: a.Error, Reason: a.Reason,
		}}
	}
	return errors.New(a.Error)
}

// boot starts the node and lets its kubelet settle. A kubelet younger than a probe's period starts it at a random time
// (prober/worker.go run).
func (l *lane) boot(ctx context.Context) error {
	if _, err := l.start(); err != nil {
		return err
	}
	young := time.Duration(l.trial.LongestPeriod())*time.Second + time.Second
	err := l.Sleep(ctx, offTick(l.Now().Add(max(settle, young))))
	l.booted = l.node.clock
	return err
}

// start starts the trial's node and returns its kubelet's configuration.
func (l *lane) start() (json.RawMessage, error) {
	start := startOf(l.trial)
	start.KubeletConfig = withGates(start.KubeletConfig, l.node.gates)
	start.Seed = seedOf(l.seed, l.trial.ID)
	a, err := l.ask(wire.Request{Start: &start})
	if err == nil && a.Kubelet == nil {
		err = l.fail("did not say which kubelet it runs")
	}
	if err != nil {
		return nil, err
	}
	return a.Kubelet.Configuration, nil
}

// seedOf returns the seed of a trial's node. Each trial has random numbers, UIDs and orders of maps of its own: with
// the same ones in all trials, what depends on a bit of a UID would happen in all of them or in none.
func seedOf(seed uint64, trial string) uint64 {
	h := fnv.New64a()
	_, _ = fmt.Fprintf(h, "%d %s", seed, trial)
	return h.Sum64()
}

func startOf(t trial.Trial) wire.Start {
	s := wire.Start{
		ContainerStart:  t.ContainerStart,
		PriorityClasses: map[string]int32{},
		Images: map[string]string{
			images.Fault:           "",
			images.FaultOther:      "",
			images.FaultStopSignal: victim.StopSignal,
		},
	}
	for _, class := range fixtures.PriorityClasses() {
		s.PriorityClasses[class.Name] = class.Value
	}
	if w := t.Worker; w != nil {
		s.KubeletConfig = w.KubeletConfig
		s.NodeFSBytes, s.NodeFSInodes = int64(w.NodeFSMiB)<<20, int64(w.NodeFSInodes)
	}
	return s
}

// withGates returns a change of a kubelet's configuration with further feature gates.
func withGates(config map[string]any, gates map[string]bool) map[string]any {
	if len(gates) == 0 {
		return config
	}
	all := map[string]any{}
	if before, ok := config["featureGates"].(map[string]any); ok {
		maps.Copy(all, before)
	}
	for name, on := range gates {
		all[name] = on
	}
	config = maps.Clone(config)
	if config == nil {
		config = map[string]any{}
	}
	config["featureGates"] = all
	return config
}

func (l *lane) Now() time.Time { return time.Unix(0, l.node.clock) }

func (l *lane) Sleep(_ context.Context, until time.Time) error {
	for l.node.clock < until.UnixNano() {
		if err := l.advance(until.UnixNano()); err != nil {
			return err
		}
	}
	return nil
}

func (l *lane) Wait(_ context.Context, until time.Time) error {
	next := min(until.UnixNano(), l.node.clock+int64(lookEvery))
	if next <= l.node.clock {
		return nil
	}
	return l.advance(next)
}

// advance lets time pass until something is recorded.
func (l *lane) advance(until int64) error {
	_, err := l.ask(wire.Request{Advance: &wire.Advance{Until: until}})
	return err
}

// offTick returns the next time that is wire.Tick off a whole second.
func offTick(t time.Time) time.Time {
	wait := (int64(wire.Tick) - t.UnixNano()) % int64(time.Second)
	if wait < 0 {
		wait += int64(time.Second)
	}
	return t.Add(time.Duration(wait))
}

// Do answers reads itself: a node has no taints but its trial's, and counts a budget's pods at every eviction. Its pods
// are those that it has reported.
func (l *lane) Do(_ context.Context, r runner.Request) error {
	if r.Method == http.MethodGet {
		switch o := r.Into.(type) {
		case *policyv1.PodDisruptionBudget:
			o.Status.CurrentHealthy = 1
		case *corev1.Node:
			o.Spec.Taints = slices.Clone(l.taints)
		case *corev1.Pod:
			pod := l.record.named(r.Namespace, r.Name)
			if pod == nil {
				return apierrors.NewNotFound(corev1.Resource("pods"), r.Name)
			}
			*o = *pod
		}
		return nil
	}
	if node, ok := r.Body.(*corev1.Node); ok {
		l.taints = node.Spec.Taints
	}
	if pod, ok := r.Body.(*corev1.Pod); ok {
		return l.create(pod, r.Into.(*corev1.Pod))
	}
	api, err := apiOf(r)
	if err == nil {
		_, err = l.ask(wire.Request{API: &api})
	}
	return err
}

func apiOf(r runner.Request) (wire.API, error) {
	body, err := r.Patch.Text, error(nil)
	if r.Body != nil {
		body, err = json.Marshal(r.Body)
	}
	return wire.API{
		Method: r.Method, Resource: r.Resource, Subresource: r.Subresource, Namespace: r.Namespace, Name: r.Name,
		PatchType: r.Patch.Type, Body: body,
	}, err
}

func (l *lane) create(pod, created *corev1.Pod) error {
	a, err := l.ask(wire.Request{Create: pod})
	if err == nil && a.Pod == nil {
		err = l.fail("did not say which pod it created")
	}
	if err == nil {
		*created = *a.Pod
	}
	return err
}

func (l *lane) AwaitGone(ctx context.Context, pod *corev1.Pod) error {
	until := l.Now().Add(runner.DisappearsWithin)
	for !l.record.gone(pod) {
		if !l.Now().Before(until) {
			return fmt.Errorf("pod %s was not gone within %v", pod.Name, runner.DisappearsWithin)
		}
		if err := l.advance(until.UnixNano()); err != nil {
			return err
		}
	}
	return l.Sleep(ctx, l.Now().Add(notice))
}

// Restart keeps what an earlier restart changed of the configuration. The node ends with the attempt, so nothing is
// restored.
func (l *lane) Restart(
	_ context.Context, patch map[string]any, meanwhile *runner.Request,
) (runner.Restarted, error) {
	if patch != nil {
		l.patch = patch
	}
	restart := &wire.Restart{KubeletConfig: withGates(l.patch, l.node.gates)}
	if meanwhile != nil {
		api, err := apiOf(*meanwhile)
		if err != nil {
			return runner.Restarted{}, err
		}
		restart.Meanwhile = &api
	}
	return l.restart(restart)
}

func (l *lane) Reboot(context.Context) (runner.Restarted, error) {
	return l.restart(&wire.Restart{KubeletConfig: withGates(l.patch, l.node.gates), Reboot: true})
}

func (l *lane) restart(how *wire.Restart) (runner.Restarted, error) {
	began := l.Now()
	_, err := l.ask(wire.Request{Restart: how})
	return runner.Restarted{Began: began, Ended: l.Now()}, err
}

func (l *lane) Disturb(_ context.Context, c trial.Fault) error {
	r := wire.Request{Runtime: &wire.Runtime{Fails: c.Call, For: c.For, Removes: c.Container}}
	if c.Action == trial.CutOff {
		r = wire.Request{CutOff: c.For}
	}
	_, err := l.ask(r)
	return err
}

func (l *lane) ShutDown(context.Context) (began, ended time.Time, err error) {
	began = l.Now()
	_, err = l.ask(wire.Request{ShutDown: true})
	return began, l.Now(), err
}

func (l *lane) Place(_ context.Context, name string, pod *corev1.Pod) error {
	_, err := l.ask(wire.Request{Manifest: &wire.Manifest{Name: name, Pod: pod}})
	return err
}

// happened asks the node for all that happened, once: after a trial has settled, nothing more does.
func (l *lane) happened() ([]wire.Entry, error) {
	if l.entries == nil {
		a, err := l.ask(wire.Request{Trace: true})
		if err != nil {
			return nil, err
		}
		l.entries = a.Trace
	}
	return l.entries, nil
}

func (l *lane) Settle(_ context.Context, probed *corev1.Pod) error {
	entries, err := l.happened()
	if err != nil {
		return fmt.Errorf("read the kubelet's calls: %w", err)
	}
	l.record.calls = callsOf(entries)
	if probed == nil {
		return nil
	}
	a, err := l.ask(wire.Request{Counters: true})
	if err != nil {
		return fmt.Errorf("read the kubelet's counters: %w", err)
	}
	failed := a.Counters[string(probed.UID)]
	if failed == nil {
		failed = map[string]map[string]int{}
	}
	l.counters = &timeline.Counters{Asked: at(a.From), Answered: at(a.To), Failed: failed}
	return nil
}

func (l *lane) Look(pods []runner.Deployed) runner.Record {
	r := runner.Record{Kubelet: l.kubelet, Delays: func() delay.Record { return delay.Record{} }}
	recorded := make([]runner.Recorded, len(pods))
	for i, p := range pods {
		recorded[i] = l.record.of(p)
	}
	r.Evidence = runner.Evidence(recorded)
	r.Evidence.Known, r.Evidence.Counters = l.node.clock, l.counters
	if l.trial.Worker != nil {
		r.Evidence.Node = l.record.since(l.booted)
	}
	if len(pods) > 0 {
		r.Newest = l.record.newest[string(pods[0].UID)]
	}
	return r
}

func (l *lane) Instant(from, to time.Time) timeline.Instant {
	return timeline.Instant{At: from.UnixNano(), Late: int64(to.Sub(from))}
}
