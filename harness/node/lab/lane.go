package lab

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/e2e-framework/klient/wait"

	"github.com/podclock/podclock/harness/measure/mark"
	"github.com/podclock/podclock/harness/measure/runner"
	"github.com/podclock/podclock/harness/measure/timeline"
	"github.com/podclock/podclock/harness/measure/trial"
	"github.com/podclock/podclock/harness/node/internal/ask"
	"github.com/podclock/podclock/harness/node/pace"
)

// lookEvery is the shortest time between two looks at a trial's timeline.
const lookEvery = 200 * time.Millisecond

// lane is one attempt's view of its node. It implements [runner.Node] by wall time and the API server.
type lane struct {
	trial   trial.Trial
	lab     *site
	node    *node
	room    *pace.Occupant
	created time.Time
	// pods are the result of the last Look, looked is what was known then. One of the arrivals is closed when
	// there may be more.
	pods     []runner.Deployed
	looked   known
	arrivals [3]<-chan struct{}
	counters *timeline.Counters
	removals []timeline.Removal
}

type known struct {
	of         struct{ marks, versions, events, endpoints int } // of the pods
	conditions int
	seconds    int64
}

func (e *lane) known() (k known) {
	k.of.versions, k.of.events = e.lab.pods.Count(e.pods), e.lab.events.Count(e.pods)
	k.of.endpoints = e.lab.endpoints.Count(e.pods)
	k.of.marks, k.seconds = e.node.seen(e.pods)
	k.conditions = e.lab.conditions.Count(e.node.name)
	return k
}

func (e *lane) arrival() [3]<-chan struct{} {
	return [3]<-chan struct{}{e.node.change(), e.lab.pods.Change(), e.lab.events.Change()}
}

func (e *lane) Now() time.Time { return time.Now() }

func (e *lane) Sleep(ctx context.Context, until time.Time) error { return pace.SleepUntil(ctx, until) }

func (e *lane) Wait(ctx context.Context, until time.Time) error {
	bounded, cancel := context.WithDeadline(ctx, until)
	defer cancel()
	for {
		if why := e.node.unusable(); why != "" {
			return errors.New(why)
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if bounded.Err() != nil {
			return nil
		}
		select {
		case <-e.arrivals[0]:
		case <-e.arrivals[1]:
		case <-e.arrivals[2]:
		case <-time.After(time.Second): // a change of the node's conditions, or of an endpoint, closes none of them
		case <-bounded.Done():
		}
		_ = pace.SleepUntil(bounded, time.Now().Add(lookEvery))
		e.arrivals = e.arrival()
		if e.known() != e.looked {
			return nil
		}
	}
}

// Do retries the creation of an object while the API server does not answer.
func (e *lane) Do(ctx context.Context, r runner.Request) error {
	do := func(ctx context.Context) error { return e.lab.request(r).Do(ctx).Into(r.Into) }
	if r.Into == nil {
		do = func(ctx context.Context) error { return e.lab.request(r).Do(ctx).Error() }
	}
	if r.Method == http.MethodPost && r.Subresource == "" {
		return Persist(ctx, do)
	}
	return do(ctx)
}

// request returns a request that is made once. client-go repeats a request up to ten times if its answer has
// Retry-After. That of a refused eviction has 10 s (pkg/registry/core/pod/storage/eviction.go
// createTooManyRequestsError).
func (l *site) request(r runner.Request) *rest.Request {
	client := l.server.CoreV1().RESTClient()
	switch r.Resource {
	case "jobs":
		client = l.server.BatchV1().RESTClient()
	case "poddisruptionbudgets":
		client = l.server.PolicyV1().RESTClient()
	}
	request := client.Verb(r.Method).MaxRetries(0)
	if r.Patch.Text != nil {
		request = request.SetHeader("Content-Type", string(r.Patch.Type)).Body(r.Patch.Text)
	}
	request = request.NamespaceIfScoped(r.Namespace, r.Namespace != "").Resource(r.Resource).SubResource(r.Subresource)
	if r.Name != "" {
		request = request.Name(r.Name)
	}
	if r.Body != nil {
		request = request.Body(r.Body)
	}
	return request
}

func (e *lane) AwaitGone(ctx context.Context, pod *corev1.Pod) error {
	gone := func(ctx context.Context) (bool, error) {
		err := e.lab.client.Get(ctx, pod.Name, pod.Namespace, &corev1.Pod{})
		return apierrors.IsNotFound(err), nil // while the API server does not answer, nothing is known
	}
	err := wait.For(gone, wait.WithContext(ctx), wait.WithTimeout(runner.DisappearsWithin),
		wait.WithInterval(50*time.Millisecond), wait.WithImmediate())
	if err != nil {
		return fmt.Errorf("wait %v until pod %s is gone: %w", runner.DisappearsWithin, pod.Name, err)
	}
	return nil
}

func (e *lane) Restart(
	ctx context.Context, patch map[string]any, meanwhile *runner.Request,
) (r runner.Restarted, err error) {
	workers := e.lab.options.Workers
	switch {
	case workers == nil && patch == nil:
		return r, errors.New("this cluster's kubelets can't be restarted")
	case workers == nil:
		return r, errors.New("this cluster's kubelets can't be tuned")
	case patch == nil:
		var request func(context.Context) error
		if meanwhile != nil {
			request = func(ctx context.Context) error { return e.Do(ctx, *meanwhile) }
		}
		return e.restart(ctx, request, mark.Kubelet)
	}
	r.Began = time.Now()
	r.Undo, err = e.lab.tune(ctx, e.node, trial.Worker{Name: e.trial.Worker.Name, KubeletConfig: patch})
	r.Ended = time.Now()
	return r, err
}

// Reboot leaves the recorder alive.
func (e *lane) Reboot(ctx context.Context) (runner.Restarted, error) {
	workers := e.lab.options.Workers
	if workers == nil {
		return runner.Restarted{}, errors.New("this cluster's nodes can't be rebooted")
	}
	return e.restart(ctx, func(ctx context.Context) error {
		return workers.EndPods(ctx, e.node.name, e.node.recorderUID())
	}, mark.Kubelet, mark.ContainerRuntime)
}

func (e *lane) restart(
	ctx context.Context, meanwhile func(context.Context) error, programs ...string,
) (r runner.Restarted, err error) {
	undisturbed := e.node.disturb(programs...)
	defer undisturbed()
	workers := e.lab.options.Workers
	r.Began, r.Ended, err = workers.RestartKubelet(ctx, e.node.name, meanwhile)
	started := r.Ended // the next trial needs a kubelet that is ready
	r.Undo = func(ctx context.Context) error { return workers.AwaitKubelet(ctx, e.node.name, started) }
	return r, err
}

func (e *lane) ShutDown(ctx context.Context) (began, ended time.Time, err error) {
	workers := e.lab.options.Workers
	if workers == nil {
		return began, ended, errors.New("this cluster's nodes can't be shut down")
	}
	return workers.AnnounceShutdown(ctx, e.node.name)
}

func (e *lane) Disturb(_ context.Context, c trial.Fault) error {
	return fmt.Errorf("only a virtual node can do the fault %s", c.Action)
}

func (e *lane) Place(ctx context.Context, name string, pod *corev1.Pod) error {
	workers := e.lab.options.Workers
	if workers == nil {
		return errors.New("this cluster's nodes can't have static pods")
	}
	if pod == nil {
		return workers.RemoveManifest(ctx, e.node.name, name)
	}
	text, err := json.Marshal(pod)
	if err != nil {
		return err
	}
	return workers.PlaceManifest(ctx, e.node.name, name, text)
}

// reading bounds the reading of a kubelet's counters.
const reading = 5 * time.Second

// readCounters reads how many failing probes of a pod its kubelet has counted, if the kubelet answers.
func (e *lane) readCounters(ctx context.Context, pod *corev1.Pod) {
	ctx, cancel := context.WithTimeout(ctx, reading)
	defer cancel()
	asked := time.Now()
	failed, err := ask.FailedProbes(ctx, e.lab.server.CoreV1().RESTClient(), e.node.name, string(pod.UID))
	answered := time.Now()
	if err == nil {
		e.counters = &timeline.Counters{
			Asked: e.Instant(asked, asked), Answered: e.Instant(answered, answered), Failed: failed,
		}
	}
}

// Settle waits for the last marks, for what explains their delay, and for an answer of the API server.
func (e *lane) Settle(ctx context.Context, probed *corev1.Pod) error {
	if probed != nil && ctx.Err() == nil {
		e.readCounters(ctx, probed)
	}
	now := time.Now()
	if err := e.node.drain(ctx); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, draining)
	defer cancel()
	return e.lab.api.since(ctx, now)
}

func (e *lane) Look(pods []runner.Deployed) runner.Record {
	e.pods, e.arrivals = pods, e.arrival()
	now := e.known()
	if now.of != e.looked.of {
		e.room.Acted()
	}
	e.looked = now
	since := e.Instant(e.created, e.created)
	marks, losses, known := e.node.recorded(pods, since.At)
	recorded := make([]runner.Recorded, len(pods))
	for i, p := range pods {
		uid := string(p.UID)
		recorded[i] = runner.Recorded{
			Deployed:  p,
			Marks:     marks[i],
			Versions:  e.lab.pods.Versions(uid, e.Instant),
			Events:    e.lab.events.About(uid, e.Instant),
			Endpoints: e.lab.endpoints.Of(uid, e.Instant),
		}
	}
	r := runner.Record{Evidence: runner.Evidence(recorded), Delays: e.node.delays, Kubelet: e.node.runs()}
	r.Evidence.Losses, r.Evidence.Known = losses, known
	r.Evidence.Counters, r.Evidence.Removals = e.counters, e.removals
	if e.trial.Worker != nil {
		r.Evidence.Node = e.lab.conditions.Of(e.node.name, e.created, e.Instant)
	}
	if len(pods) > 0 {
		r.Newest = e.lab.pods.Newest(string(pods[0].UID))
	}
	return r
}

func (e *lane) Instant(from, to time.Time) timeline.Instant { return e.node.place(from, to) }
