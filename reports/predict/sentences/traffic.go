package sentences

import (
	"strings"

	"github.com/podclock/podclock/harness/predict"
	"github.com/podclock/podclock/harness/predict/effective"
	"github.com/podclock/podclock/harness/rules/formula"
)

// trafficShort is about the same as trafficText.
func trafficShort(w predict.Prediction) string {
	t := w.Traffic
	switch {
	case t == nil:
		return ""
	case len(t.Always) > 0:
		return "new connections until the pod's object is gone"
	}
	says := "new connections for up to " + effective.Words(t.Routed.Latest) + " after a delete"
	if w.Kubelet.Has(formula.TerminatingRouted) {
		says += ", until its end if no other pod is ready"
	}
	if t.Sleep > 0 {
		return says + "; sleep so long in preStop"
	}
	return says + ", before SIGTERM"
}

// trafficText is about new connections through Services after a delete, or nothing.
func trafficText(w predict.Prediction) string {
	t := w.Traffic
	if t == nil {
		return ""
	}
	if len(t.Always) > 0 {
		return "Service " + strings.Join(t.Always, ", ") + " sends new connections to the pod until its object is " +
			"gone, because it publishes addresses that are not ready; SIGTERM comes " +
			Span(t.SIGTERM) + " after a delete"
	}
	says := "proxies send new connections through Service " + strings.Join(t.Services, ", ") + " for up to " +
		effective.Words(t.Routed.Latest) + " after a delete, and SIGTERM comes " + Span(t.SIGTERM) + " after it"
	if t.Sleep > 0 {
		says += ": they fail if the process stops accepting them at once. A preStop sleep of " +
			effective.Words(t.Sleep) + " avoids that"
	}
	if w.Kubelet.Has(formula.TerminatingRouted) {
		says += "; if no other pod of the Service is ready, kube-proxy sends them until the pod is not ready or ends"
	}
	return says + "; load balancers outside of the cluster follow by rules of their own"
}
