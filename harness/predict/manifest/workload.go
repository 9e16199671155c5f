package manifest

import (
	"cmp"
	"maps"
	"math"
	"slices"

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

type workload struct {
	meta *metav1.ObjectMeta
	// template is nil if a replication controller has none; path is its path
	template   *corev1.PodTemplateSpec
	path       *field.Path
	job        *Job
	jobPath    *field.Path
	controller *Controller
	pod        bool
	unknown    bool            // whether its controller takes any restart policy
	phase      corev1.PodPhase // of a pod that a cluster printed
}

// workloadOf returns an object that makes pods, in all versions that client-go has.
func workloadOf(object runtime.Object) (workload, bool) {
	spec := field.NewPath("spec")
	of := func(meta *metav1.ObjectMeta, template *corev1.PodTemplateSpec) (workload, bool) {
		return workload{meta: meta, template: template, path: spec.Child("template")}, true
	}
	job := func(meta *metav1.ObjectMeta, spec batchv1.JobSpec, path *field.Path) workload {
		j := &Job{JobSpec: spec}
		return workload{meta: meta, template: &j.Template, path: path.Child("template"), job: j, jobPath: path}
	}
	cron := func(meta *metav1.ObjectMeta, template batchv1.JobSpec, replaced bool, suspend *bool) (workload, bool) {
		w := job(meta, template, spec.Child("jobTemplate", "spec"))
		w.job.Replaced, w.job.CronSuspended = replaced, suspend != nil && *suspend
		return w, true
	}
	switch o := object.(type) {
	case *corev1.Pod:
		template := &corev1.PodTemplateSpec{ObjectMeta: o.ObjectMeta, Spec: o.Spec}
		return workload{meta: &o.ObjectMeta, template: template, pod: true, phase: o.Status.Phase}, true
	case *corev1.ReplicationController:
		return of(&o.ObjectMeta, o.Spec.Template)
	case *appsv1.Deployment:
		return of(&o.ObjectMeta, &o.Spec.Template)
	case *appsv1.StatefulSet:
		dropClaimed(&o.Spec.Template.Spec, o.Spec.VolumeClaimTemplates)
		return of(&o.ObjectMeta, &o.Spec.Template)
	case *appsv1.DaemonSet:
		return of(&o.ObjectMeta, &o.Spec.Template)
	case *appsv1.ReplicaSet:
		return of(&o.ObjectMeta, &o.Spec.Template)
	case *appsv1beta2.Deployment:
		return of(&o.ObjectMeta, &o.Spec.Template)
	case *appsv1beta2.StatefulSet:
		dropClaimed(&o.Spec.Template.Spec, o.Spec.VolumeClaimTemplates)
		return of(&o.ObjectMeta, &o.Spec.Template)
	case *appsv1beta2.DaemonSet:
		return of(&o.ObjectMeta, &o.Spec.Template)
	case *appsv1beta2.ReplicaSet:
		return of(&o.ObjectMeta, &o.Spec.Template)
	case *appsv1beta1.Deployment:
		return of(&o.ObjectMeta, &o.Spec.Template)
	case *appsv1beta1.StatefulSet:
		dropClaimed(&o.Spec.Template.Spec, o.Spec.VolumeClaimTemplates)
		return of(&o.ObjectMeta, &o.Spec.Template)
	case *extensionsv1beta1.Deployment:
		return of(&o.ObjectMeta, &o.Spec.Template)
	case *extensionsv1beta1.DaemonSet:
		return of(&o.ObjectMeta, &o.Spec.Template)
	case *extensionsv1beta1.ReplicaSet:
		return of(&o.ObjectMeta, &o.Spec.Template)
	case *batchv1.Job:
		return job(&o.ObjectMeta, o.Spec, spec), true
	case *batchv1.CronJob:
		replaced := o.Spec.ConcurrencyPolicy == batchv1.ReplaceConcurrent
		return cron(&o.ObjectMeta, o.Spec.JobTemplate.Spec, replaced, o.Spec.Suspend)
	case *batchv1beta1.CronJob:
		replaced := o.Spec.ConcurrencyPolicy == batchv1beta1.ReplaceConcurrent
		return cron(&o.ObjectMeta, o.Spec.JobTemplate.Spec, replaced, o.Spec.Suspend)
	}
	return workload{}, false
}

// dropClaimed removes the volumes that a StatefulSet's claims replace (pkg/controller/statefulset/stateful_set_utils.go
// updateStorage).
func dropClaimed(spec *corev1.PodSpec, claims []corev1.PersistentVolumeClaim) {
	for _, c := range claims {
		spec.Volumes = slices.DeleteFunc(spec.Volumes, func(v corev1.Volume) bool { return v.Name == c.Name })
	}
}

func (w workload) specPath() *field.Path {
	if w.pod {
		return field.NewPath("spec")
	}
	return w.path.Child("spec")
}

func (w workload) name() string {
	if w.meta.Name == "" && w.meta.GenerateName != "" {
		return w.meta.GenerateName + "*"
	}
	return w.meta.Name
}

func (w workload) annotations() map[string]string {
	all := map[string]string{}
	maps.Copy(all, w.meta.Annotations)
	maps.Copy(all, w.template.Annotations)
	return all
}

// setDefaults fills in the defaults (pkg/apis/batch/v1/defaults.go SetDefaults_Job).
func (j *Job) setDefaults() {
	if j.Parallelism == nil {
		if j.Parallelism = new(int32(1)); j.Completions == nil {
			j.Completions = new(int32(1))
		}
	}
	if j.PodReplacementPolicy == nil {
		j.PodReplacementPolicy = new(batchv1.TerminatingOrFailed)
		if j.PodFailurePolicy != nil {
			j.PodReplacementPolicy = new(batchv1.Failed)
		}
	}
	if j.BackoffLimit == nil {
		j.BackoffLimit = new(int32(6))
		if j.BackoffLimitPerIndex != nil {
			j.BackoffLimit = new(int32(math.MaxInt32))
		}
	}
}

// made returns the pod that reaches a kubelet, without the suffix of its name.
func (w workload) made() *corev1.Pod {
	p := &corev1.Pod{ObjectMeta: *w.template.ObjectMeta.DeepCopy(), Spec: *w.template.Spec.DeepCopy()}
	p.Name, p.Namespace, p.Status.Phase = w.name(), w.meta.Namespace, w.phase
	return p
}

// setDefaults fills in the defaults that predictions read (pkg/apis/core/v1/defaults.go SetDefaults_PodSpec,
// SetDefaults_Volume, SetDefaults_Probe, SetDefaults_HTTPGetAction). A pod's own negative grace period becomes one
// second (conversion.go Convert_v1_Pod_To_core_Pod); a template keeps it until the pod is made.
func (w workload) setDefaults() {
	if w.job != nil {
		w.job.setDefaults()
	}
	if w.template == nil {
		return
	}
	spec := &w.template.Spec
	spec.RestartPolicy = cmp.Or(spec.RestartPolicy, corev1.RestartPolicyAlways)
	spec.TerminationGracePeriodSeconds = cmp.Or(spec.TerminationGracePeriodSeconds,
		new(int64(corev1.DefaultTerminationGracePeriodSeconds)))
	for i := range spec.Volumes {
		if v := &spec.Volumes[i].VolumeSource; *v == (corev1.VolumeSource{}) {
			v.EmptyDir = &corev1.EmptyDirVolumeSource{}
		}
	}
	for _, containers := range [][]corev1.Container{spec.Containers, spec.InitContainers} {
		for i := range containers {
			c := &containers[i]
			for _, p := range probesOf(c) {
				setProbeDefaults(p.Probe)
			}
			dropStopSignal(c)
			if c.Lifecycle != nil {
				for _, h := range []*corev1.LifecycleHandler{c.Lifecycle.PostStart, c.Lifecycle.PreStop} {
					if h != nil {
						setHTTPDefaults(h.HTTPGet)
					}
				}
			}
		}
	}
	if w.pod {
		forceGrace(spec)
	}
}

// stopSignals returns the containers with a stop signal, which the API server drops.
func (w workload) stopSignals() (names []string) {
	if w.template == nil {
		return nil
	}
	for _, c := range slices.Concat(w.template.Spec.Containers, w.template.Spec.InitContainers) {
		if c.Lifecycle != nil && c.Lifecycle.StopSignal != nil {
			names = append(names, c.Name)
		}
	}
	return names
}

// dropStopSignal removes the stop signal: the feature gate ContainerStopSignals is off by default
// (pkg/api/pod/util.go dropContainerStopSignals).
func dropStopSignal(c *corev1.Container) {
	if l := c.Lifecycle; l != nil && l.StopSignal != nil {
		l.StopSignal = nil
		if *l == (corev1.Lifecycle{}) {
			c.Lifecycle = nil
		}
	}
}

func setProbeDefaults(p *corev1.Probe) {
	p.TimeoutSeconds, p.PeriodSeconds = cmp.Or(p.TimeoutSeconds, 1), cmp.Or(p.PeriodSeconds, 10)
	p.SuccessThreshold, p.FailureThreshold = cmp.Or(p.SuccessThreshold, 1), cmp.Or(p.FailureThreshold, 3)
	setHTTPDefaults(p.HTTPGet)
	if p.GRPC != nil && p.GRPC.Service == nil {
		p.GRPC.Service = new(string) // zz_generated.defaults.go
	}
}

func setHTTPDefaults(h *corev1.HTTPGetAction) {
	if h != nil {
		h.Path, h.Scheme = cmp.Or(h.Path, "/"), cmp.Or(h.Scheme, corev1.URISchemeHTTP)
	}
}

func forceGrace(spec *corev1.PodSpec) {
	if g := spec.TerminationGracePeriodSeconds; g != nil && *g < 0 {
		spec.TerminationGracePeriodSeconds = new(int64(1))
	}
}
