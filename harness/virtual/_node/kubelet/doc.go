// Package kubelet starts the kubelet of a virtual node: the whole of it, NewMainKubelet and Run, compiled from the
// release's source. It differs from the kubelet's command (cmd/kubelet) in the following.
//
// In the source, at compile time:
//   - pkg/probe/dialer_others.go is harness/virtual/hooks/dialer.go.txt: probes dial the runtime's servers in
//     memory.
//   - The modules of fsnotify and of the kernel log's parser are harness/virtual/stubs: the real ones wait for the
//     host.
//
// In the arguments of NewMainKubelet:
//   - Container runtime, API server and machine (cadvisor, capacity) are the virtual node's. The container manager
//     is a stub: no cgroups, no devices, no CPU, memory and topology policies.
//   - The volume plugins are emptyDir, secret, configMap and projected. Mounts, subpaths, the OOM adjuster and
//     changes of files outside of the kubelet's root are fakes ([files]).
//   - Pods come from this package's own reflector, because config.NewSourceApiserver needs a REST client. There are
//     no static pods, from files or by HTTP.
//   - Requests to the API server have no rate limit and take no time. Events of one name get different names
//     ([sink]).
//   - Traces are dropped.
//   - The node does not register itself, because it exists before. Its address is also its hostname, and there is no
//     cloud provider.
//   - The configuration is the defaults with [base] and patches. Flags are the defaults except for paths.
//
// In private fields of the kubelet:
//   - The transport of the HTTP hooks' client dials what probes dial, and is otherwise unchanged.
//   - The probers and the prober manager's view of pods' statuses are wrapped, for the time after the kubelet's
//     death only ([mortal]).
//
// In the process:
//   - wait.NeverStop, and in 1.34 the reflectors' neverExitWatch, are channels of the bubble. The former ends the
//     loops of a dying kubelet.
//   - There is one error handler, which logs: Kubernetes' second one sleeps.
//   - Each kubelet has its own metric registry; the probes' counters are reset.
//   - Feature gates are set for each kubelet, because it is not a process of its own.
//
// Parts of the command that are missing: its servers (the kubelet's API, read-only, health, metrics, pod resources);
// authentication, certificates and their rotation; the checks of the host (swap, cgroup version, user, kernel);
// capabilities, without which privileged pods are refused; the limit of open files; image credentials of the host;
// the watchdog of systemd; the set-up of logs.
//
// A killed kubelet stays in the process of its successor: its connections are severed, and its loops end if they use
// a context or wait.NeverStop. See [Kubelet.Kill].
//
// Everything here must be called inside a testing/synctest bubble.
package kubelet
