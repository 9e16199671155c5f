package forecast

import (
	"time"

	"github.com/podclock/podclock/harness/predict"
	"github.com/podclock/podclock/harness/predict/next"
	"github.com/podclock/podclock/reports/apis/predictions/v1alpha1"
	"github.com/podclock/podclock/reports/predict/sentences"
)

// OfCluster returns the forecast of a cluster's workloads, which are predicted in groups.
func OfCluster(c next.Cluster, groups []next.Group) Forecast {
	f := Forecast{Manifest: "context " + c.Name, Live: groups, Now: c.Now, Unread: c.Unread}
	for i := range groups {
		p := groups[i].Prediction
		if i == 0 {
			f.Kubelet = p.Kubelet
		}
		f.Extrapolated = f.Extrapolated || p.Kubelet.Extrapolated()
		f.Predictions = append(f.Predictions, p)
	}
	return f
}

// answers returns what happens next to the pods of a prediction, if they were read from a cluster, and its short
// answers or all.
func (f Forecast) answers(i int, all bool) (said []sentences.Sentence) {
	if f.Live != nil {
		said = sentences.Now(f.Live[i].Pods, f.Now)
	}
	if all {
		return append(said, sentences.All(f.Predictions[i])...)
	}
	return append(said, sentences.Short(f.Predictions[i])...)
}

// notCovered says why nothing is predicted of a workload, or "". What happens next says it of a live Pod.
func notCovered(w predict.Prediction) string {
	if w.Where != "" && w.Kind == "Pod" {
		return ""
	}
	return w.NotCovered
}

// livePods returns the pods of a group for programs.
func livePods(g next.Group) (all []v1alpha1.LivePod) {
	for _, p := range g.Pods {
		d := v1alpha1.LivePod{Name: p.Name, Node: p.Node, State: p.State, Since: stamp(p.Since)}
		for _, e := range p.Events {
			d.Events = append(d.Events, v1alpha1.LiveEvent{
				What: e.What, Earliest: stamp(e.Earliest), Latest: stamp(e.Latest),
			})
		}
		all = append(all, d)
	}
	return all
}

// stamp writes a time for programs, or nothing.
func stamp(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Round(time.Millisecond).Format(time.RFC3339Nano)
}
