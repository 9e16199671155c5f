// Package kubelet starts the whole kubelet of a virtual node, NewMainKubelet and Run, compiled from the release's
// source. It differs from the kubelet's command (cmd/kubelet) in the following.
//
// In the source, at compile time:
//   - pkg/probe/dialer_others.go is harness/virtual/hooks/dialer.go.txt: probes dial the runtime's servers in memory.
//   - fsnotify and the kernel log's parser are harness/virtual/stubs: the real ones wait for the host. The stub of
//     fsnotify reports what [Place] does. Since 1.37 the parser is a file of Kubernetes, so it is
//     harness/virtual/hooks/kmsgparser.go.txt.
//   - Go's runtime, math/rand and os have the edits of harness/kubelets/builder/order.go and the file
//     harness/virtual/hooks/runtime.go.txt: one order of execution, and random numbers by a seed.
//
// In the arguments of NewMainKubelet:
//   - Container runtime, API server and machine (cadvisor, capacity) are the virtual node's. The container manager
//     is a stub: no devices, no CPU, memory and topology policies. Cgroups of pods exist and limit nothing.
//   - The volume plugins are emptyDir, secret, configMap and projected. Mounts, subpaths, the OOM adjuster and
//     changes of files outside of the kubelet's root are fakes ([files]).
//   - Pods of the API come from this package's own reflector, because config.NewSourceApiserver needs a REST client.
//     Static pods come from the kubelet's own source of files.
//   - Requests to the API server have no rate limit and take no time. Events of one name get different names
//     ([sink]). Traces are dropped.
//   - The node exists before its kubelet. Its address is also its hostname; there is no cloud provider.
//   - The configuration is the defaults with [base] and patches. Flags are the defaults except for paths.
//
// In private fields of the kubelet:
//   - The shutdown manager learns of a shutdown from the node, not from the system bus ([login]).
//   - The transport of the HTTP hooks' client dials what probes dial.
//   - A relist that a sync asks for comes a microsecond after the sync ([relistsAfterSync]).
//   - The probers and the prober manager's view of pods' statuses are wrapped for the time after the kubelet's
//     death ([mortal]).
//
// In the process:
//   - wait.NeverStop, and in 1.34 the reflectors' neverExitWatch, are channels of the bubble. The former ends the
//     loops of a dying kubelet.
//   - There is one error handler, which logs: Kubernetes' second one sleeps.
//   - UIDs count pods, and the kubelet's folder has the same path in every process.
//   - Metrics are not registered, except for the probes' counters. Each kubelet resets these, and feature gates.
//   - Nodes follow each other in one process, each in a bubble of its own. An ended node has no time any more.
//
// Missing parts of the command: its servers; authentication, certificates and their rotation; the checks of the
// host (swap, cgroup version, user, kernel); capabilities, without which privileged pods are refused; the limit of
// open files; image credentials of the host; the watchdog of systemd; the set-up of logs.
//
// A killed kubelet stays in the process of its successor: its connections are severed, and its loops end if they
// use a context or wait.NeverStop. See [Kubelet.Kill].
//
// Everything here must be called inside a testing/synctest bubble.
package kubelet
