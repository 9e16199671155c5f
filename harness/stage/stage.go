// Package stage is what the lanes share of putting a trial on: which pods are deployed and how they are
// filled in, when a trial has begun, what the API's objects say on a timeline, the evidence of it all, and
// how far each selection has come.
//
// The package reaches no node and waits for nothing: how requests are made and in which time they are, is
// each lane's own.
package stage

import (
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/podclock/podclock/harness/mark"
	"github.com/podclock/podclock/harness/trial"
	"github.com/podclock/podclock/harness/victim"
)

// Images are the references of the fault program's image and of its variants (victim.OtherImage,
// victim.StopSignalImage), as they are on the nodes.
type Images struct{ Fault, FaultOther, FaultStopSignal string }

// Deployment is one attempt of a trial on one node.
type Deployment struct {
	Trial trial.Trial
	// Slug is the subject's name as part of a pod's name, Attempt counts from 1.
	Slug      string
	Attempt   int
	Namespace string
	Node      string
	Images    Images
}

// Deployed is a pod that was created, or is to be.
type Deployed struct {
	*corev1.Pod
	// Companion is its name in the trial, empty for the trial's own pod.
	Companion string
}

// First are the pods that no cue creates, as the trial has them: its own first.
func First(t trial.Trial) []Deployed {
	pods := []Deployed{{Pod: t.Pod}}
	for _, p := range t.Companions {
		later := slices.ContainsFunc(
			t.Cues,
			func(c trial.Cue) bool { return c.Action == trial.CreatePod && c.Pod == p.Name },
		)
		if !later {
			pods = append(pods, Deployed{Pod: p, Companion: p.Name})
		}
	}
	return pods
}

// Companion is one of a trial's companions by its name.
func Companion(t trial.Trial, name string) (*corev1.Pod, error) {
	for _, p := range t.Companions {
		if p.Name == name {
			return p, nil
		}
	}
	return nil, fmt.Errorf("the trial has no companion %q", name)
}

// Own is the trial's own pod as it was created last.
func Own(pods []Deployed) *corev1.Pod {
	own := pods[0].Pod
	for _, p := range pods {
		if p.Companion == "" {
			own = p.Pod
		}
	}
	return own
}

// Name is the name of one of the pods.
func (d Deployment) Name(companion string) string {
	parts := []string{strings.ReplaceAll(d.Trial.ID, "/", "-"), d.Slug, fmt.Sprint(d.Attempt)}
	if companion != "" {
		parts = append(parts, companion)
	}
	return strings.Join(parts, "-")
}

// Fill makes of one of the trial's pods what is to be created.
func (d Deployment) Fill(template *corev1.Pod, companion string) *corev1.Pod {
	pod := template.DeepCopy()
	pod.Name = d.Name(companion)
	pod.Namespace = d.Namespace
	pod.Annotations = map[string]string{"podclock.dev/trial": d.Trial.ID, "podclock.dev/about": d.Trial.About}
	if !d.Trial.Unscheduled {
		pod.Spec.NodeName = d.Node
	}
	if d.Trial.Budget {
		if pod.Labels == nil {
			pod.Labels = map[string]string{}
		}
		pod.Labels[budgetLabel] = d.budgeted()
	}
	if len(pod.Spec.Tolerations) == 0 {
		pod.Spec.Tolerations = []corev1.Toleration{{Operator: corev1.TolerationOpExists}}
	}
	for _, list := range [][]corev1.Container{pod.Spec.InitContainers, pod.Spec.Containers} {
		for i := range list {
			list[i].Image = d.Images.of(list[i].Image, pod, list[i].Name)
		}
	}
	return pod
}

// of is the reference of a container's image: an empty one and the names of the fault program's variants
// become what is on the nodes.
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
	}
	return name
}

// budgetLabel selects the one pod of a disruption budget.
const budgetLabel = "podclock.dev/budget"

// budgetLabels select the pod of the trial's disruption budget.
func (d Deployment) budgetLabels() map[string]string {
	return map[string]string{budgetLabel: d.budgeted()}
}

// budgeted is the label's value: the pod's name may be too long for one.
func (d Deployment) budgeted() string {
	return fmt.Sprintf("%.16x", sha256.Sum256([]byte(d.Name(""))))
}
