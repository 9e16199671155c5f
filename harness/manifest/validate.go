package manifest

import (
	"math"

	corev1 "k8s.io/api/core/v1"
	apivalidation "k8s.io/apimachinery/pkg/api/validation"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// longestCronJobName is what a CronJob's controller leaves of a name
// (pkg/apis/batch/validation/validation.go ValidateCronJobCreate).
const longestCronJobName = validation.DNS1035LabelMaxLength - 11

// validate is the API server's validation of the object's name, and of what predictions read of its pod.
// Defaults must have been filled in.
func (w workload) validate(kind string) field.ErrorList {
	problems := w.validateName(kind)
	if w.template == nil {
		return append(problems, field.Required(w.path, ""))
	}
	if w.job != nil && w.job.ActiveDeadlineSeconds != nil {
		problems = append(
			problems,
			nonnegative(*w.job.ActiveDeadlineSeconds, w.jobPath.Child("activeDeadlineSeconds"))...)
	}
	spec := &w.template.Spec
	problems = append(problems, validateSpec(spec, w.specPath())...)
	problems = append(problems, validateTimes(spec, w.specPath())...)
	return append(problems, w.validatePolicies(kind, spec)...)
}

// generatedSuffix stands for what the API server adds to generateName, of which it keeps as many bytes
// (apiserver pkg/storage/names/generate.go).
const (
	generatedSuffix  = "xxxxx"
	longestGenerated = 63 - len(generatedSuffix)
)

// validateName is that of an object's metadata (ValidateObjectMeta of each kind's validation). A namespace
// is not asked for: kubectl fills it in.
func (w workload) validateName(kind string) field.ErrorList {
	path := field.NewPath("metadata")
	meta := w.meta.DeepCopy()
	if meta.Namespace == "" {
		meta.Namespace = metav1.NamespaceDefault
	}
	if prefix := meta.GenerateName; meta.Name == "" && prefix != "" {
		meta.Name = prefix[:min(len(prefix), longestGenerated)] + generatedSuffix
	}
	if kind == "ReplicationController" {
		meta.GenerateName = "" // of these, only the name that comes of it is looked at
	}
	valid := apivalidation.NameIsDNSSubdomain
	if kind == "StatefulSet" {
		valid = apivalidation.NameIsDNSLabel
	}
	problems := apivalidation.ValidateObjectMeta(meta, true, valid, path)
	if kind == "CronJob" && len(meta.Name) > longestCronJobName {
		problems = append(problems, field.Invalid(path.Child("name"), meta.Name, "must be no more than 52 characters"))
	}
	return problems
}

// validatePolicies is what a pod's maker asks of its restart policy and deadline (pkg/apis/apps/validation,
// pkg/apis/batch/validation, ValidatePodTemplateSpecForRC).
func (w workload) validatePolicies(kind string, spec *corev1.PodSpec) field.ErrorList {
	var problems field.ErrorList
	policy := w.specPath().Child("restartPolicy")
	switch {
	case w.pod:
	case w.job != nil:
		switch spec.RestartPolicy {
		case corev1.RestartPolicyAlways:
			return field.ErrorList{field.Required(policy, `valid values: "OnFailure", "Never"`)}
		case corev1.RestartPolicyOnFailure, corev1.RestartPolicyNever:
		default:
			return field.ErrorList{
				field.NotSupported(
					policy,
					spec.RestartPolicy,
					[]corev1.RestartPolicy{corev1.RestartPolicyOnFailure, corev1.RestartPolicyNever},
				),
			}
		}
		if w.job.PodFailurePolicy != nil && spec.RestartPolicy != corev1.RestartPolicyNever {
			problems = append(
				problems,
				field.Invalid(
					policy,
					spec.RestartPolicy,
					`only "Never" is supported when podFailurePolicy is specified`,
				),
			)
		}
	default:
		if spec.RestartPolicy != corev1.RestartPolicyAlways {
			problems = append(
				problems,
				field.NotSupported(policy, spec.RestartPolicy, []corev1.RestartPolicy{corev1.RestartPolicyAlways}),
			)
		}
		if spec.ActiveDeadlineSeconds != nil {
			problems = append(
				problems,
				field.Forbidden(
					w.specPath().Child("activeDeadlineSeconds"),
					"a pod that a "+kind+" makes can have none",
				),
			)
		}
	}
	return problems
}

// validateSpec is pkg/apis/core/validation/validation.go ValidatePodSpec, as far as predictions read.
func validateSpec(spec *corev1.PodSpec, path *field.Path) field.ErrorList {
	problems := validateContainers(spec, path.Child("containers"))
	problems = append(problems, validateInitContainers(spec, path.Child("initContainers"))...)
	switch spec.RestartPolicy {
	case corev1.RestartPolicyAlways, corev1.RestartPolicyOnFailure, corev1.RestartPolicyNever:
	default:
		problems = append(problems, field.NotSupported(
			path.Child("restartPolicy"),
			spec.RestartPolicy,
			[]corev1.RestartPolicy{
				corev1.RestartPolicyAlways,
				corev1.RestartPolicyOnFailure,
				corev1.RestartPolicyNever,
			},
		))
	}
	if d := spec.ActiveDeadlineSeconds; d != nil && (*d < 1 || *d > math.MaxInt32) {
		problems = append(
			problems,
			field.Invalid(path.Child("activeDeadlineSeconds"), *d, validation.InclusiveRangeError(1, math.MaxInt32)),
		)
	}
	problems = append(problems, validateVolumes(spec.Volumes, path.Child("volumes"))...)
	problems = append(problems, validatePriority(spec.PriorityClassName, path.Child("priorityClassName"))...)
	return append(problems, validateTolerations(spec.Tolerations, path.Child("tolerations"))...)
}

// validateContainers is validateContainers of validation.go.
func validateContainers(spec *corev1.PodSpec, path *field.Path) field.ErrorList {
	if len(spec.Containers) == 0 {
		return field.ErrorList{field.Required(path, "")}
	}
	var problems field.ErrorList
	names := map[string]bool{}
	for i := range spec.Containers {
		c, at := &spec.Containers[i], path.Index(i)
		problems = append(problems, validateCommon(c, at)...)
		if names[c.Name] {
			problems = append(problems, field.Duplicate(at.Child("name"), c.Name))
		}
		names[c.Name] = true
		problems = append(
			problems,
			validateLifecycle(c.Lifecycle, spec.TerminationGracePeriodSeconds, at.Child("lifecycle"))...)
		problems = append(problems, validateProbes(c, at)...)
		problems = append(problems, validateRestartPolicy(c, at)...)
	}
	return problems
}

// validateInitContainers is validateInitContainers of validation.go: those that are no sidecars may have
// neither hooks nor probes.
func validateInitContainers(spec *corev1.PodSpec, path *field.Path) field.ErrorList {
	var problems field.ErrorList
	names := map[string]bool{}
	for _, c := range spec.Containers {
		names[c.Name] = true
	}
	for i := range spec.InitContainers {
		c, at := &spec.InitContainers[i], path.Index(i)
		problems = append(problems, validateCommon(c, at)...)
		problems = append(problems, validateInitRestartPolicy(c, at)...)
		if names[c.Name] {
			problems = append(problems, field.Duplicate(at.Child("name"), c.Name))
		} else if c.Name != "" {
			names[c.Name] = true
		}
		if c.RestartPolicy != nil && *c.RestartPolicy == corev1.ContainerRestartPolicyAlways {
			problems = append(
				problems,
				validateLifecycle(c.Lifecycle, spec.TerminationGracePeriodSeconds, at.Child("lifecycle"))...)
			problems = append(problems, validateProbes(c, at)...)
			continue
		}
		for _, f := range []struct {
			name  string
			given bool
		}{
			{"lifecycle", c.Lifecycle != nil},
			{"livenessProbe", c.LivenessProbe != nil},
			{"readinessProbe", c.ReadinessProbe != nil},
			{"startupProbe", c.StartupProbe != nil},
		} {
			if f.given {
				problems = append(
					problems,
					field.Forbidden(
						at.Child(f.name),
						"may not be set for init containers without restartPolicy=Always",
					),
				)
			}
		}
	}
	return problems
}

// validateCommon is validateContainerCommon of validation.go: what names a container.
func validateCommon(c *corev1.Container, path *field.Path) field.ErrorList {
	var problems field.ErrorList
	if c.Name == "" {
		problems = append(problems, field.Required(path.Child("name"), ""))
	} else {
		for _, message := range validation.IsDNS1123Label(c.Name) {
			problems = append(problems, field.Invalid(path.Child("name"), c.Name, message))
		}
	}
	if c.Image == "" {
		problems = append(problems, field.Required(path.Child("image"), ""))
	}
	return append(problems, validateStorageLimit(c, path)...)
}

func nonnegative(v int64, path *field.Path) field.ErrorList {
	return apivalidation.ValidateNonnegativeField(v, path)
}
