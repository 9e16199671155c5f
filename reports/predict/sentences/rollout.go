package sentences

import (
	"fmt"

	"github.com/podclock/podclock/harness/predict"
	"github.com/podclock/podclock/harness/predict/manifest"
	"github.com/podclock/podclock/harness/predict/replicas"
)

// rolloutText is about the replacement of all pods of a controller, or empty.
func rolloutText(w predict.Prediction) string {
	pods, c := w.AllPods, w.Controller
	if pods == nil || pods.Rollout == nil {
		return ""
	}
	r := pods.Rollout
	if r.Never != "" {
		return "never, because " + r.Never
	}
	what := batchText(r)
	switch {
	case c.Strategy == manifest.Recreate:
		what = "new pods start when all old ones are gone"
	case c.PerNode && r.Share == "":
		what = Count(r.AtOnce, "node") + " at a time"
	case c.Ordered && r.Pods != 1:
		what += ", the highest ordinal first"
	}
	return what + ": " + takes(r)
}

// scaleDownText is about the removal of all pods of a controller, or empty.
func scaleDownText(w predict.Prediction) string {
	pods, c := w.AllPods, w.Controller
	if pods == nil || pods.ScaleDown == nil {
		return ""
	}
	s := pods.ScaleDown
	gone := "gone " + Span(s.Takes) + " later"
	switch {
	case s.Pods == 1:
		return "the pod is " + gone
	case c.Ordered && !c.Parallel:
		return "to no pods, 1 at a time, the highest ordinal first: " + takes(s)
	}
	return "all pods at once, " + gone
}

// drainedText is about a drain of a workload's pods within their budgets.
func drainedText(w predict.Prediction, d *predict.Disruption) string {
	b := w.Budgets[0]
	if d.Never != "" {
		return "never, because " + d.Never
	}
	says := "as a delete; PodDisruptionBudget " + b.Name + " allows "
	if all := allowedText(d, b); all != "" {
		return says + all
	}
	return says + fmt.Sprintf("%d of %s at a time, each time when new ones are ready: all are gone after %s",
		d.AtOnce, Count(d.Pods, "pod"), takes(d))
}

// allowedText is how many pods a budget lets go, or empty if all steps of the drain are known.
func allowedText(d *predict.Disruption, b replicas.Budget) string {
	switch {
	case b.Allows.Least < b.Allows.Most:
		return fmt.Sprintf("%d to %d pods at a time", b.Allows.Least, b.Allows.Most)
	case b.Shared:
		return fmt.Sprintf("%d of %s at a time", b.Allows.Most, Count(b.Pods.Most, "pod"))
	case d.AtOnce == 0:
		return "all at once"
	}
	return ""
}

// drainedShort is about a drain within a budget.
func drainedShort(d *predict.Disruption, b replicas.Budget) string {
	if all := allowedText(d, b); all != "" {
		return "as a delete, " + all
	}
	return fmt.Sprintf("%d of %s at a time, all gone after %s, plus %s", d.AtOnce, Count(d.Pods, "pod"),
		Span(outward(d.Takes)), Count(d.Starts, "pod start"))
}

func batchText(p *predict.Disruption) string {
	at := fmt.Sprintf("%d at a time", p.AtOnce)
	switch {
	case p.Share != "":
		return p.Share + " at a time"
	case p.Pods == 0:
		return Count(p.AtOnce, "pod") + " at a time"
	case p.Pods == 1:
		return "1 pod"
	case p.AtOnce == p.Pods:
		at = "all at once"
	}
	return Count(p.Pods, "pod") + ", " + at
}

// takes says what is known of a time, and what comes on top: "62 to 75 s, plus 3 times the start of a pod".
func takes(p *predict.Disruption) string {
	says := Span(p.Takes)
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
