package virtual

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/podclock/podclock/fixtures"
	"github.com/podclock/podclock/harness/delay"
	"github.com/podclock/podclock/harness/formula"
	"github.com/podclock/podclock/harness/stage"
	"github.com/podclock/podclock/harness/timeline"
	"github.com/podclock/podclock/harness/trial"
	"github.com/podclock/podclock/harness/victim"
	"github.com/podclock/podclock/harness/virtual/wire"
)

const (
	// settle is how long a new kubelet is left alone, so that a trial begins after a round of its
	// allocation manager. Those come 30 s after its start and then every three minutes, and take the mutex
	// that an admission holds while it waits for a preempted pod to end (allocation_manager.go
	// retryPendingResizes): a preemption during which one comes makes virtual time stand still, and its
	// trial inconclusive. So it must be over 210 s after the kubelet's start.
	settle = 31 * time.Second
	// lookEvery is how much virtual time passes at most before a trial's timeline is looked at again: that
	// nothing came is news, too.
	lookEvery = 5 * time.Second
	// namespace is that of the pods.
	namespace = "podclock"
)

// images are those that a virtual node has. There is nothing in them: the container runtime plays what the
// fault program does.
var images = stage.Images{
	Fault:           "podclock.dev/fault:virtual",
	FaultOther:      "podclock.dev/fault:other",
	FaultStopSignal: "podclock.dev/fault:stop-signal",
}

// experiment is one run of a trial's pods on a node of its own. Its times are the node's.
type experiment struct {
	trial      trial.Trial
	node       *node
	deployment stage.Deployment
	kubelet    formula.Kubelet
	// created is when the pods were.
	created int64
	record  record
	// pods are those created so far: the trial's own first, companions, and any that were created again.
	pods     []stage.Deployed
	cues     []timeline.Cue
	counters *timeline.Counters
	// late is how much later than their trial says the cues come that wait for no point, shifted that the
	// first of them has.
	late    int64
	shifted bool
	// patch is what a cue changed of the kubelet's configuration.
	patch map[string]any
	// broken is the failure of the node, nil while it works; unsupported says that its version does not
	// know a configuration.
	broken      error
	unsupported bool
}

// errUnsupported is a configuration that the kubelet's version does not know.
var errUnsupported = errors.New("the kubelet's version does not know a part of the configuration")

// ask makes a request of the node and files what its answer brings. An error is the node's end, the API
// server's refusal or what else kept the request from being obeyed.
func (e *experiment) ask(r wire.Request) (wire.Answer, error) {
	if e.broken != nil {
		return wire.Answer{}, e.broken
	}
	a, err := e.node.ask(r)
	if err != nil {
		e.broken = err
		return a, err
	}
	news := e.record.take(a)
	if r.Advance != nil && a.Error == "" && !news && a.To < r.Advance.Until {
		e.broken = e.node.fail(errors.New("let no time pass"))
		return a, e.broken
	}
	if a.Kubelet != nil && a.Error == "" {
		if e.kubelet, err = stage.Kubelet(a.Kubelet.Version, a.Kubelet.Gates, a.Kubelet.Configuration); err != nil {
			return a, err
		}
	}
	e.unsupported = e.unsupported || a.Unsupported
	return a, refusal(a)
}

// refusal is why a request failed, nil when it did not.
func refusal(a wire.Answer) error {
	switch {
	case a.Error == "":
		return nil
	case a.Unsupported:
		return fmt.Errorf("%w: %s", errUnsupported, a.Error)
	case a.Status != 0:
		return &apierrors.StatusError{ErrStatus: metav1.Status{
			Status: metav1.StatusFailure, Code: int32(a.Status), Message: a.Error, Reason: a.Reason,
		}}
	}
	return errors.New(a.Error)
}

// boot starts the node as the trial needs it, and lets its kubelet settle: one younger than its probes'
// period starts them at a random time (prober/worker.go run).
func (e *experiment) boot() error {
	start := startOf(e.trial.Worker)
	a, err := e.ask(wire.Request{Start: &start})
	if err != nil {
		return err
	}
	if a.Kubelet == nil {
		return e.fails("did not say which kubelet it runs")
	}
	young := time.Duration(e.trial.LongestPeriod())*time.Second + time.Second
	return e.sleep(offTick(e.node.clock + int64(max(settle, young))))
}

// fails gives the node up for what it did.
func (e *experiment) fails(what string) error {
	e.broken = e.node.fail(errors.New(what))
	return e.broken
}

// startOf says what the node of a worker is like.
func startOf(w *trial.Worker) wire.Start {
	s := wire.Start{
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
	if w != nil {
		s.KubeletConfig = w.KubeletConfig
		s.NodeFSBytes, s.NodeFSInodes = int64(w.NodeFSMiB)<<20, int64(w.NodeFSInodes)
	}
	return s
}

// run creates the pods, delivers the cues and returns when everything the claims measure is there. What it
// returns is why it stopped before. started is called once, when the pods have started or will not.
func (e *experiment) run(started func()) string {
	e.created = e.node.clock
	begun, why := e.begin()
	started()
	if why != "" {
		return why
	}
	for _, cue := range e.trial.Cues {
		if why := e.deliver(cue, begun); why != "" {
			return why
		}
	}
	return e.waitForEnd(begun)
}

// begin creates the pods that no cue creates and waits until the trial has begun.
func (e *experiment) begin() (begun int64, why string) {
	if e.trial.Budget {
		if _, err := e.ask(wire.Request{Budget: e.deployment.BudgetLabels()}); err != nil {
			return 0, fmt.Sprintf("create the disruption budget of pod %s: %v", e.deployment.Name(""), err)
		}
	}
	for _, p := range stage.First(e.trial) {
		if _, err := e.create(p.Pod, p.Companion); err != nil {
			return 0, err.Error()
		}
	}
	if e.trial.Unscheduled {
		return e.node.clock, ""
	}
	refused := false
	why = e.await(
		e.created+int64(stage.StartWithin),
		fmt.Sprintf("it did not come within %v", stage.StartWithin),
		func(t *timeline.Timeline) (missing string) {
			missing, refused = stage.ToBegin(e.trial, e.pods, t)
			return missing
		},
	)
	if refused {
		why = "the kubelet does not take it"
	}
	if why != "" && e.broken == nil {
		why = fmt.Sprintf(
			"pod %s: %s (%s)",
			e.pods[0].Name,
			why,
			stage.Complaint(e.record.newest[string(e.pods[0].UID)]),
		)
	}
	return e.node.clock, why
}

// create creates one of the trial's pods.
func (e *experiment) create(template *corev1.Pod, companion string) (wire.Answer, error) {
	pod := e.deployment.Fill(template, companion)
	a, err := e.ask(wire.Request{Create: pod})
	switch {
	case err != nil:
		return a, fmt.Errorf("create pod %s: %w", pod.Name, err)
	case a.Pod == nil:
		return a, e.fails("did not say which pod it created")
	}
	e.pods = append(e.pods, stage.Deployed{Pod: a.Pod, Companion: companion})
	return a, nil
}

// waitForEnd waits until every claim can be measured, and reads the kubelet's own counters where the trial
// has probes. The trial's bound counts from its start. When it is over, the judge decides what the absence
// means.
func (e *experiment) waitForEnd(begun int64) string {
	_ = e.await(
		begun+int64(e.trial.Bound()),
		"the trial's bound is over",
		func(t *timeline.Timeline) string { return trial.Missing(e.trial, t, e.kubelet) },
	)
	if e.broken == nil && len(e.trial.Cues) == 0 && e.trial.LongestPeriod() > 0 {
		a, err := e.ask(wire.Request{Counters: true})
		if err != nil {
			return fmt.Sprintf("read the kubelet's counters: %v", err)
		}
		failed := a.Counters[string(stage.Own(e.pods).UID)]
		if failed == nil {
			failed = map[string]map[string]int{}
		}
		e.counters = &timeline.Counters{Asked: at(a.From), Answered: at(a.To), Failed: failed}
	}
	if e.broken != nil {
		return e.broken.Error()
	}
	return ""
}

// await lets time pass and looks at the pods' timeline whenever something came, until nothing is missing
// any more. It returns what was missing when the time was over, or why waiting has no sense any more.
func (e *experiment) await(until int64, over string, missing func(*timeline.Timeline) string) string {
	for {
		what := missing(timeline.Build(e.evidence(), delay.Record{}))
		switch {
		case what == "":
			return ""
		case e.node.clock >= until:
			return fmt.Sprintf("waited for %s: %s", what, over)
		}
		if err := e.advance(min(until, e.node.clock+int64(lookEvery))); err != nil {
			return fmt.Sprintf("waited for %s: %v", what, err)
		}
	}
}

// advance lets time pass until something was recorded, but no longer than until a time.
func (e *experiment) advance(until int64) error {
	_, err := e.ask(wire.Request{Advance: &wire.Advance{Until: until}})
	return err
}

// sleep lets time pass until a time, whatever is recorded meanwhile.
func (e *experiment) sleep(until int64) error {
	for e.node.clock < until {
		if err := e.advance(until); err != nil {
			return err
		}
	}
	return nil
}

// offTick is the first time, from a time on, that is as far off a whole second as whatever the harness
// decides by itself.
func offTick(clock int64) int64 {
	wait := (int64(wire.Tick) - clock) % int64(time.Second)
	if wait < 0 {
		wait += int64(time.Second)
	}
	return clock + wait
}

// evidence is everything known of the pods so far.
func (e *experiment) evidence() timeline.Evidence {
	if len(e.pods) == 0 {
		return timeline.Evidence{}
	}
	recorded := make([]stage.Recorded, len(e.pods))
	for i, p := range e.pods {
		recorded[i] = e.record.of(p)
	}
	ev := stage.Evidence(recorded)
	ev.Known, ev.Cues, ev.Counters = e.node.clock, slices.Clone(e.cues), e.counters
	if e.trial.Worker != nil {
		ev.Node = e.record.since(e.created)
	}
	return ev
}

// newExperiment launches a node for a trial.
func newExperiment(ctx context.Context, s Subject, t trial.Trial, patience time.Duration) (*experiment, error) {
	n, err := launch(ctx, s.Binary, patience)
	if err != nil {
		return nil, err
	}
	d := stage.Deployment{
		Trial:     t,
		Slug:      cmp.Or(s.Slug, wire.NodeName),
		Attempt:   1,
		Namespace: namespace,
		Node:      wire.NodeName,
		Images:    images,
	}
	return &experiment{trial: t, node: n, deployment: d, record: newRecord()}, nil
}
