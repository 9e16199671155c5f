package manifest

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

const (
	// mostRestartRules and mostExitCodes are the limits of validateContainerRestartPolicy, which has no names for them.
	mostRestartRules = 20
	mostExitCodes    = 255
)

// validateInitRestartPolicy is validateInitContainerRestartPolicy of pkg/apis/core/validation/validation.go
// with the feature gates' defaults of v1.36 (ContainerRestartRules, RestartAllContainersOnContainerExits):
// without a policy it looks at no rule.
func validateInitRestartPolicy(c *corev1.Container, path *field.Path) field.ErrorList {
	problems := validateRestartPolicy(c, path)
	if c.RestartPolicy == nil && len(problems) > 0 {
		return problems[:1]
	}
	return problems
}

// validateRestartPolicy is validateContainerRestartPolicy of validation.go.
func validateRestartPolicy(c *corev1.Container, path *field.Path) field.ErrorList {
	var problems field.ErrorList
	policies := []corev1.ContainerRestartPolicy{
		corev1.ContainerRestartPolicyAlways,
		corev1.ContainerRestartPolicyNever,
		corev1.ContainerRestartPolicyOnFailure,
	}
	switch {
	case c.RestartPolicy == nil && len(c.RestartPolicyRules) == 0:
		return nil
	case c.RestartPolicy == nil:
		problems = append(
			problems,
			field.Required(path.Child("restartPolicy"), "must specify restartPolicy when restart rules are used"),
		)
	case !slices.Contains(policies, *c.RestartPolicy):
		problems = append(problems, field.NotSupported(path.Child("restartPolicy"), *c.RestartPolicy, policies))
	}
	if n := len(c.RestartPolicyRules); n > mostRestartRules {
		problems = append(problems, field.TooMany(path.Child("restartPolicyRules"), n, mostRestartRules))
	}
	for i, rule := range c.RestartPolicyRules {
		problems = append(problems, validateRestartRule(rule, path.Child("restartPolicyRules").Index(i))...)
	}
	return problems
}

func validateRestartRule(rule corev1.ContainerRestartRule, path *field.Path) field.ErrorList {
	var problems field.ErrorList
	actions := []corev1.ContainerRestartRuleAction{
		corev1.ContainerRestartRuleActionRestart,
		corev1.ContainerRestartRuleActionRestartAllContainers,
	}
	if !slices.Contains(actions, rule.Action) {
		problems = append(problems, field.NotSupported(path.Child("action"), rule.Action, actions))
	}
	codes := path.Child("exitCodes")
	if rule.ExitCodes == nil {
		return append(problems, field.Required(codes, "must be specified"))
	}
	operators := []corev1.ContainerRestartRuleOnExitCodesOperator{
		corev1.ContainerRestartRuleOnExitCodesOpIn,
		corev1.ContainerRestartRuleOnExitCodesOpNotIn,
	}
	if !slices.Contains(operators, rule.ExitCodes.Operator) {
		problems = append(problems, field.NotSupported(codes.Child("operator"), rule.ExitCodes.Operator, operators))
	}
	if n := len(rule.ExitCodes.Values); n > mostExitCodes {
		problems = append(problems, field.TooMany(codes.Child("values"), n, mostExitCodes))
	}
	return problems
}
