package nodes

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
)

// RestartKubelet stops a node's kubelet and starts it again. In between it calls meanwhile, which may be nil. It does
// not wait for the new kubelet. [Set.AwaitKubelet] does. It returns a time before the request to stop the kubelet, and
// when systemd forked the new process, by the clock of the engine's host.
func (s *Set) RestartKubelet(
	ctx context.Context, nodeName string, meanwhile func(context.Context) error,
) (stopping, started time.Time, err error) {
	scripts, whole := []string{stopKubelet + startKubelet}, ctx
	if meanwhile != nil {
		// An interrupt must not leave the node without a kubelet.
		scripts, whole = []string{stopKubelet, startKubelet}, context.WithoutCancel(ctx)
	}
	var times []string
	var failed error
	for i, text := range scripts {
		if i > 0 {
			failed = meanwhile(ctx)
		}
		out, err := s.run(whole, nodeName, "restarting its kubelet", script{text: text})
		if err != nil {
			return stopping, started, errors.Join(failed, err)
		}
		times = append(times, out)
	}
	if stopping, started, err = parseTimes(strings.Join(times, "\n")); err != nil {
		err = fmt.Errorf("node %s: reading the times of its kubelet's restart: %w", nodeName, err)
	}
	return stopping, started, errors.Join(failed, err)
}

const (
	stopKubelet = `
date +%s%N
systemctl stop kubelet
`
	startKubelet = `
systemctl start kubelet
started=$(systemctl show --timestamp=us+utc --property ExecMainStartTimestamp --value kubelet)
date --date "${started:?}" +%s%N
`
)

// parseTimes parses two outputs of date +%s%N, each in its line.
func parseTimes(out string) (time.Time, time.Time, error) {
	first, second, _ := strings.Cut(out, "\n")
	from, err := strconv.ParseInt(first, 10, 64)
	to, alsoErr := strconv.ParseInt(second, 10, 64)
	return time.Unix(0, from).UTC(), time.Unix(0, to).UTC(), errors.Join(err, alsoErr)
}

// EndPods ends the processes of all pods but that of a UID, as a reboot does, and restarts the container runtime. The
// runtime has not seen them end. No kubelet may run.
func (s *Set) EndPods(ctx context.Context, nodeName, uid string) error {
	// An interrupt must not leave the node without a container runtime.
	_, err := s.run(context.WithoutCancel(ctx), nodeName, "ending its pods", script{text: endPods, args: []string{uid}})
	return err
}

// endPods kills each shim with its children, which are PID 1 of their containers.
const endPods = `
kept=$(ctr --namespace k8s.io containers list --quiet \
	"labels.\"io.cri-containerd.kind\"==sandbox,labels.\"io.kubernetes.pod.uid\"==$1")
: ${kept:?}
systemctl stop containerd
for shim in $(pgrep containerd-shim || :); do
	if ! tr '\0' ' ' </proc/$shim/cmdline | grep --quiet --fixed-strings "$kept"; then
		pkill -KILL --parent $shim || :
		kill -KILL $shim || :
	fi
done
systemctl start containerd
`

// AnnounceShutdown sends the signal of systemd-logind that the node shuts down (org.freedesktop.login1). Nothing else
// than the kubelet acts on it. It returns times before and after the signal, by the clock of the engine's host.
func (s *Set) AnnounceShutdown(ctx context.Context, nodeName string) (before, after time.Time, err error) {
	out, err := s.run(ctx, nodeName, "announcing its shutdown", script{text: shutdownScript})
	if err != nil {
		return before, after, err
	}
	if before, after, err = parseTimes(out); err != nil {
		err = fmt.Errorf("node %s: reading the times of its shutdown: %w", nodeName, err)
	}
	return before, after, err
}

const shutdownScript = `
date +%s%N
dbus-send --system --type=signal /org/freedesktop/login1 \
	org.freedesktop.login1.Manager.PrepareForShutdown boolean:true
date +%s%N
`

// AwaitKubelet waits until a node's kubelet that started at a time has renewed its lease and reported Ready.
func (s *Set) AwaitKubelet(ctx context.Context, nodeName string, started time.Time) error {
	n, err := s.Node(nodeName)
	if err != nil {
		return err
	}
	// A lease's time has a fraction, a status' time has none, so only the lease excludes the old kubelet.
	err = await(ctx, kubeletTimeout, func(ctx context.Context) (bool, error) {
		lease := &coordinationv1.Lease{}
		err := s.Client.Get(ctx, nodeName, corev1.NamespaceNodeLease, lease)
		return err == nil && lease.Spec.RenewTime != nil && lease.Spec.RenewTime.After(started), nil
	})
	if err != nil {
		const format = "its restarted kubelet did not renew its lease: %w (limit %v)"
		err = fmt.Errorf(format, Because(ctx, err), kubeletTimeout)
	} else {
		err = s.awaitHeartbeat(ctx, n, started.Truncate(time.Second))
	}
	if err != nil {
		return fmt.Errorf("node %s: %w; its kubelet logged: %s", nodeName, err, kubeletJournal(ctx, n))
	}
	return nil
}
