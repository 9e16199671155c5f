package podspec

import (
	"cmp"

	corev1 "k8s.io/api/core/v1"

	"github.com/podclock/podclock/harness/formula"
	"github.com/podclock/podclock/harness/victim"
)

// ProbeOf returns a container's probe of a kind ("liveness", "readiness", "startup"), or nil.
func ProbeOf(c *corev1.Container, kind string) *corev1.Probe {
	switch kind {
	case victim.Readiness:
		return c.ReadinessProbe
	case victim.Startup:
		return c.StartupProbe
	case victim.Liveness:
		return c.LivenessProbe
	}
	return nil
}

// killing returns the probe that kills a container for this cause, or its liveness probe if the cause is no probe.
func killing(c *corev1.Container, cause formula.Cause) *corev1.Probe {
	if cause == formula.ByStartup {
		return c.StartupProbe
	}
	return c.LivenessProbe
}

// Probe reads a probe with the API's defaults (pkg/apis/core/v1/defaults.go SetDefaults_Probe).
func Probe(p *corev1.Probe) formula.Probe {
	return formula.Probe{
		Handler:             handler(p),
		InitialDelaySeconds: int(p.InitialDelaySeconds),
		PeriodSeconds:       PeriodSeconds(p),
		TimeoutSeconds:      withDefault(p.TimeoutSeconds, 1),
		FailureThreshold:    withDefault(p.FailureThreshold, 3),
		SuccessThreshold:    withDefault(p.SuccessThreshold, 1),
	}
}

// PeriodSeconds returns a probe's period with the API's default.
func PeriodSeconds(p *corev1.Probe) int { return withDefault(p.PeriodSeconds, 10) }

func handler(p *corev1.Probe) string {
	switch {
	case p.Exec != nil:
		return "exec"
	case p.TCPSocket != nil:
		return "tcp"
	case p.GRPC != nil:
		return "grpc"
	}
	return "http"
}

// withDefault returns a field's value, or the API's default if it is missing.
func withDefault(v, otherwise int32) int { return int(cmp.Or(v, otherwise)) }
