package judge

import (
	"fmt"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/podclock/podclock/harness/measure/timeline"
	"github.com/podclock/podclock/harness/rules/formula"
)

// killedDead applies if the kubelet killed a container for a probe when it had ended by itself, and needed failures
// that no life saw: on a busy node, probes come between an end and the sync that sees it. Such a container starts again
// without a back-off, and its failures count from zero.
func killedDead(c *trialCase) string {
	for _, e := range c.timeline.Events {
		kind, probe := killer(c.trial.PodOf(e.Container), e)
		life, next := lifeBefore(c.timeline, e)
		if probe == nil || life == nil || next == nil || life.SIGTERM() != nil {
			continue
		}
		firstEnd := life.Gone.At
		for _, l := range c.timeline.Containers[e.Container].Lives {
			if l.Gone != nil {
				firstEnd = min(firstEnd, l.Gone.At)
			}
		}
		late := formula.HTTPStart + c.delays.Total(firstEnd, e.At.At)
		threshold, period := max(1, int(probe.FailureThreshold)), time.Duration(probe.PeriodSeconds)*time.Second
		saw := c.timeline.FailuresBefore(e.Container, next.Number, kind)
		met := c.timeline.MetDead(e.Container, next.Number, kind, period, late, formula.PLEGRelist)
		if saw < threshold && saw+met >= threshold {
			return fmt.Sprintf("%s was killed for its %s probe %s after life %d had ended: its lives saw %d of %d "+
				"failures, others came after their ends", e.Container, kind, duration(e.At.At-life.Gone.At), life.Number, saw, threshold)
		}
	}
	return ""
}

// killer returns the probe, and its kind, for which an event says that its container was killed.
func killer(pod *corev1.Pod, e timeline.Event) (kind string, probe *corev1.Probe) {
	for _, c := range slices.Concat(pod.Spec.InitContainers, pod.Spec.Containers) {
		switch {
		case e.Reason != "Killing" || c.Name != e.Container:
		case strings.Contains(e.Message, " failed liveness probe"):
			return string(formula.ByLiveness), c.LivenessProbe
		case strings.Contains(e.Message, " failed startup probe"):
			return string(formula.ByStartup), c.StartupProbe
		}
	}
	return "", nil
}

// lifeBefore returns the life of an event's container that had ended then, if the next one had not started, and that
// one.
func lifeBefore(tl *timeline.Timeline, e timeline.Event) (life, next *timeline.Life) {
	container := tl.Containers[e.Container]
	if container == nil {
		return nil, nil
	}
	for _, l := range container.Lives {
		next = tl.Life(e.Container, l.Number+1)
		if l.Gone != nil && l.Gone.At < e.At.At && next != nil && next.Started != nil && e.At.At < next.Started.At {
			return l, next
		}
	}
	return nil, nil
}
