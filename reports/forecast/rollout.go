package forecast

import (
	"fmt"

	"github.com/podclock/podclock/harness/manifest"
	"github.com/podclock/podclock/harness/predict"
	"github.com/podclock/podclock/harness/run"
	"github.com/podclock/podclock/reports/apis/predictions/v1alpha1"
)

// controllerSays is about what a controller does with all pods of a workload. It is empty without a controller.
func controllerSays(w predict.Prediction) (all []Sentence) {
	if w.AllPods == nil {
		return nil
	}
	if r := w.AllPods.Rollout; r != nil {
		all = append(all, Sentence{"Rollout", rolloutSays(w.Controller, r)})
	}
	if s := w.AllPods.ScaleDown; s != nil {
		all = append(all, Sentence{"Scale-down", scaleDownSays(w.Controller, s)})
	}
	return all
}

func rolloutSays(c *manifest.Controller, r *predict.Passage) string {
	if r.Never != "" {
		return "never, because " + r.Never
	}
	what := batchSays(r)
	switch {
	case c.Strategy == manifest.Recreate:
		what = "new pods start when all old ones are gone"
	case c.PerNode && r.Share == "":
		what = run.Plural(r.AtOnce, "node") + " at a time"
	case c.Ordered && r.Pods != 1:
		what += ", the highest ordinal first"
	}
	return what + ": " + takes(r)
}

func scaleDownSays(c *manifest.Controller, s *predict.Passage) string {
	if c.Ordered && !c.Parallel && s.Pods != 1 {
		return "to no pods, 1 at a time, the highest ordinal first: " + takes(s)
	}
	return "all pods at once, gone " + span(s.Takes) + " later"
}

// drainedSays is about a drain of a workload's pods within their budgets, or empty if the manifest has none.
func drainedSays(w predict.Prediction) string {
	if w.AllPods == nil || w.AllPods.Drain == nil {
		return ""
	}
	d, b := w.AllPods.Drain, w.Budgets[0]
	if d.Never != "" {
		return "never, because " + d.Never
	}
	says := "as a delete; PodDisruptionBudget " + b.Name + " allows "
	switch {
	case b.Allows.Least < b.Allows.Most:
		return says + fmt.Sprintf("%d to %d pods at a time", b.Allows.Least, b.Allows.Most)
	case b.Shared:
		return says + fmt.Sprintf("%d of %s at a time", b.Allows.Most, run.Plural(b.Pods.Most, "pod"))
	case d.AtOnce == 0:
		return says + "all at once"
	}
	return says + fmt.Sprintf("%d of %s at a time, each time when new ones are ready: all are gone after %s",
		d.AtOnce, run.Plural(d.Pods, "pod"), takes(d))
}

func batchSays(p *predict.Passage) string {
	at := fmt.Sprintf("%d at a time", p.AtOnce)
	switch {
	case p.Share != "":
		return p.Share + " at a time"
	case p.Pods == 0:
		return run.Plural(p.AtOnce, "pod") + " at a time"
	case p.Pods == 1:
		return "1 pod"
	case p.AtOnce == p.Pods:
		at = "all at once"
	}
	return run.Plural(p.Pods, "pod") + ", " + at
}

// takes says what is known of a time, and what comes on top: "62 to 75 s, plus 3 times the start of a pod".
func takes(p *predict.Passage) string {
	says := span(p.Takes)
	if p.Pods == 0 {
		says += " each time"
	}
	switch p.Starts {
	case 0:
		return says
	case 1:
		return says + ", plus the time to schedule and start a pod"
	}
	return says + fmt.Sprintf(", plus %d times the time to schedule and start a pod", p.Starts)
}

func allPodsOf(t *predict.AllPods) *v1alpha1.AllPods {
	if t == nil {
		return nil
	}
	return &v1alpha1.AllPods{
		Rollout: passageOf(t.Rollout), ScaleDown: passageOf(t.ScaleDown), Drain: passageOf(t.Drain),
	}
}

func passageOf(p *predict.Passage) *v1alpha1.Passage {
	if p == nil {
		return nil
	}
	d := &v1alpha1.Passage{
		Never: p.Never, Pods: p.Pods, PodsAtOnce: p.AtOnce, ShareAtOnce: p.Share, PodStarts: p.Starts,
	}
	if p.Never == "" {
		d.SecondsMin, d.SecondsMax = optional(&p.Takes)
	}
	return d
}
