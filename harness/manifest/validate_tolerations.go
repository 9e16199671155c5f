package manifest

import (
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1validation "k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// validateTolerations is ValidateTolerations of pkg/apis/core/validation/validation.go with the feature
// gates' defaults of v1.36 (TaintTolerationComparisonOperators is off).
func validateTolerations(all []corev1.Toleration, path *field.Path) field.ErrorList {
	var problems field.ErrorList
	for i, t := range all {
		at := path.Index(i)
		if t.Key != "" {
			problems = append(problems, metav1validation.ValidateLabelName(t.Key, at.Child("key"))...)
		} else if t.Operator != corev1.TolerationOpExists {
			problems = append(
				problems,
				field.Invalid(
					at.Child("operator"),
					t.Operator,
					"must be Exists when `key` is empty, which means all values and all keys",
				),
			)
		}
		if t.TolerationSeconds != nil && t.Effect != corev1.TaintEffectNoExecute {
			problems = append(
				problems,
				field.Invalid(at.Child("effect"), t.Effect, "must be NoExecute when `tolerationSeconds` is set"),
			)
		}
		switch t.Operator {
		case corev1.TolerationOpEqual, "":
			if messages := validation.IsValidLabelValue(t.Value); len(messages) > 0 {
				problems = append(problems, field.Invalid(at.Child("operator"), t.Value, strings.Join(messages, ";")))
			}
		case corev1.TolerationOpExists:
			if t.Value != "" {
				problems = append(
					problems,
					field.Invalid(at.Child("operator"), t.Value, "value must be empty when `operator` is 'Exists'"),
				)
			}
		default:
			problems = append(
				problems,
				field.NotSupported(
					at.Child("operator"),
					t.Operator,
					[]corev1.TolerationOperator{corev1.TolerationOpEqual, corev1.TolerationOpExists},
				),
			)
		}
		effects := []corev1.TaintEffect{
			corev1.TaintEffectNoSchedule,
			corev1.TaintEffectPreferNoSchedule,
			corev1.TaintEffectNoExecute,
		}
		if t.Effect != "" && !slices.Contains(effects, t.Effect) {
			problems = append(problems, field.NotSupported(at.Child("effect"), t.Effect, effects))
		}
	}
	return problems
}
