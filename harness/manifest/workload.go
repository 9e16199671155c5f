package manifest

import (
	appsv1 "k8s.io/api/apps/v1"
	appsv1beta1 "k8s.io/api/apps/v1beta1"
	appsv1beta2 "k8s.io/api/apps/v1beta2"
	batchv1 "k8s.io/api/batch/v1"
	batchv1beta1 "k8s.io/api/batch/v1beta1"
	corev1 "k8s.io/api/core/v1"
	extensionsv1beta1 "k8s.io/api/extensions/v1beta1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// workload is an object that makes pods.
type workload struct {
	meta *metav1.ObjectMeta
	// template is the pod that it makes; path is the template's path. The template is nil if a replication
	// controller has none.
	template *corev1.PodTemplateSpec
	path     *field.Path
	// job is a Job's own spec, jobPath its path.
	job     *batchv1.JobSpec
	jobPath *field.Path
	// pod is set if the object is a pod itself.
	pod bool
}

// workloadOf returns an object as a workload, and whether it makes pods. It knows these kinds in all versions
// that client-go has.
func workloadOf(object runtime.Object) (workload, bool) {
	spec := field.NewPath("spec")
	of := func(meta *metav1.ObjectMeta, template *corev1.PodTemplateSpec) (workload, bool) {
		return workload{meta: meta, template: template, path: spec.Child("template")}, true
	}
	job := func(meta *metav1.ObjectMeta, job *batchv1.JobSpec, path *field.Path) (workload, bool) {
		w := workload{meta: meta, template: &job.Template, path: path.Child("template"), job: job, jobPath: path}
		return w, true
	}
	switch o := object.(type) {
	case *corev1.Pod:
		template := &corev1.PodTemplateSpec{ObjectMeta: o.ObjectMeta, Spec: o.Spec}
		return workload{meta: &o.ObjectMeta, template: template, pod: true}, true
	case *corev1.ReplicationController:
		return of(&o.ObjectMeta, o.Spec.Template)
	case *appsv1.Deployment:
		return of(&o.ObjectMeta, &o.Spec.Template)
	case *appsv1.StatefulSet:
		return of(&o.ObjectMeta, &o.Spec.Template)
	case *appsv1.DaemonSet:
		return of(&o.ObjectMeta, &o.Spec.Template)
	case *appsv1.ReplicaSet:
		return of(&o.ObjectMeta, &o.Spec.Template)
	case *appsv1beta2.Deployment:
		return of(&o.ObjectMeta, &o.Spec.Template)
	case *appsv1beta2.StatefulSet:
		return of(&o.ObjectMeta, &o.Spec.Template)
	case *appsv1beta2.DaemonSet:
		return of(&o.ObjectMeta, &o.Spec.Template)
	case *appsv1beta2.ReplicaSet:
		return of(&o.ObjectMeta, &o.Spec.Template)
	case *appsv1beta1.Deployment:
		return of(&o.ObjectMeta, &o.Spec.Template)
	case *appsv1beta1.StatefulSet:
		return of(&o.ObjectMeta, &o.Spec.Template)
	case *extensionsv1beta1.Deployment:
		return of(&o.ObjectMeta, &o.Spec.Template)
	case *extensionsv1beta1.DaemonSet:
		return of(&o.ObjectMeta, &o.Spec.Template)
	case *extensionsv1beta1.ReplicaSet:
		return of(&o.ObjectMeta, &o.Spec.Template)
	case *batchv1.Job:
		return job(&o.ObjectMeta, &o.Spec, spec)
	case *batchv1.CronJob:
		return job(&o.ObjectMeta, &o.Spec.JobTemplate.Spec, spec.Child("jobTemplate", "spec"))
	case *batchv1beta1.CronJob:
		return job(&o.ObjectMeta, &o.Spec.JobTemplate.Spec, spec.Child("jobTemplate", "spec"))
	}
	return workload{}, false
}

// specPath returns the path of the pod's spec.
func (w workload) specPath() *field.Path {
	if w.pod {
		return field.NewPath("spec")
	}
	return w.path.Child("spec")
}

// name returns the object's name, or its generateName and an asterisk.
func (w workload) name() string {
	if w.meta.Name == "" && w.meta.GenerateName != "" {
		return w.meta.GenerateName + "*"
	}
	return w.meta.Name
}

// made returns the pod that reaches a kubelet, without the suffix of its name.
func (w workload) made() *corev1.Pod {
	p := &corev1.Pod{ObjectMeta: *w.template.ObjectMeta.DeepCopy(), Spec: *w.template.Spec.DeepCopy()}
	p.Name, p.Namespace = w.name(), w.meta.Namespace
	return p
}
