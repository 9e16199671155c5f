package manifest

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// mostSeconds is the longest time that is predicted, some ten years. The API server takes more: up to what
// no clock of a kubelet could count.
const mostSeconds = 10 * 366 * 24 * 60 * 60

// validateTimes refuses what the API server takes and no prediction could: times beyond mostSeconds, and
// probes that need longer than that to fail or succeed.
func validateTimes(spec *corev1.PodSpec, path *field.Path) field.ErrorList {
	var problems field.ErrorList
	within := func(seconds int64, at *field.Path, what string) {
		if seconds > mostSeconds {
			problems = append(
				problems,
				field.Invalid(
					at,
					seconds,
					fmt.Sprintf(
						"%s longer than %d s, ten years, which is more than can be predicted",
						what,
						mostSeconds,
					),
				),
			)
		}
	}
	given := func(seconds *int64, at *field.Path) {
		if seconds != nil {
			within(*seconds, at, "is")
		}
	}
	given(spec.TerminationGracePeriodSeconds, path.Child("terminationGracePeriodSeconds"))
	given(spec.ActiveDeadlineSeconds, path.Child("activeDeadlineSeconds"))
	for i, t := range spec.Tolerations {
		given(t.TolerationSeconds, path.Child("tolerations").Index(i).Child("tolerationSeconds"))
	}
	for _, containers := range []struct {
		all  []corev1.Container
		path *field.Path
	}{{spec.Containers, path.Child("containers")}, {spec.InitContainers, path.Child("initContainers")}} {
		for i, c := range containers.all {
			at := containers.path.Index(i)
			for _, p := range []struct {
				probe *corev1.Probe
				name  string
			}{{c.LivenessProbe, "livenessProbe"}, {c.ReadinessProbe, "readinessProbe"}, {c.StartupProbe, "startupProbe"}} {
				if p.probe == nil {
					continue
				}
				given(p.probe.TerminationGracePeriodSeconds, at.Child(p.name, "terminationGracePeriodSeconds"))
				within(int64(p.probe.InitialDelaySeconds), at.Child(p.name, "initialDelaySeconds"), "is")
				apart := int64(max(p.probe.PeriodSeconds, p.probe.TimeoutSeconds))
				within(
					apart*int64(p.probe.FailureThreshold),
					at.Child(p.name, "failureThreshold"),
					"makes of periods or timeouts a time",
				)
				within(
					apart*int64(p.probe.SuccessThreshold),
					at.Child(p.name, "successThreshold"),
					"makes of periods or timeouts a time",
				)
			}
		}
	}
	return problems
}
