package manifest

import (
	corev1 "k8s.io/api/core/v1"
)

// The API server's defaults for a pod (pkg/apis/core/v1/defaults.go SetDefaults_PodSpec, SetDefaults_Volume,
// SetDefaults_Probe, SetDefaults_HTTPGetAction).
const (
	defaultTimeoutSeconds   = 1
	defaultPeriodSeconds    = 10
	defaultSuccessThreshold = 1
	defaultFailureThreshold = 3
	defaultPath             = "/"
)

// setDefaults fills in the defaults of the fields that predictions read. It makes a pod's own negative grace
// period one second (conversion.go Convert_v1_Pod_To_core_Pod). A template keeps it until the pod is made.
func (w workload) setDefaults() {
	if w.template == nil {
		return
	}
	spec := &w.template.Spec
	if spec.RestartPolicy == "" {
		spec.RestartPolicy = corev1.RestartPolicyAlways
	}
	if spec.TerminationGracePeriodSeconds == nil {
		spec.TerminationGracePeriodSeconds = new(int64(corev1.DefaultTerminationGracePeriodSeconds))
	}
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

// dropStopSignal removes the stop signal, because the feature gate ContainerStopSignals is off by default
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
	for _, d := range []struct {
		field *int32
		value int32
	}{
		{&p.TimeoutSeconds, defaultTimeoutSeconds},
		{&p.PeriodSeconds, defaultPeriodSeconds},
		{&p.SuccessThreshold, defaultSuccessThreshold},
		{&p.FailureThreshold, defaultFailureThreshold},
	} {
		if *d.field == 0 {
			*d.field = d.value
		}
	}
	setHTTPDefaults(p.HTTPGet)
	if p.GRPC != nil && p.GRPC.Service == nil {
		p.GRPC.Service = new(string) // zz_generated.defaults.go
	}
}

func setHTTPDefaults(h *corev1.HTTPGetAction) {
	if h == nil {
		return
	}
	if h.Path == "" {
		h.Path = defaultPath
	}
	if h.Scheme == "" {
		h.Scheme = corev1.URISchemeHTTP
	}
}

// forceGrace makes a negative grace period one second, as the API server does with every new pod.
func forceGrace(spec *corev1.PodSpec) {
	if g := spec.TerminationGracePeriodSeconds; g != nil && *g < 0 {
		spec.TerminationGracePeriodSeconds = new(int64(1))
	}
}
