package manifest

import (
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// validateProbes are validateLivenessProbe, validateReadinessProbe and validateStartupProbe of
// pkg/apis/core/validation/validation.go.
func validateProbes(c *corev1.Container, path *field.Path) field.ErrorList {
	var problems field.ErrorList
	for _, p := range []struct {
		probe *corev1.Probe
		path  *field.Path
		// kills says that the probe's failure kills.
		kills bool
	}{
		{c.LivenessProbe, path.Child("livenessProbe"), true},
		{c.ReadinessProbe, path.Child("readinessProbe"), false},
		{c.StartupProbe, path.Child("startupProbe"), true},
	} {
		if p.probe == nil {
			continue
		}
		problems = append(problems, validateProbe(p.probe, p.path)...)
		if p.kills && p.probe.SuccessThreshold != 1 {
			problems = append(
				problems,
				field.Invalid(p.path.Child("successThreshold"), p.probe.SuccessThreshold, "must be 1"),
			)
		}
		if !p.kills && p.probe.TerminationGracePeriodSeconds != nil {
			problems = append(
				problems,
				field.Invalid(p.path.Child("terminationGracePeriodSeconds"), *p.probe.TerminationGracePeriodSeconds,
					"must not be set for readinessProbes"),
			)
		}
	}
	return problems
}

// validateProbe is validateProbe of validation.go.
func validateProbe(p *corev1.Probe, path *field.Path) field.ErrorList {
	problems := validateHandler(
		handler{exec: p.Exec, httpGet: p.HTTPGet, tcpSocket: p.TCPSocket, grpc: p.GRPC},
		nil,
		path,
	)
	for _, n := range []struct {
		name  string
		value int32
	}{
		{"initialDelaySeconds", p.InitialDelaySeconds},
		{"timeoutSeconds", p.TimeoutSeconds},
		{"periodSeconds", p.PeriodSeconds},
		{"successThreshold", p.SuccessThreshold},
		{"failureThreshold", p.FailureThreshold},
	} {
		problems = append(problems, nonnegative(int64(n.value), path.Child(n.name))...)
	}
	if g := p.TerminationGracePeriodSeconds; g != nil && *g <= 0 {
		problems = append(
			problems,
			field.Invalid(path.Child("terminationGracePeriodSeconds"), *g, "must be greater than 0"),
		)
	}
	return problems
}

// validateLifecycle is validateLifecycle of validation.go; a stop signal is dropped before it (feature gate
// ContainerStopSignals).
func validateLifecycle(l *corev1.Lifecycle, grace *int64, path *field.Path) field.ErrorList {
	if l == nil {
		return nil
	}
	var problems field.ErrorList
	for _, h := range []struct {
		handler *corev1.LifecycleHandler
		path    *field.Path
	}{{l.PostStart, path.Child("postStart")}, {l.PreStop, path.Child("preStop")}} {
		if h.handler != nil {
			problems = append(problems, validateHandler(
				handler{
					exec:      h.handler.Exec,
					httpGet:   h.handler.HTTPGet,
					tcpSocket: h.handler.TCPSocket,
					sleep:     h.handler.Sleep,
				},
				grace,
				h.path,
			)...)
		}
	}
	return problems
}

// handler is what a probe and a hook have in common.
type handler struct {
	exec      *corev1.ExecAction
	httpGet   *corev1.HTTPGetAction
	tcpSocket *corev1.TCPSocketAction
	grpc      *corev1.GRPCAction
	sleep     *corev1.SleepAction
}

// validateHandler is validateHandler of validation.go: there must be one, and only the first is looked at.
func validateHandler(h handler, grace *int64, path *field.Path) field.ErrorList {
	var problems field.ErrorList
	handlers := 0
	one := func(given bool, name string, validate func(*field.Path) field.ErrorList) {
		switch {
		case !given:
		case handlers > 0:
			problems = append(problems, field.Forbidden(path.Child(name), "may not specify more than 1 handler type"))
		default:
			handlers++
			problems = append(problems, validate(path.Child(name))...)
		}
	}
	one(h.exec != nil, "exec", func(at *field.Path) field.ErrorList {
		if len(h.exec.Command) == 0 {
			return field.ErrorList{field.Required(at.Child("command"), "")}
		}
		return nil
	})
	one(h.httpGet != nil, "httpGet", func(at *field.Path) field.ErrorList { return validateHTTPGet(h.httpGet, at) })
	one(
		h.tcpSocket != nil,
		"tcpSocket",
		func(at *field.Path) field.ErrorList { return validatePort(h.tcpSocket.Port, at.Child("port")) },
	)
	one(h.grpc != nil, "grpc", func(at *field.Path) field.ErrorList {
		return validatePort(intstr.FromInt32(h.grpc.Port), at.Child("port"))
	})
	one(h.sleep != nil, "sleep", func(at *field.Path) field.ErrorList {
		if grace != nil && (h.sleep.Seconds < 0 || h.sleep.Seconds > *grace) {
			return field.ErrorList{
				field.Invalid(
					at,
					h.sleep.Seconds,
					fmt.Sprintf("must be non-negative and not more than terminationGracePeriodSeconds (%d)", *grace),
				),
			}
		}
		return nil
	})
	if handlers == 0 {
		problems = append(problems, field.Required(path, "must specify a handler type"))
	}
	return problems
}

// validateHTTPGet is validateHTTPGetAction of validation.go.
func validateHTTPGet(h *corev1.HTTPGetAction, path *field.Path) field.ErrorList {
	problems := validatePort(h.Port, path.Child("port"))
	if schemes := []corev1.URIScheme{corev1.URISchemeHTTP, corev1.URISchemeHTTPS}; !slices.Contains(schemes, h.Scheme) {
		problems = append(problems, field.NotSupported(path.Child("scheme"), h.Scheme, schemes))
	}
	for _, header := range h.HTTPHeaders {
		for _, message := range validation.IsHTTPHeaderName(header.Name) {
			problems = append(problems, field.Invalid(path.Child("httpHeaders"), header.Name, message))
		}
	}
	return problems
}

// validatePort is ValidatePortNumOrName of validation.go.
func validatePort(port intstr.IntOrString, path *field.Path) field.ErrorList {
	var problems field.ErrorList
	if port.Type == intstr.String {
		for _, message := range validation.IsValidPortName(port.StrVal) {
			problems = append(problems, field.Invalid(path, port.StrVal, message))
		}
		return problems
	}
	for _, message := range validation.IsValidPortNum(port.IntValue()) {
		problems = append(problems, field.Invalid(path, port.IntValue(), message))
	}
	return problems
}
