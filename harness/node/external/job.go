package external

import (
	"fmt"
	"slices"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/podclock/podclock/fixtures"
)

// InCluster describes a Job that runs podclock in the cluster that it tests.
type InCluster struct {
	// Namespace is the Job's own. Runs create further ones.
	Namespace string
	// Image is that of podclock. Args are those of its command.
	Image string
	Args  []string
	// Workers is the number of pods that share the nodes, each with its results. 0 is one.
	Workers int
	// Volume is the size of a PersistentVolumeClaim for the results, nil for an emptyDir, which a deleted pod loses.
	Volume *resource.Quantity
}

// ResultsDir is where the Job's volume is mounted.
const ResultsDir = "/results"

const job = "podclock"

// Manifests returns the objects for kubectl apply, in order. None has the label of a run's objects, so `podclock clean`
// leaves them alone.
func (i InCluster) Manifests() []any {
	role := ClusterRole(Rights())
	meta := metav1.ObjectMeta{Name: job, Namespace: i.Namespace}
	volume := corev1.VolumeSource{EmptyDir: &corev1.EmptyDirVolumeSource{}}
	all := []any{
		&corev1.Namespace{
			TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Namespace"},
			ObjectMeta: metav1.ObjectMeta{Name: i.Namespace, Labels: map[string]string{
				"pod-security.kubernetes.io/enforce": "restricted",
			}},
		},
		&corev1.ServiceAccount{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "ServiceAccount"}, ObjectMeta: meta},
		role,
		&rbacv1.ClusterRoleBinding{
			TypeMeta:   metav1.TypeMeta{APIVersion: rbacv1.SchemeGroupVersion.String(), Kind: "ClusterRoleBinding"},
			ObjectMeta: metav1.ObjectMeta{Name: job},
			RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: role.Name},
			Subjects:   []rbacv1.Subject{{Kind: rbacv1.ServiceAccountKind, Name: job, Namespace: i.Namespace}},
		},
	}
	if i.Volume != nil {
		all = append(all, &corev1.PersistentVolumeClaim{
			TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "PersistentVolumeClaim"},
			ObjectMeta: meta,
			Spec: corev1.PersistentVolumeClaimSpec{
				AccessModes: []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce},
				Resources: corev1.VolumeResourceRequirements{
					Requests: corev1.ResourceList{corev1.ResourceStorage: *i.Volume},
				},
			},
		})
		volume = corev1.VolumeSource{PersistentVolumeClaim: &corev1.PersistentVolumeClaimVolumeSource{ClaimName: job}}
	}
	// A container that ended is started again, and so is a pod that was deleted.
	workers := int32(max(1, i.Workers))
	security := fixtures.PodSecurity()
	security.FSGroup = security.RunAsUser
	container := i.Container(ResultsDir)
	container.Env = append(container.Env, corev1.EnvVar{Name: "POD_NAMESPACE", ValueFrom: &corev1.EnvVarSource{
		FieldRef: &corev1.ObjectFieldSelector{FieldPath: "metadata.namespace"},
	}})
	spec := batchv1.JobSpec{BackoffLimit: new(10 * workers), Template: corev1.PodTemplateSpec{Spec: corev1.PodSpec{
		ServiceAccountName: job, RestartPolicy: corev1.RestartPolicyOnFailure, EnableServiceLinks: new(false),
		TerminationGracePeriodSeconds: new(int64(120)), SecurityContext: security,
		Volumes:    []corev1.Volume{{Name: results, VolumeSource: volume}},
		Containers: []corev1.Container{container},
	}}}
	if workers > 1 {
		// The Job controller sets this variable, and the kubelet expands it.
		shard := fmt.Sprintf("--shard=$(JOB_COMPLETION_INDEX)/%d", workers)
		spec.Template.Spec.Containers[0].Args = append(slices.Clone(container.Args), shard)
		spec.Completions, spec.Parallelism, spec.CompletionMode = &workers, &workers, new(batchv1.IndexedCompletion)
	}
	return append(all, &batchv1.Job{
		TypeMeta:   metav1.TypeMeta{APIVersion: batchv1.SchemeGroupVersion.String(), Kind: "Job"},
		ObjectMeta: meta, Spec: spec,
	})
}

const results = "results"

// Container returns the container of podclock, with its results at a path. Temporary files are there as well, because
// the root file system is read-only.
func (i InCluster) Container(path string) corev1.Container {
	security := fixtures.ContainerSecurity()
	security.ReadOnlyRootFilesystem = new(true)
	return corev1.Container{
		Name: job, Image: i.Image, ImagePullPolicy: corev1.PullIfNotPresent, Args: i.Args, SecurityContext: security,
		Resources: corev1.ResourceRequirements{
			Requests: corev1.ResourceList{
				corev1.ResourceCPU: resource.MustParse("200m"), corev1.ResourceMemory: resource.MustParse("256Mi"),
			},
			Limits: corev1.ResourceList{corev1.ResourceMemory: resource.MustParse("1Gi")},
		},
		VolumeMounts: []corev1.VolumeMount{{Name: results, MountPath: path}},
		Env:          []corev1.EnvVar{{Name: "TMPDIR", Value: path}},
	}
}
