package manifest

import (
	"slices"

	batchv1 "k8s.io/api/batch/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// job validates the limits of a Job, and what its failed pods mean (pkg/apis/batch/validation/validation.go
// validateJobSpec, validatePodFailurePolicyRule).
func (v *validator) job(spec *batchv1.JobSpec, path *field.Path) {
	if d := spec.ActiveDeadlineSeconds; d != nil {
		v.nonnegative(*d, path.Child("activeDeadlineSeconds"))
	}
	for _, limit := range []struct {
		name  string
		value *int32
	}{
		{"backoffLimit", spec.BackoffLimit}, {"ttlSecondsAfterFinished", spec.TTLSecondsAfterFinished},
		{"backoffLimitPerIndex", spec.BackoffLimitPerIndex}, {"maxFailedIndexes", spec.MaxFailedIndexes},
	} {
		if limit.value != nil {
			v.nonnegative(int64(*limit.value), path.Child(limit.name))
		}
	}
	indexed := spec.CompletionMode != nil && *spec.CompletionMode == batchv1.IndexedCompletion
	if spec.BackoffLimitPerIndex != nil && !indexed {
		v.invalid(path.Child("backoffLimitPerIndex"), *spec.BackoffLimitPerIndex, "requires indexed completion mode")
	}
	if spec.MaxFailedIndexes != nil && spec.BackoffLimitPerIndex == nil {
		v.add(field.Required(path.Child("backoffLimitPerIndex"), "when maxFailedIndexes is specified"))
	}
	if spec.PodFailurePolicy == nil {
		return
	}
	for i, rule := range spec.PodFailurePolicy.Rules {
		v.failureRule(spec, rule, path.Child("podFailurePolicy", "rules").Index(i))
	}
}

func (v *validator) failureRule(spec *batchv1.JobSpec, rule batchv1.PodFailurePolicyRule, path *field.Path) {
	oneOf(v, path.Child("action"), rule.Action, batchv1.PodFailurePolicyActionCount,
		batchv1.PodFailurePolicyActionFailIndex, batchv1.PodFailurePolicyActionFailJob,
		batchv1.PodFailurePolicyActionIgnore)
	if rule.Action == batchv1.PodFailurePolicyActionFailIndex && spec.BackoffLimitPerIndex == nil {
		v.invalid(path.Child("action"), rule.Action, "requires the backoffLimitPerIndex to be set")
	}
	codes := rule.OnExitCodes
	if (codes == nil) == (len(rule.OnPodConditions) == 0) {
		const one = "specifying one of OnExitCodes and OnPodConditions is required"
		v.add(field.Invalid(path, field.OmitValueType{}, one))
	}
	if codes == nil {
		return
	}
	path = path.Child("onExitCodes")
	oneOf(v, path.Child("operator"), codes.Operator, batchv1.PodFailurePolicyOnExitCodesOpIn,
		batchv1.PodFailurePolicyOnExitCodesOpNotIn)
	values := path.Child("values")
	if len(codes.Values) == 0 {
		v.invalid(values, codes.Values, "at least one value is required")
	}
	if codes.Operator == batchv1.PodFailurePolicyOnExitCodesOpIn && slices.Contains(codes.Values, 0) {
		v.invalid(values, codes.Values, "must not be 0 for the In operator")
	}
	if !slices.IsSorted(codes.Values) {
		v.invalid(values, codes.Values, "must be ordered")
	}
}
