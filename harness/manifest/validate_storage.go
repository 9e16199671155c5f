package manifest

import (
	corev1 "k8s.io/api/core/v1"
	apivalidation "k8s.io/apimachinery/pkg/api/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// validateVolumes is validateVolumeSource of pkg/apis/core/validation/validation.go for limits of emptyDir volumes.
func validateVolumes(all []corev1.Volume, path *field.Path) field.ErrorList {
	var problems field.ErrorList
	for i, v := range all {
		if v.EmptyDir != nil && v.EmptyDir.SizeLimit != nil && v.EmptyDir.SizeLimit.Sign() < 0 {
			problems = append(
				problems,
				field.Forbidden(
					path.Index(i).Child("emptyDir", "sizeLimit"),
					"must be a valid resource quantity: it is negative",
				),
			)
		}
	}
	return problems
}

// validateStorageLimit is validateResourceRequirements of validation.go for the limit of ephemeral-storage.
func validateStorageLimit(c *corev1.Container, path *field.Path) field.ErrorList {
	if limit, given := c.Resources.Limits[corev1.ResourceEphemeralStorage]; given && limit.Sign() < 0 {
		at := path.Child("resources", "limits").Key(string(corev1.ResourceEphemeralStorage))
		return field.ErrorList{field.Invalid(at, limit.String(), "must be greater than or equal to 0")}
	}
	return nil
}

// validatePriority is that of a pod's class, which says whether other pods may take its place.
func validatePriority(class string, path *field.Path) field.ErrorList {
	var problems field.ErrorList
	if class != "" {
		for _, message := range apivalidation.NameIsDNSSubdomain(class, false) {
			problems = append(problems, field.Invalid(path, class, message))
		}
	}
	return problems
}
