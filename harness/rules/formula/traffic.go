package formula

import "time"

// The formulas of a pod's traffic through its Services, if the control plane and the nodes' kube-proxies have their
// defaults. The kubelet waits for none of this.
var (
	// EndpointUnready is the time from a delete until the pod's endpoints are not ready.
	EndpointUnready = Formula{
		ID: "deletion/endpoint-unready",
		Description: "an endpoint is not ready as soon as its pod has a deletionTimestamp, unless its Service has " +
			"publishNotReadyAddresses; the controller waits for no batch",
		Source: "pkg/controller/endpointslice/endpointslice_controller.go syncService (endpointUpdatesBatchPeriod is 0; " +
			"podToEndpoint of the module endpointslice)",
		Of:          Controller,
		Implemented: always(endpointUnready()),
	}
	// EndpointFollowsProbe is the time from a readiness probe's first failure until the pod's endpoints are not ready.
	EndpointFollowsProbe = Formula{
		ID:          "probes/endpoint-unready",
		Description: "an endpoint is not ready as soon as its pod is not",
		Source: "pkg/controller/endpointslice/endpointslice_controller.go syncService; pkg/kubelet/prober/worker.go " +
			"doProbe",
		Of: Controller,
		Implemented: func(in Input) Window {
			return span(append(unreadyLag(in).Terms, endpointUnready().Terms...)...)
		},
	}
	// ProxyFollows is the time from then until a node's proxy sends the pod no new connections.
	ProxyFollows = Formula{
		ID: "deletion/proxy-follows",
		Description: "kube-proxy writes its rules again, at most once in minSyncPeriod; connections that exist go on, and " +
			"so do new ones if no other endpoint is ready",
		Source: "pkg/proxy/iptables/proxier.go Sync (nftables, too); pkg/proxy/apis/config/v1alpha1/defaults.go " +
			"SetDefaults_KubeProxyConfiguration",
		Of:          Proxy,
		Implemented: always(proxyFollows()),
	}
	// RequestsThenSignal is the time from the last new connection to SIGTERM. It is negative if SIGTERM is first.
	RequestsThenSignal = Formula{
		ID:          "deletion/requests-then-signal",
		Description: "SIGTERM waits for the preStop hook, and for no proxy",
		Source: "pkg/proxy/iptables/proxier.go Sync; pkg/kubelet/kuberuntime/kuberuntime_container.go " +
			"executePreStopHook",
		Of: Proxy,
		Implemented: func(in Input) Window {
			hook := in.hookPart()
			follow := endpointUnready().Latest + proxyFollows().Latest
			return fromDelete(between("preStop hook", hook.Low, hook.High),
				Term{Name: "endpoints and proxies", Earliest: -follow})
		},
	}
	// LastEndpoint is the time from the last new connection to the death of a deleted pod without a ready neighbour.
	LastEndpoint = Formula{
		ID: "deletion/last-endpoint",
		Description: "kube-proxy sends new connections to a pod that terminates if no endpoint of the Service is ready, as " +
			"long as the pod is",
		Source:      "pkg/proxy/topology.go CategorizeEndpoints",
		Of:          Proxy,
		Implemented: always(toTheEnd()),
	}
	// AlwaysRouted is the same for a Service with publishNotReadyAddresses, beside a ready neighbour.
	AlwaysRouted = Formula{
		ID:          "deletion/always-routed",
		Description: "publishNotReadyAddresses keeps an endpoint ready until its pod's object is gone",
		Source: "pkg/proxy/topology.go CategorizeEndpoints (podToEndpoint of the module endpointslice makes it " +
			"ready)",
		Of:          Proxy,
		Implemented: always(toTheEnd()),
	}
)

const (
	proxyMinSync = time.Second
	// proxySync is how long kube-proxy takes to write its rules. It is longer with thousands of Services.
	proxySync = time.Second
	// requestWay is how long a new connection and its answer take.
	requestWay = 250 * time.Millisecond
)

func endpointUnready() Window { return span(watched, atAPIServer) }

func proxyFollows() Window {
	return span(watched, upTo("minSyncPeriod", proxyMinSync), upTo("rules", proxySync))
}

func toTheEnd() Window { return span(upTo("next connection", requestWay)) }
