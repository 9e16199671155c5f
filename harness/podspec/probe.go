package podspec

import (
	corev1 "k8s.io/api/core/v1"

	"github.com/podclock/podclock/harness/formula"
	"github.com/podclock/podclock/harness/victim"
)

// ProbeOf is a container's probe of a kind ("liveness", "readiness", "startup"), nil where it has none.
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

// killing is the probe that kills a container for this cause; for a cause that is no probe's, the one that could.
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

// PeriodSeconds is a probe's period with the API's default.
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
