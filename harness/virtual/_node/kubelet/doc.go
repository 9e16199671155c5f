// Package kubelet starts the kubelet of a virtual node: the whole of it, NewMainKubelet and Run, compiled
// from the release's source. All that is not as the kubelet's command (cmd/kubelet) runs it:
//
// In the source, at compile time:
//   - pkg/probe/dialer_others.go is harness/virtual/hooks/dialer.go.txt: probes dial what the runtime serves in memory.
//   - The modules of fsnotify and of the kernel log's parser are harness/virtual/stubs: they would wait for the host.
//
// In what NewMainKubelet is given:
//   - Container runtime, API server and machine (cadvisor, capacity) are the virtual node's. The container manager is a stub: no cgroups, no devices, no CPU,
//     memory and topology policies.
//   - Of the volume plugins there are emptyDir, secret, configMap and projected. Mounts, subpaths, the OOM adjuster and what is done to files outside of the
//     kubelet's root are fakes ([files]).
//   - Pods come by a reflector of our own, as config.NewSourceApiserver needs a REST client; there are no static pods, from files or by HTTP.
//   - Requests to the API server know no limit of queries per second, and take no time. Events of one name get names of their own ([sink]).
//   - Traces go nowhere.
//   - The node does not register itself: it is there before. Its address stands for its host's name, and there is no cloud provider.
//   - The configuration is that of the defaults, with [base] and patches; flags are the defaults' except the paths.
//
// In the kubelet that was made, by its private fields:
//   - The transport of HTTP hooks' client dials what probes dial; the rest of it is as it was.
//   - The probers and the prober manager's view of pods' statuses are wrapped, for the time after the kubelet's death only ([mortal]).
//
// In the process:
//   - wait.NeverStop, and in 1.34 the reflectors' neverExitWatch, are channels of the bubble. The former ends the loops of a kubelet that dies.
//   - There is one handler of errors, which logs: Kubernetes' second one sleeps.
//   - Each kubelet has a metric registry of its own; the probes' counters are emptied.
//   - Feature gates are set anew for each kubelet, as it is no process of its own.
//
// Left out of what the command does: its servers (the kubelet's API, read-only, health, metrics, pod
// resources); authentication, certificates and their rotation; the checks of the host (swap, cgroup
// version, user, kernel); capabilities, without which privileged pods are refused; the limit of open files;
// image credentials of the host; the watchdog of systemd; the set-up of logs.
//
// A kubelet that is killed lives in the process that its successor runs in: its connections are severed,
// its loops are ended where they look at a context or at wait.NeverStop, and what is left of it finds
// nobody. See [Kubelet.Kill].
//
// Everything here must be called inside a testing/synctest bubble.
package kubelet
