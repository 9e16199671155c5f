// Package runner plays trials. [Runner] holds the order of one attempt and drives a lane's node through [Node].
// [Selections] keeps all selections of a lab and their progress. The package knows neither a cluster nor a virtual
// node.
package runner

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/podclock/podclock/harness/measure/mark"
	"github.com/podclock/podclock/harness/measure/trial"
	"github.com/podclock/podclock/harness/measure/victim"
)

// Images are the references of the fault program's image and its variants (victim.OtherImage, victim.StopSignalImage).
type Images struct{ Fault, FaultOther, FaultStopSignal string }

// Deployment is one attempt of a trial on one node.
type Deployment struct {
	Trial     trial.Trial
	Slug      string
	Attempt   int
	Namespace string
	Node      string
	Images    Images
	// Service is the address of the trial's Service, with its port. It is empty without one.
	Service string
	// External is nil on a node of podclock's own.
	External *External
}

// Deployed is a pod that was or will be created.
type Deployed struct {
	*corev1.Pod
	// Companion is its name in the trial, empty for the trial's own pod.
	Companion string
}

// MarkedAs returns the UID in the pod's marks: that of a static pod is not its mirror's.
func (d Deployed) MarkedAs() string {
	return cmp.Or(d.Annotations[corev1.MirrorPodAnnotationKey], string(d.UID))
}

// First returns the pods that no fault creates, the trial's own first.
func First(t trial.Trial) []Deployed {
	pods := []Deployed{{Pod: t.Pod}}
	for _, name := range t.First()[1:] {
		pods = append(pods, Deployed{Pod: t.Companion(name), Companion: name})
	}
	return pods
}

// Own returns the trial's own pod as it was created last.
func Own(pods []Deployed) *corev1.Pod {
	own := pods[0].Pod
	for _, p := range pods {
		if p.Companion == "" {
			own = p.Pod
		}
	}
	return own
}

// Name returns the name of one of the pods.
func (d Deployment) Name(companion string) string {
	parts := []string{strings.ReplaceAll(d.Trial.ID, "/", "-"), d.Slug, fmt.Sprint(d.Attempt)}
	if companion != "" {
		parts = append(parts, companion)
	}
	return strings.Join(parts, "-")
}

// meta returns the metadata of an object in the namespace. On a node of others, it has a label and an owner.
func (d Deployment) meta(name string, labels map[string]string) metav1.ObjectMeta {
	m := metav1.ObjectMeta{Name: name, Namespace: d.Namespace, Labels: labels}
	if d.External != nil {
		m.OwnerReferences = []metav1.OwnerReference{d.External.Owner}
		metav1.SetMetaDataLabel(&m, victim.PartOf, "podclock")
	}
	return m
}

// Fill returns the pod to create for one of the trial's pods.
func (d Deployment) Fill(template *corev1.Pod, companion string) *corev1.Pod {
	pod := template.DeepCopy()
	pod.ObjectMeta = d.meta(d.Name(companion), pod.Labels)
	pod.Annotations = map[string]string{"podclock.dev/trial": d.Trial.ID, "podclock.dev/about": d.Trial.About}
	if !d.Trial.Unscheduled || companion != "" {
		pod.Spec.NodeName = d.Node
	}
	if d.Trial.Budgets > 0 {
		label(pod, budgetLabel, d.labelled())
	}
	if d.Trial.Job != nil {
		label(pod, jobLabel, d.labelled())
	}
	if d.Trial.Service != nil {
		d.join(pod)
	}
	if len(pod.Spec.Tolerations) == 0 {
		pod.Spec.Tolerations = []corev1.Toleration{{Operator: corev1.TolerationOpExists}}
	}
	for i := range pod.Spec.ImagePullSecrets {
		pod.Spec.ImagePullSecrets[i].Name = d.Name("")
	}
	for _, list := range [][]corev1.Container{pod.Spec.InitContainers, pod.Spec.Containers} {
		for i := range list {
			list[i].Image = d.Images.of(list[i].Image, pod, list[i].Name)
			for _, ref := range references(list[i]) {
				if ref.Name == "missing" {
					ref.Name = d.Name("") // of a copy
				}
			}
		}
	}
	if d.External != nil {
		d.External.settle(pod)
	}
	return pod
}

// references returns the names of ConfigMaps and Secrets that fill a container's environment.
func references(c corev1.Container) (all []*corev1.LocalObjectReference) {
	for _, from := range c.EnvFrom {
		if from.ConfigMapRef != nil {
			all = append(all, &from.ConfigMapRef.LocalObjectReference)
		}
		if from.SecretRef != nil {
			all = append(all, &from.SecretRef.LocalObjectReference)
		}
	}
	for _, variable := range c.Env {
		from := variable.ValueFrom
		if from != nil && from.ConfigMapKeyRef != nil {
			all = append(all, &from.ConfigMapKeyRef.LocalObjectReference)
		}
		if from != nil && from.SecretKeyRef != nil {
			all = append(all, &from.SecretKeyRef.LocalObjectReference)
		}
	}
	return all
}

func (i Images) of(name string, pod *corev1.Pod, container string) string {
	switch name {
	case "":
		return i.Fault
	case victim.OtherImage:
		return i.FaultOther
	case victim.StopSignalImage:
		return i.FaultStopSignal
	case victim.UnpullableImage:
		return mark.UnpullableImage(pod.Namespace, pod.Name, container)
	case victim.SlowImage:
		return mark.UnpullableImage(pod.Namespace, pod.Name, container) + ":" + mark.SlowTag
	}
	return name
}

const budgetLabel = "podclock.dev/budget"

func (d Deployment) budgetLabels() map[string]string {
	return map[string]string{budgetLabel: d.labelled()}
}

const jobLabel = "podclock.dev/job"

const serviceLabel = "podclock.dev/service"

// serviceName returns a DNS label, which a pod's name may not be.
func (d Deployment) serviceName() string { return "s" + d.labelled() }

// join tells a client the address of the trial's Service. The Service selects every other pod.
func (d Deployment) join(pod *corev1.Pod) {
	client := false
	for _, c := range pod.Spec.Containers {
		for i := range c.Env {
			if c.Env[i].Name == victim.EnvService {
				c.Env[i].Value, client = d.Service, true
			}
		}
	}
	if !client {
		label(pod, serviceLabel, d.labelled())
	}
}

// labelled returns the value of the labels by which budget, Job and Service select the pods. A pod's name may be too
// long.
func (d Deployment) labelled() string {
	return fmt.Sprintf("%.16x", sha256.Sum256([]byte(d.Name(""))))
}

func label(pod *corev1.Pod, key, value string) {
	if pod.Labels == nil {
		pod.Labels = map[string]string{}
	}
	pod.Labels[key] = value
}
