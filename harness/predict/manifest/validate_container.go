package manifest

import (
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	apivalidation "k8s.io/apimachinery/pkg/api/validation"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// validator collects what the API server's validation refuses. Its methods are functions of
// pkg/apis/core/validation/validation.go, limited to the fields that predictions read.
type validator struct{ problems field.ErrorList }

func (v *validator) add(problems ...*field.Error) { v.problems = append(v.problems, problems...) }

func (v *validator) invalid(path *field.Path, value any, messages ...string) {
	for _, m := range messages {
		v.add(field.Invalid(path, value, m))
	}
}

func oneOf[T ~string](v *validator, path *field.Path, value T, supported ...T) {
	if !slices.Contains(supported, value) {
		v.add(field.NotSupported(path, value, supported))
	}
}

func (v *validator) nonnegative(value int64, path *field.Path) {
	v.add(apivalidation.ValidateNonnegativeField(value, path)...)
}

// containers is validateContainers.
func (v *validator) containers(spec *corev1.PodSpec, path *field.Path) {
	if len(spec.Containers) == 0 {
		v.add(field.Required(path, ""))
		return
	}
	names := map[string]bool{}
	for i := range spec.Containers {
		c, at := &spec.Containers[i], path.Index(i)
		v.common(c, at)
		if names[c.Name] {
			v.add(field.Duplicate(at.Child("name"), c.Name))
		}
		names[c.Name] = true
		v.lifecycle(c.Lifecycle, spec.TerminationGracePeriodSeconds, at.Child("lifecycle"))
		v.probes(c, at)
		v.restartPolicy(c, at)
	}
}

// initContainers is validateInitContainers. Only sidecars may have hooks and probes.
func (v *validator) initContainers(spec *corev1.PodSpec, path *field.Path) {
	names := map[string]bool{}
	for _, c := range spec.Containers {
		names[c.Name] = true
	}
	for i := range spec.InitContainers {
		c, at := &spec.InitContainers[i], path.Index(i)
		v.common(c, at)
		v.initRestartPolicy(c, at)
		if names[c.Name] {
			v.add(field.Duplicate(at.Child("name"), c.Name))
		} else if c.Name != "" {
			names[c.Name] = true
		}
		if c.RestartPolicy != nil && *c.RestartPolicy == corev1.ContainerRestartPolicyAlways {
			v.lifecycle(c.Lifecycle, spec.TerminationGracePeriodSeconds, at.Child("lifecycle"))
			v.probes(c, at)
			continue
		}
		if c.Lifecycle != nil {
			v.onlyForSidecars(at.Child("lifecycle"))
		}
		for _, p := range probesOf(c) {
			v.onlyForSidecars(at.Child(p.field))
		}
	}
}

func (v *validator) onlyForSidecars(path *field.Path) {
	v.add(field.Forbidden(path, "may not be set for init containers without restartPolicy=Always"))
}

// common is validateContainerCommon for names, images and limits of ephemeral storage.
func (v *validator) common(c *corev1.Container, path *field.Path) {
	if c.Name == "" {
		v.add(field.Required(path.Child("name"), ""))
	} else {
		v.invalid(path.Child("name"), c.Name, validation.IsDNS1123Label(c.Name)...)
	}
	if c.Image == "" {
		v.add(field.Required(path.Child("image"), ""))
	}
	if limit, given := c.Resources.Limits[corev1.ResourceEphemeralStorage]; given && limit.Sign() < 0 {
		at := path.Child("resources", "limits").Key(string(corev1.ResourceEphemeralStorage))
		v.invalid(at, limit.String(), "must be greater than or equal to 0")
	}
}

type namedProbe struct {
	field string
	*corev1.Probe
}

func probesOf(c *corev1.Container) []namedProbe {
	all := []namedProbe{
		{"livenessProbe", c.LivenessProbe}, {"readinessProbe", c.ReadinessProbe}, {"startupProbe", c.StartupProbe},
	}
	return slices.DeleteFunc(all, func(p namedProbe) bool { return p.Probe == nil })
}

// probes is validateLivenessProbe, validateReadinessProbe and validateStartupProbe.
func (v *validator) probes(c *corev1.Container, path *field.Path) {
	for _, p := range probesOf(c) {
		at := path.Child(p.field)
		v.probe(p.Probe, at)
		grace := p.TerminationGracePeriodSeconds
		switch kills := p.field != "readinessProbe"; {
		case kills && p.SuccessThreshold != 1:
			v.invalid(at.Child("successThreshold"), p.SuccessThreshold, "must be 1")
		case !kills && grace != nil:
			v.invalid(at.Child("terminationGracePeriodSeconds"), *grace, "must not be set for readinessProbes")
		}
	}
}

// probe is validateProbe.
func (v *validator) probe(p *corev1.Probe, path *field.Path) {
	v.handler(handler{ProbeHandler: p.ProbeHandler}, nil, path)
	v.nonnegative(int64(p.InitialDelaySeconds), path.Child("initialDelaySeconds"))
	v.nonnegative(int64(p.TimeoutSeconds), path.Child("timeoutSeconds"))
	v.nonnegative(int64(p.PeriodSeconds), path.Child("periodSeconds"))
	v.nonnegative(int64(p.SuccessThreshold), path.Child("successThreshold"))
	v.nonnegative(int64(p.FailureThreshold), path.Child("failureThreshold"))
	if g := p.TerminationGracePeriodSeconds; g != nil && *g <= 0 {
		v.invalid(path.Child("terminationGracePeriodSeconds"), *g, "must be greater than 0")
	}
}

// lifecycle is validateLifecycle. A stop signal is dropped before it (feature gate ContainerStopSignals).
func (v *validator) lifecycle(l *corev1.Lifecycle, grace *int64, path *field.Path) {
	if l == nil {
		return
	}
	hook := func(h *corev1.LifecycleHandler, name string) {
		if h != nil {
			probe := corev1.ProbeHandler{Exec: h.Exec, HTTPGet: h.HTTPGet, TCPSocket: h.TCPSocket}
			v.handler(handler{probe, h.Sleep}, grace, path.Child(name))
		}
	}
	hook(l.PostStart, "postStart")
	hook(l.PreStop, "preStop")
}

// handler is that of a probe or of a hook. Only hooks sleep.
type handler struct {
	corev1.ProbeHandler
	sleep *corev1.SleepAction
}

// handler is validateHandler. There must be one handler; only the first is validated.
func (v *validator) handler(h handler, grace *int64, path *field.Path) {
	handlers := 0
	one := func(given bool, name string, validate func(*field.Path)) {
		switch {
		case !given:
			return
		case handlers > 0:
			v.add(field.Forbidden(path.Child(name), "may not specify more than 1 handler type"))
		default:
			validate(path.Child(name))
		}
		handlers++
	}
	one(h.Exec != nil, "exec", func(at *field.Path) {
		if len(h.Exec.Command) == 0 {
			v.add(field.Required(at.Child("command"), ""))
		}
	})
	one(h.HTTPGet != nil, "httpGet", func(at *field.Path) { v.httpGet(h.HTTPGet, at) })
	one(h.TCPSocket != nil, "tcpSocket", func(at *field.Path) { v.port(h.TCPSocket.Port, at.Child("port")) })
	one(h.GRPC != nil, "grpc", func(at *field.Path) { v.port(intstr.FromInt32(h.GRPC.Port), at.Child("port")) })
	one(h.sleep != nil, "sleep", func(at *field.Path) {
		if grace != nil && (h.sleep.Seconds < 0 || h.sleep.Seconds > *grace) {
			v.invalid(at, h.sleep.Seconds,
				fmt.Sprintf("must be non-negative and not more than terminationGracePeriodSeconds (%d)", *grace))
		}
	})
	if handlers == 0 {
		v.add(field.Required(path, "must specify a handler type"))
	}
}

// httpGet is validateHTTPGetAction.
func (v *validator) httpGet(h *corev1.HTTPGetAction, path *field.Path) {
	v.port(h.Port, path.Child("port"))
	oneOf(v, path.Child("scheme"), h.Scheme, corev1.URISchemeHTTP, corev1.URISchemeHTTPS)
	for _, header := range h.HTTPHeaders {
		v.invalid(path.Child("httpHeaders"), header.Name, validation.IsHTTPHeaderName(header.Name)...)
	}
}

// port is ValidatePortNumOrName.
func (v *validator) port(port intstr.IntOrString, path *field.Path) {
	if port.Type == intstr.String {
		v.invalid(path, port.StrVal, validation.IsValidPortName(port.StrVal)...)
		return
	}
	v.invalid(path, port.IntValue(), validation.IsValidPortNum(port.IntValue())...)
}

const (
	// maxRestartRules and maxExitCodes have no names in validateContainerRestartPolicy.
	maxRestartRules = 20
	maxExitCodes    = 255
)

// initRestartPolicy is validateInitContainerRestartPolicy with the gates' defaults of v1.36 (ContainerRestartRules,
// RestartAllContainersOnContainerExits). Without a policy it validates no rule.
func (v *validator) initRestartPolicy(c *corev1.Container, path *field.Path) {
	n := len(v.problems)
	v.restartPolicy(c, path)
	if c.RestartPolicy == nil && len(v.problems) > n {
		v.problems = v.problems[:n+1]
	}
}

// restartPolicy is validateContainerRestartPolicy.
func (v *validator) restartPolicy(c *corev1.Container, path *field.Path) {
	policy, rules := path.Child("restartPolicy"), path.Child("restartPolicyRules")
	switch {
	case c.RestartPolicy == nil && len(c.RestartPolicyRules) == 0:
		return
	case c.RestartPolicy == nil:
		v.add(field.Required(policy, "must specify restartPolicy when restart rules are used"))
	default:
		oneOf(v, policy, *c.RestartPolicy, corev1.ContainerRestartPolicyAlways, corev1.ContainerRestartPolicyNever,
			corev1.ContainerRestartPolicyOnFailure)
	}
	if n := len(c.RestartPolicyRules); n > maxRestartRules {
		v.add(field.TooMany(rules, n, maxRestartRules))
	}
	for i, rule := range c.RestartPolicyRules {
		v.restartRule(rule, rules.Index(i))
	}
}

func (v *validator) restartRule(rule corev1.ContainerRestartRule, path *field.Path) {
	oneOf(v, path.Child("action"), rule.Action,
		corev1.ContainerRestartRuleActionRestart, corev1.ContainerRestartRuleActionRestartAllContainers)
	codes := path.Child("exitCodes")
	if rule.ExitCodes == nil {
		v.add(field.Required(codes, "must be specified"))
		return
	}
	oneOf(v, codes.Child("operator"), rule.ExitCodes.Operator,
		corev1.ContainerRestartRuleOnExitCodesOpIn, corev1.ContainerRestartRuleOnExitCodesOpNotIn)
	if n := len(rule.ExitCodes.Values); n > maxExitCodes {
		v.add(field.TooMany(codes.Child("values"), n, maxExitCodes))
	}
}
