package watch

import (
	"context"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/podclock/podclock/harness/predict/live"
)

// rollout awaits the end of a rollout: of one that is under way when the observation begins, or of the next one.
type rollout struct {
	server *live.Server
	names  []live.Name
	asked  time.Time
	// seen is set if a rollout was under way.
	seen, done bool
}

// asksEvery is how often the status of the workloads is read.
const asksEvery = time.Second

// over reports whether a rollout has ended. While the API server does not say, it has not. A workload that is removed
// has nothing left to roll out.
func (r *rollout) over(ctx context.Context) bool {
	if !r.done && time.Since(r.asked) >= asksEvery {
		r.asked = time.Now()
		complete := true
		for _, n := range r.names {
			one, err := r.complete(ctx, n)
			if err != nil && !apierrors.IsNotFound(err) {
				return false
			}
			complete = complete && (one || err != nil)
		}
		r.seen = r.seen || !complete
		r.done = r.seen && complete
	}
	return r.done
}

// complete reports whether all pods of a workload are of its newest revision, and available.
func (r *rollout) complete(ctx context.Context, n live.Name) (bool, error) {
	apps := r.server.AppsV1()
	kind, name := n.Split()
	switch kind {
	case "deployment":
		d, err := apps.Deployments(r.server.Namespace()).Get(ctx, name, metav1.GetOptions{})
		if err != nil {
			return false, err
		}
		s, want := d.Status, replicas(d.Spec.Replicas)
		return s.ObservedGeneration >= d.Generation && s.UpdatedReplicas == want && s.Replicas == want &&
			s.AvailableReplicas == want, nil
	case "statefulset":
		d, err := apps.StatefulSets(r.server.Namespace()).Get(ctx, name, metav1.GetOptions{})
		if err != nil {
			return false, err
		}
		s, want := d.Status, replicas(d.Spec.Replicas)
		return s.ObservedGeneration >= d.Generation && s.UpdateRevision == s.CurrentRevision &&
			s.AvailableReplicas == want, nil
	default:
		d, err := apps.DaemonSets(r.server.Namespace()).Get(ctx, name, metav1.GetOptions{})
		if err != nil {
			return false, err
		}
		return daemonsComplete(d), nil
	}
}

func daemonsComplete(d *appsv1.DaemonSet) bool {
	s := d.Status
	return s.ObservedGeneration >= d.Generation && s.UpdatedNumberScheduled == s.DesiredNumberScheduled &&
		s.NumberAvailable == s.DesiredNumberScheduled
}

func replicas(n *int32) int32 {
	if n == nil {
		return 1
	}
	return *n
}
