package predict

import (
	"cmp"
	"fmt"
	"math"
	"time"

	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/podclock/podclock/harness/predict/effective"
	"github.com/podclock/podclock/harness/predict/manifest"
	"github.com/podclock/podclock/harness/predict/replicas"
	"github.com/podclock/podclock/harness/rules/formula"
	"github.com/podclock/podclock/harness/rules/lifecycle"
)

// Why something never happens. The sentences are about a workload's pods.
const (
	paused    = "the Deployment is paused"
	onDelete  = "each pod is replaced only when it is deleted (OnDelete)"
	notReady  = "new pods are never ready"
	partition = "the partition of %d leaves out all %d pods"
)

// evictionRetry is how long kubectl waits after an eviction that a budget refuses (k8s.io/kubectl pkg/drain/drain.go
// EvictErrorRetryDelay).
const evictionRetry = 5 * time.Second

// allPods returns what happens to all pods of a workload whose containers are predicted. It is nil if there are none,
// or if nothing is known of them. Without a controller's fields only a drain that is blocked can be known.
func (p *Prediction) allPods() *AllPods {
	c := p.Controller
	switch {
	case p.Pods != nil && p.Pods.Most == 0:
		return nil
	case c == nil:
		if d := blocked(p.Budgets); d != nil {
			return &AllPods{Drain: d}
		}
		return nil
	}
	t := turn{
		controller: c, kubelet: p.Kubelet, budgets: p.Budgets, neverReady: p.NeverReady != nil,
		gone: goneAfter(p.Containers), ready: *p.Ready,
	}
	t.available = t.ready
	if s := effective.Seconds(c.MinReadySeconds); s > 0 {
		// The API's times are whole seconds (pkg/api/v1/pod/util.go IsPodAvailable).
		t.available = t.ready.after(Span{s - time.Second, s})
	}
	if p.Pods != nil && p.Pods.Least == p.Pods.Most {
		t.pods = p.Pods.Most
	}
	return &AllPods{Rollout: t.rollout(), ScaleDown: t.scaleDown(), Drain: t.drain()}
}

// turn is what a pod needs when its turn comes.
type turn struct {
	controller *manifest.Controller
	kubelet    formula.Kubelet
	budgets    []replicas.Budget
	neverReady bool
	// pods is 0 if their number is not known
	pods int
	// gone counts from a delete until the pod's object is gone, ready and available from the start of its containers
	gone, ready, available Span
}

// rollout returns nil for a controller that replaces no pods.
func (t turn) rollout() *Disruption {
	c := t.controller
	updated := max(0, t.pods-int(c.Partition))
	switch {
	case c.Strategy == "":
		return nil
	case c.Paused:
		return &Disruption{Never: paused}
	case c.Strategy == manifest.OnDelete:
		return &Disruption{Never: onDelete}
	case t.neverReady:
		return &Disruption{Never: notReady}
	case t.pods > 0 && updated == 0:
		return &Disruption{Never: fmt.Sprintf(partition, c.Partition, t.pods)}
	case c.Strategy == manifest.Recreate:
		// All old pods must be gone before new ones are made (pkg/controller/deployment/recreate.go).
		return &Disruption{Pods: t.pods, Takes: t.gone.after(t.available), Starts: 1}
	case c.PerNode:
		return t.perNode()
	}
	r := t.batch()
	if r == nil {
		return nil
	}
	r.Pods = updated
	batches := replicas.Batches(max(1, updated), max(1, r.AtOnce))
	switch {
	case !c.Ordered:
		// rolling.go: the new ReplicaSet grows by a batch as soon as the last one is available. Old pods that still
		// end make no difference, and a rollout is complete without them (util/deployment_util.go DeploymentComplete).
		r.Takes, r.Starts = t.available.times(batches), batches
	case c.Parallel:
		r.Takes, r.Starts = t.gone.after(t.available).times(batches), batches
	default:
		// A batch is deleted at once, but its pods are made one after another, each when the last is available
		// (stateful_set_control.go updateStatefulSetAfterInvariantEstablished, processReplica).
		r.Starts = cmp.Or(updated, r.AtOnce)
		r.Takes = t.gone.times(batches).after(t.available.times(r.Starts))
	}
	return r
}

// batch returns what a rolling update replaces at a time, or nil for a StatefulSet's share of an unknown number.
func (t turn) batch() *Disruption {
	c := t.controller
	switch {
	case t.pods > 0:
		return &Disruption{AtOnce: replicas.AtOnce(c, t.pods, t.kubelet), Starts: 1}
	case c.MaxSurge.Type == intstr.Int && c.MaxUnavailable.Type == intstr.Int:
		return &Disruption{AtOnce: replicas.AtOnce(c, math.MaxInt32, t.kubelet), Starts: 1}
	case c.Ordered:
		return nil
	}
	const share = "maxSurge %s and maxUnavailable %s of the replicas"
	return &Disruption{Share: fmt.Sprintf(share, c.MaxSurge.String(), c.MaxUnavailable.String()), Starts: 1}
}

// perNode is the rolling update of a DaemonSet: with maxSurge, the new pod of a node must be available before the old
// one is deleted; without, the old one must be gone before the new one is made (pkg/controller/daemon/update.go
// rollingUpdate; daemon_controller.go podsShouldBeOnNode).
func (t turn) perNode() *Disruption {
	r := &Disruption{Takes: t.available, Starts: 1}
	share := t.controller.MaxSurge
	if manifest.Scaled(share, 100, true) == 0 {
		r.Takes, share = t.gone.after(t.available), t.controller.MaxUnavailable
	}
	if r.AtOnce = share.IntValue(); share.Type == intstr.String {
		r.AtOnce, r.Share = 0, share.StrVal+" of the nodes"
	}
	return r
}

// scaleDown removes all pods: at once, or those of an ordered StatefulSet one after another, each when the last is gone
// (pkg/controller/replicaset/replica_set.go manageReplicas; stateful_set_control.go processCondemned).
func (t turn) scaleDown() *Disruption {
	switch c := t.controller; {
	case c.PerNode:
		return nil
	case c.Ordered && !c.Parallel:
		return &Disruption{Pods: t.pods, AtOnce: 1, Takes: t.gone.times(max(1, t.pods))}
	}
	return &Disruption{Pods: t.pods, Takes: t.gone}
}

// drain evicts all pods of a workload with budgets. The next eviction is allowed as soon as a new pod is ready
// (pkg/controller/disruption/disruption.go countHealthyPods). A ReplicaSet makes it when the eviction begins, a
// StatefulSet when the old pod is gone.
func (t turn) drain() *Disruption {
	if len(t.budgets) == 0 || t.controller.PerNode {
		return nil
	}
	if d := blocked(t.budgets); d != nil {
		return d
	}
	b := t.budgets[0]
	switch {
	case b.Allows == nil:
		return nil
	case t.neverReady && !b.AlwaysAllow: // pkg/registry/core/pod/storage/eviction.go Create
		return &Disruption{Never: notReady}
	}
	d := &Disruption{AtOnce: b.Allows.Least, Takes: t.gone}
	if b.Shared || t.pods == 0 {
		return d
	}
	if d.Pods = t.pods; t.neverReady || d.AtOnce >= t.pods {
		d.AtOnce = 0
		return d
	}
	again := t.ready.after(Span{Latest: evictionRetry})
	if t.controller.Ordered {
		again = t.gone.after(again)
	}
	d.Starts = replicas.Batches(d.Pods, d.AtOnce) - 1
	d.Takes = t.gone.after(again.times(d.Starts))
	if t.controller.Ordered && !t.controller.Parallel {
		// At worst each new pod waits until the one before is available: a pod of a lower ordinal is evicted first.
		d.Starts = d.Pods - d.AtOnce
		again.Latest = sum(again.Latest, t.available.Latest-t.ready.Latest)
		d.Takes.Latest = t.gone.after(again.times(d.Starts)).Latest
	}
	return d
}

// blocked returns a drain that budgets make impossible, or nil.
func blocked(budgets []replicas.Budget) *Disruption {
	switch {
	case len(budgets) > 1:
		names := fmt.Sprintf("PodDisruptionBudgets %s and %s", budgets[0].Name, budgets[1].Name)
		return &Disruption{Never: names + " both select the pods, so that the API server refuses an eviction"}
	case len(budgets) == 1 && budgets[0].Blocks != "":
		b := budgets[0]
		return &Disruption{Never: fmt.Sprintf("PodDisruptionBudget %s blocks it: %s", b.Name, b.Blocks)}
	}
	return nil
}

// goneAfter returns the time from a delete without options until the object of a pod is gone.
func goneAfter(containers []Container) (all Span) {
	for _, c := range containers {
		if c.Role == effective.Init {
			continue
		}
		var gone *Span
		for i := range c.Timelines {
			if t := &c.Timelines[i]; t.Cause == formula.ByDelete && t.Variant == "" {
				gone = overStep(gone, t, lifecycle.ObjectDeleted)
			}
		}
		if gone != nil {
			all = all.later(*gone)
		}
	}
	return all
}

// after returns the time of both, one after another.
func (s Span) after(other Span) Span {
	return Span{sum(s.Earliest, other.Earliest), sum(s.Latest, other.Latest)}
}

// times returns the time of n, one after another.
func (s Span) times(n int) Span { return Span{multiple(s.Earliest, n), multiple(s.Latest, n)} }

// longestRollout is more than any rollout should take, a century. Longer times are cut, so that none overflows.
const longestRollout = 100 * 366 * 24 * time.Hour

func sum(a, b time.Duration) time.Duration { return min(a+b, longestRollout) }

func multiple(d time.Duration, n int) time.Duration {
	if n > 0 && d > longestRollout/time.Duration(n) {
		return longestRollout
	}
	return d * time.Duration(n)
}
