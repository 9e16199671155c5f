package runner

import (
	"context"
	"fmt"
	"net/http"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/podclock/podclock/harness/measure/trial"
)

// createJob makes the trial's Job, which adopts the pods. They exist, so it creates none. One of its own would never
// run.
func (s *ongoing) createJob(ctx context.Context) error {
	labels, pods := map[string]string{jobLabel: s.labelled()}, int32(len(s.pods))
	job := &batchv1.Job{ObjectMeta: s.meta(s.Name(""), nil), Spec: *s.Trial.Job.DeepCopy()}
	job.Spec.Parallelism, job.Spec.Completions = &pods, &pods
	job.Spec.ManualSelector, job.Spec.Selector = new(true), &metav1.LabelSelector{MatchLabels: labels}
	job.Spec.Template = corev1.PodTemplateSpec{
		ObjectMeta: metav1.ObjectMeta{Labels: labels},
		Spec: corev1.PodSpec{
			RestartPolicy: corev1.RestartPolicyNever, SchedulerName: "none",
			Containers: []corev1.Container{{Name: trial.Main, Image: "none"}},
		},
	}
	request := Request{Method: http.MethodPost, Resource: "jobs", Namespace: s.Namespace, Body: job}
	if err := s.on.Do(ctx, request); err != nil {
		return fmt.Errorf("create the Job of pod %s: %w", job.Name, err)
	}
	s.undo = append(s.undo, func(ctx context.Context) error {
		request.Method, request.Name, request.Body = http.MethodDelete, job.Name, nil
		_ = s.on.Do(ctx, request) // else the namespace's deletion removes it
		return nil
	})
	return nil
}
