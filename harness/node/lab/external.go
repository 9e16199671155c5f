package lab

import (
	"cmp"
	"context"
	"crypto/sha256"
	"fmt"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/e2e-framework/klient/wait"

	"github.com/podclock/podclock/fixtures"
	"github.com/podclock/podclock/harness/measure/runner"
	"github.com/podclock/podclock/harness/measure/victim"
	"github.com/podclock/podclock/harness/node/internal/pull"
)

// On a node that podclock did not make, the recorder is the only pod of a Job, and the Job owns all victims. If nobody
// reads the recorder for unreadFor, it ends. Then the TTL controller deletes the Job, and the garbage collector its
// victims. So no pod outlives podclock for long, and no pod needs a right of its own.

// unreadFor is longer than an outage of the API server that ends the run.
const unreadFor = 2 * time.Minute

// LowestPriority is the priority class of the pods on nodes of others.
const LowestPriority = "podclock-lowest"

func (l *site) createLowestPriority(ctx context.Context) error {
	never := corev1.PreemptNever
	class := &schedulingv1.PriorityClass{
		ObjectMeta: metav1.ObjectMeta{
			Name: LowestPriority, Labels: map[string]string{victim.PartOf: "podclock"},
		},
		Value:            -1_000_000_000, // far below 0, that of pods without a class
		PreemptionPolicy: &never,
		Description:      "pods of podclock: they preempt nothing and go first",
	}
	err := l.client.Create(ctx, class)
	switch {
	case apierrors.IsForbidden(err):
		l.log("the pods have the cluster's default priority: %v", err)
		return nil
	case err != nil && !apierrors.IsAlreadyExists(err):
		return fmt.Errorf("create priority class %s: %w", class.Name, err)
	}
	l.lowest = class.Name
	return nil
}

func (l *site) recorderJob(node string) *batchv1.Job {
	pod := Recorder(node, l.options.Namespace, l.options.Images.Recorder)
	restarts, atOnce := int32(1000), int32(0)
	spec := &pod.Spec
	spec.HostNetwork, spec.RestartPolicy, spec.PriorityClassName = false, corev1.RestartPolicyOnFailure, l.lowest
	spec.SecurityContext = fixtures.PodSecurity()
	c := &spec.Containers[0]
	c.SecurityContext = fixtures.ContainerSecurity()
	c.Env = append(c.Env, corev1.EnvVar{Name: "NODE", ValueFrom: &corev1.EnvVarSource{
		FieldRef: &corev1.ObjectFieldSelector{FieldPath: "status.hostIP"},
	}})
	c.Args = []string{
		"--kubelet=https://$(NODE):10250/healthz", "--container-runtime=", "--unread-for=" + unreadFor.String(),
	}
	runner.Bound(&c.Resources)
	spec.ImagePullSecrets = pull.References(l.options.PullSecret)
	of := l.options.Images
	spec.InitContainers = pull.Containers(*c, of.Fault, of.FaultOther, of.FaultStopSignal)
	return &batchv1.Job{
		ObjectMeta: metav1.ObjectMeta{Name: jobName(node), Namespace: pod.Namespace, Labels: pod.Labels},
		Spec: batchv1.JobSpec{
			BackoffLimit: &restarts, TTLSecondsAfterFinished: &atOnce,
			Template: corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: pod.Labels}, Spec: *spec},
		},
	}
}

// createPullSecret creates the secret that the namespace's pods pull with. It goes with the namespace.
func (l *site) createPullSecret(ctx context.Context) error {
	if l.options.PullSecret == nil {
		return nil
	}
	secret := pull.Secret(l.options.Namespace, l.options.PullSecret)
	return l.persist(ctx, "create secret "+secret.Name, func(ctx context.Context) error {
		return l.client.Create(ctx, secret)
	})
}

// jobName returns a name that is also a valid label, which the Job controller needs.
func jobName(node string) string {
	name := "recorder-" + node
	if len(name) <= validation.LabelValueMaxLength {
		return name
	}
	sum := fmt.Sprintf("-%.8x", sha256.Sum256([]byte(node)))
	return name[:validation.LabelValueMaxLength-len(sum)] + sum
}

// podOfJobWithin is how long the Job controller may take to create a Job's pod.
const podOfJobWithin = 30 * time.Second

// createExternalRecorder creates the Job of a node's recorder and returns the recorder.
func (l *site) createExternalRecorder(ctx context.Context, n *node) (*corev1.Pod, error) {
	job := l.recorderJob(n.name)
	err := l.persist(ctx, "create job "+job.Name, func(ctx context.Context) error { return l.client.Create(ctx, job) })
	if err != nil {
		return nil, err
	}
	n.external = &runner.External{Owner: *metav1.NewControllerRef(job, batchv1.SchemeGroupVersion.WithKind("Job")),
		PriorityClass: l.lowest, PullSecrets: pull.References(l.options.PullSecret)}
	n.external.Owner.Controller, n.external.Owner.BlockOwnerDeletion = nil, nil // the Job controls only its recorder
	var recorder *corev1.Pod
	var last error
	created := func(ctx context.Context) (bool, error) {
		pods := &corev1.PodList{}
		last = l.client.GetControllerRuntimeClient().List(ctx, pods, client.InNamespace(job.Namespace),
			client.MatchingLabels{"job-name": job.Name})
		if last == nil && len(pods.Items) > 0 {
			recorder = &pods.Items[0]
		}
		return recorder != nil, nil
	}
	err = wait.For(created, wait.WithContext(ctx), wait.WithTimeout(podOfJobWithin), wait.WithInterval(time.Second/4),
		wait.WithImmediate())
	if err != nil {
		why := cmp.Or(l.events.Newest(string(job.UID)), "it has no event: see kube-controller-manager's log")
		return nil, fmt.Errorf("job %s has no pod after %v: %w (%s)", job.Name, podOfJobWithin, cmp.Or(last, err), why)
	}
	return recorder, nil
}
