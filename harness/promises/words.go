package promises

import (
	"fmt"
	"regexp"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/podclock/podclock/harness/predict/effective"
)

var others = regexp.MustCompile(`[^a-z0-9]+`)

// slug returns words as a part of an ID.
func slug(words string) string {
	return strings.Trim(others.ReplaceAllString(strings.ToLower(words), "-"), "-")
}

// reducedProbe returns a probe with its numbers, the kind of its handler and a named port.
func reducedProbe(p *corev1.Probe) *corev1.Probe {
	if p == nil {
		return nil
	}
	own := *p
	switch h := p.ProbeHandler; {
	case h.Exec != nil:
		own.ProbeHandler = corev1.ProbeHandler{Exec: &corev1.ExecAction{Command: []string{"probe"}}}
	case h.HTTPGet != nil:
		own.ProbeHandler = corev1.ProbeHandler{HTTPGet: &corev1.HTTPGetAction{Port: h.HTTPGet.Port}}
	case h.TCPSocket != nil:
		own.ProbeHandler = corev1.ProbeHandler{TCPSocket: &corev1.TCPSocketAction{Port: h.TCPSocket.Port}}
	case h.GRPC != nil:
		own.ProbeHandler = corev1.ProbeHandler{GRPC: &corev1.GRPCAction{Port: h.GRPC.Port}}
	}
	return &own
}

// reducedHook returns a hook that takes as long as this one surely does, and is as exact.
func reducedHook(h *corev1.LifecycleHandler) *corev1.LifecycleHandler {
	switch {
	case h == nil:
		return nil
	case h.HTTPGet != nil:
		return &corev1.LifecycleHandler{HTTPGet: &corev1.HTTPGetAction{Port: h.HTTPGet.Port}}
	case h.TCPSocket != nil:
		return &corev1.LifecycleHandler{TCPSocket: &corev1.TCPSocketAction{Port: h.TCPSocket.Port}}
	case h.Exec == nil:
		return h.DeepCopy()
	}
	least, exact := effective.Takes(h)
	command := []string{"sleep", sleepFor(least)}
	if !exact {
		command = []string{"sh", "-c", "sleep " + sleepFor(least) + "; hook"}
	}
	return &corev1.LifecycleHandler{Exec: &corev1.ExecAction{Command: command}}
}

func sleepFor(d time.Duration) string { return fmt.Sprintf("%d.%09d", d/time.Second, d%time.Second) }
