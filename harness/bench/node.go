package bench

import (
	"context"
	"fmt"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/podclock/podclock/harness/measure/mark"
	"github.com/podclock/podclock/harness/measure/runner"
	"github.com/podclock/podclock/harness/measure/trial"
	"github.com/podclock/podclock/harness/node/cluster/nodes"
	"github.com/podclock/podclock/harness/node/lab"
	"github.com/podclock/podclock/harness/node/recording"
	"github.com/podclock/podclock/harness/session"
)

// A node is slow under a load, so these limits are generous. None is a measurement.
const (
	recorderStarts = time.Minute
	// podStarts and podEnds are how long a pod may take if others take as long at the same time.
	startsWithin, podStarts = 2 * time.Minute, 5 * time.Second
	endsWithin, podEnds     = 2 * time.Minute, 5 * time.Second
	askEvery                = time.Second
)

// node is a subject's worker with its recorder.
type node struct {
	session.Workers
	subject lab.Placement
	reader  *recording.Reader
	stop    func()

	mu    sync.Mutex
	marks map[string][]mark.Record // by the pod's UID
	own   []mark.Record            // of the recorder
	lost  []recording.Loss
}

// open starts the recorder of a worker.
func open(ctx context.Context, w session.Workers, subject lab.Placement) (*node, error) {
	n := &node{Workers: w, subject: subject, marks: map[string][]mark.Record{}}
	if err := w.Cluster.CountRuntime(ctx, subject.Node); err != nil {
		return nil, err
	}
	pod := lab.Recorder(subject.Node, w.Namespace, w.Images.Recorder)
	create := func(ctx context.Context) error { return w.Cluster.Client.Create(ctx, pod) }
	if err := lab.Persist(ctx, create); err != nil {
		return nil, fmt.Errorf("create pod %s: %w", pod.Name, err)
	}
	fetch := recording.ThroughAPIServer(w.Cluster.API.CoreV1().RESTClient(), w.Namespace, pod.Name)
	n.reader = recording.NewReader(recording.Owned(func() string { return string(pod.UID) }, fetch),
		recording.Sink{Records: n.take, Loss: n.lose}, recording.Seldom)
	following, stop := context.WithCancel(ctx)
	var reading sync.WaitGroup
	reading.Go(func() { n.reader.Follow(following) })
	n.stop = func() { stop(); reading.Wait() }
	bounded, cancel := context.WithTimeout(ctx, recorderStarts)
	defer cancel()
	if err := n.reader.Drained(bounded, time.Now()); err != nil {
		n.stop()
		return nil, fmt.Errorf("start the recorder on node %s: %w (%w)", subject.Node, err, n.reader.Failure())
	}
	return n, nil
}

func (n *node) take(records []mark.Record) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, r := range records {
		switch r.Kind {
		case mark.Started, mark.Gone, mark.Probed:
			n.marks[r.UID] = append(n.marks[r.UID], r)
		case mark.LateTick, mark.NoAnswer:
			n.own = append(n.own, r)
		}
	}
}

func (n *node) lose(l recording.Loss) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.lost = append(n.lost, l)
}

// add creates pods until there are so many, and waits until each has started.
func (n *node) add(ctx context.Context, p Plan, uids []string, until int) ([]string, error) {
	d := runner.Deployment{
		Trial: trial.Trial{ID: "bench/" + string(p.Kind)}, Slug: n.subject.Slug, Namespace: n.Namespace,
		Node: n.subject.Node, Images: n.Images.Images,
	}
	for d.Attempt = len(uids) + 1; d.Attempt <= until; d.Attempt++ {
		pod := d.Fill(p.pod(), "")
		pod.Labels[loads] = n.subject.Slug
		if err := n.Cluster.Client.Create(ctx, pod); err != nil {
			return uids, fmt.Errorf("create pod %s: %w", pod.Name, err)
		}
		uids = append(uids, string(pod.UID))
	}
	first := mark.Started
	if p.Kind == Probes {
		first = mark.Probed
	}
	limit := startsWithin + time.Duration(until)*podStarts
	for began := time.Now(); ; {
		started := n.having(uids, first)
		switch {
		case started == until:
			return uids, nil
		case ctx.Err() != nil:
			return uids, context.Cause(ctx)
		case time.Since(began) > limit:
			const format = "%d of %d pods had no mark %q after %v: the node is too slow, so ask for fewer with --pods"
			return uids, fmt.Errorf(format, until-started, until, first, limit)
		}
		_ = sleep(ctx, askEvery)
	}
}

func (n *node) having(uids []string, k mark.Kind) (some int) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, uid := range uids {
		for _, r := range n.marks[uid] {
			if r.Kind == k {
				some++
				break
			}
		}
	}
	return some
}

// loads selects the pods of a benchmark. Others of the namespace are the recorders.
const loads = "podclock.dev/bench"

// clear deletes the pods, of which there are so many, and waits until they are gone.
func (n *node) clear(ctx context.Context, count int) error {
	limit := endsWithin + time.Duration(count)*podEnds
	ctx, cancel := context.WithTimeoutCause(ctx, limit, fmt.Errorf("they were not gone after %v", limit))
	defer cancel()
	pods := n.Cluster.API.CoreV1().Pods(n.Namespace)
	ours := metav1.ListOptions{LabelSelector: loads + "=" + n.subject.Slug}
	err := lab.Persist(ctx, func(ctx context.Context) error {
		return pods.DeleteCollection(ctx, metav1.DeleteOptions{}, ours)
	})
	first := "unknown"
	for err == nil {
		left, listing := pods.List(ctx, ours)
		switch {
		case ctx.Err() != nil:
			err = fmt.Errorf("%w, the first of those left is %s", context.Cause(ctx), first)
		case listing == nil && len(left.Items) == 0:
			n.mu.Lock()
			defer n.mu.Unlock()
			n.marks, n.own, n.lost = map[string][]mark.Record{}, nil, nil
			return nil
		case listing == nil:
			first = left.Items[0].Name
		}
		_ = sleep(ctx, askEvery)
	}
	return fmt.Errorf("delete the pods on node %s: %w", n.subject.Node, err)
}

// reading is what counters had at one time.
type reading struct {
	worker, control  nodes.Usage
	requests, probes map[string]float64
	counted          time.Time
}

// read reads the counters. The kubelet's own are read outside of the measured time, which begins or ends with the CPU
// times.
func (n *node) read(ctx context.Context, ending bool) (r reading, err error) {
	usage := func() error {
		group, ctx := errgroup.WithContext(ctx)
		group.Go(func() (err error) { r.worker, err = n.Cluster.Usage(ctx, n.subject.Node); return err })
		group.Go(func() (err error) { r.control, err = n.Cluster.Usage(ctx, n.Cluster.ControlPlane); return err })
		return group.Wait()
	}
	counters := func() error {
		r.counted = time.Now()
		r.requests, err = n.Cluster.Counted(ctx, n.subject.Node, "metrics", "rest_client_requests_total", "method")
		if err == nil {
			r.probes, err = n.Cluster.Counted(ctx, n.subject.Node, "metrics/probes", "prober_probe_total", "result")
		}
		return err
	}
	if ending {
		if err = usage(); err == nil {
			err = counters()
		}
		return r, err
	}
	if err = counters(); err == nil {
		err = usage()
	}
	return r, err
}

// measured is what happened in a time on the recorder's clock.
type measured struct {
	load         Load
	unsuccessful int
	from, to     int64
}

// measure measures the node for a while.
func (n *node) measure(ctx context.Context, d time.Duration) (m measured, err error) {
	before, err := n.read(ctx, false)
	if err != nil {
		return m, err
	}
	from := time.Now()
	if sleep(ctx, d) != nil {
		return m, context.Cause(ctx)
	}
	to := time.Now()
	after, err := n.read(ctx, true)
	if err != nil {
		return m, err
	}
	draining, cancel := context.WithTimeout(ctx, recorderStarts)
	defer cancel()
	if err := n.reader.Drained(draining, to); err != nil {
		return m, err
	}
	first, _ := n.reader.Place(from)
	last, _ := n.reader.Place(to)
	unsuccessful := 0.0
	for result, count := range after.probes {
		if result != "successful" {
			unsuccessful += count - before.probes[result]
		}
	}
	return measured{loadOf(before, after), int(unsuccessful), first.At, last.At}, nil
}

func loadOf(before, after reading) Load {
	l := Load{Lasted: after.worker.At.Sub(before.worker.At), Requests: map[string]float64{}}
	cores := func(from, to nodes.Usage, name string) float64 {
		return float64(to.CPU[name]-from.CPU[name]) / float64(to.At.Sub(from.At))
	}
	l.Kubelet = cores(before.worker, after.worker, nodes.OfKubelet)
	l.Runtime = cores(before.worker, after.worker, nodes.OfRuntime)
	l.Shims = max(0, cores(before.worker, after.worker, nodes.OfRuntimeUnit)-l.Runtime) // their resolutions differ
	l.APIServer = cores(before.control, after.control, nodes.OfAPIServer)
	l.Etcd = cores(before.control, after.control, nodes.OfEtcd)
	l.Host = float64(after.worker.Host-before.worker.Host) / float64(l.Lasted)
	mib := func(u nodes.Usage, name string) float64 { return float64(u.Memory[name]) / (1 << 20) }
	l.KubeletMiB, l.RuntimeMiB = mib(after.worker, nodes.OfKubelet), mib(after.worker, nodes.OfRuntime)
	l.APIServerMiB = mib(after.control, nodes.OfAPIServer)
	for method, n := range after.requests {
		if more := n - before.requests[method]; more > 0 {
			l.Requests[method] = more / after.counted.Sub(before.counted).Seconds()
		}
	}
	return l
}

// sleep returns an error if the context ends first.
func sleep(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
