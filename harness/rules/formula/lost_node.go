package formula

import "time"

// The formulas of a node that stops answering, if the control plane has its defaults.
var (
	// NodeLost is the time from the moment from which a node does not answer until its pods are not ready.
	NodeLost = Formula{
		ID: "deletion/node-lost",
		Description: "a node whose lease is not renewed for node-monitor-grace-period is unreachable, and its pods are not " +
			"ready; the controller counts from when it saw the last renewal",
		Source: "pkg/controller/nodelifecycle/node_lifecycle_controller.go tryUpdateNodeHealth, monitorNodeHealth " +
			"(MarkPodsNotReady); pkg/controller/nodelifecycle/config/v1alpha1/defaults.go " +
			"RecommendedDefaultNodeLifecycleControllerConfiguration; pkg/kubelet/kubelet.go " +
			"nodeLeaseRenewIntervalFraction; component-helpers apimachinery/lease/controller.go Run",
		Of: Controller,
		Implemented: func(in Input) Window {
			return span(lastRenewal,
				upTo("the controller sees the renewal", nodeMonitorPeriod),
				in.monitorGrace(),
				upTo("the controller's next look", nodeMonitorPeriod),
				shown,
			)
		},
		Documented:   promised(func(in Input) Window { return span(lastRenewal, in.monitorGrace()) }),
		Promise:      "A node is Unknown if the node controller has not heard from it for node-monitor-grace-period.",
		DocumentedAt: "https://kubernetes.io/docs/reference/node/node-status/#condition",
	}
	// NodeTainted is the time from NodeLost to the taint that ends the node's pods, if no other of its zone is lost.
	NodeTainted = Formula{
		ID: "deletion/node-tainted",
		Description: "a lost node gets the taint node.kubernetes.io/unreachable at once; of several, one in ten seconds, " +
			"and none if all nodes are lost",
		Source: "pkg/controller/nodelifecycle/node_lifecycle_controller.go processTaintBaseEviction, " +
			"doNoExecuteTaintingPass, setLimiterInZone",
		Of: Controller,
		Implemented: always(span(
			between("before the status is shown", -statusWrite, 0),
			upTo("the controller's next look, if it has not seen its own write", nodeMonitorPeriod),
			atAPIServer,
		)),
	}
)

const (
	// nodeMonitorPeriod is how often the controller looks at all nodes (defaults.go
	// RecommendedDefaultNodeLifecycleControllerConfiguration).
	nodeMonitorPeriod = 5 * time.Second
	// leaseRenewal is the longest time between two renewals of a node's lease: a quarter of nodeLeaseDurationSeconds
	// (40, v1beta1/defaults.go), and 4 % of it at random.
	leaseRenewal = 10*time.Second + 400*time.Millisecond
)

var lastRenewal = between("the last renewal of the lease, every 10 s, came before", -leaseRenewal, 0)

// monitorGrace returns node-monitor-grace-period of a control plane of the kubelet's release.
func (in Input) monitorGrace() Term {
	grace := 40 * time.Second
	if in.Kubelet.Has(LongerMonitorGrace) {
		grace = 50 * time.Second
	}
	return exactly("node-monitor-grace-period", grace)
}
