package formula

import "time"

// The formulas of a deleted pod's traffic, if the control plane and the nodes' proxies have their defaults. The kubelet
// waits for none of this. No trial measures them yet.
var (
	// EndpointUnready is the time from a delete until the pod's endpoints are not ready.
	EndpointUnready = Formula{
		ID: "deletion/endpoint-unready",
		Description: "an endpoint is not ready as soon as its pod has a deletionTimestamp, unless its Service has " +
			"publishNotReadyAddresses; the controller waits for no batch",
		Source: "pkg/controller/endpointslice/endpointslice_controller.go syncService (endpointUpdatesBatchPeriod is 0; " +
			"podToEndpoint of the module endpointslice)",
		Of:          Controller,
		Implemented: always(span(watched, atAPIServer)),
	}
	// ProxyFollows is the time from then until a node's proxy sends the pod no new connections.
	ProxyFollows = Formula{
		ID:          "deletion/proxy-follows",
		Description: "kube-proxy writes its rules again, at most once in minSyncPeriod; connections that exist go on",
		Source: "pkg/proxy/iptables/proxier.go Sync (nftables, too); pkg/proxy/apis/config/v1alpha1/defaults.go " +
			"SetDefaults_KubeProxyConfiguration",
		Of:          Proxy,
		Implemented: always(span(watched, upTo("minSyncPeriod", proxyMinSync), upTo("rules", proxySync))),
	}
)

const (
	proxyMinSync = time.Second
	// proxySync is how long kube-proxy takes to write its rules. It is longer with thousands of Services.
	proxySync = time.Second
)
