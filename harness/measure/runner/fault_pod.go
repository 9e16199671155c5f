package runner

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/podclock/podclock/harness/measure/trial"
	"github.com/podclock/podclock/harness/measure/victim"
)

// podFaults are the faults that act on the trial's pods.
var podFaults = map[trial.Action]inject{
	trial.DeletePod:   deletePod,
	trial.EvictPod:    evictPod,
	trial.DryDelete:   deletePod,
	trial.DryEvict:    evictPod,
	trial.SetImage:    setImage,
	trial.ResizePod:   resizePod,
	trial.BindPod:     bindPod,
	trial.CreatePod:   createPod,
	trial.RecreatePod: recreatePod,

	trial.CreateConfigMap: createConfigMap,
	trial.CreateSecret:    createSecret,
	trial.SetCondition:    setCondition,
}

// about returns a request about the trial's own pod.
func (s *ongoing) about(method, subresource string) Request {
	return Request{
		Method: method, Resource: "pods", Subresource: subresource,
		Namespace: s.Namespace, Name: Own(s.pods).Name,
	}
}

func (s *ongoing) deleteOptions(c trial.Fault) *metav1.DeleteOptions {
	own := Own(s.pods)
	o := &metav1.DeleteOptions{
		GracePeriodSeconds: c.GracePeriodSeconds,
		Preconditions:      metav1.NewUIDPreconditions(string(own.UID)),
	}
	switch c.Precondition {
	case trial.OtherPod:
		o.Preconditions = metav1.NewUIDPreconditions("00000000-0000-0000-0000-000000000000")
	case trial.FirstVersion:
		o.Preconditions.ResourceVersion = &own.ResourceVersion
	case trial.NewestVersion:
		o.Preconditions.ResourceVersion = &s.look().Newest.ResourceVersion
	case trial.AnyPod:
		o.Preconditions = nil
	}
	if c.Action == trial.DryDelete || c.Action == trial.DryEvict {
		o.DryRun = []string{metav1.DryRunAll}
	}
	return o
}

func deletePod(ctx context.Context, s *ongoing, c trial.Fault) (*span, error) {
	r := s.about(http.MethodDelete, "")
	r.Body = s.deleteOptions(c)
	return nil, s.on.Do(ctx, r)
}

func evictPod(ctx context.Context, s *ongoing, c trial.Fault) (*span, error) {
	r := s.about(http.MethodPost, "eviction")
	eviction := &policyv1.Eviction{ObjectMeta: metav1.ObjectMeta{Name: r.Name, Namespace: r.Namespace}}
	if c.Precondition != trial.AnyPod || c.GracePeriodSeconds != nil {
		eviction.DeleteOptions = s.deleteOptions(c)
	}
	r.Body = eviction
	return nil, s.on.Do(ctx, r)
}

func setImage(ctx context.Context, s *ongoing, _ trial.Fault) (*span, error) {
	return nil, s.merge(ctx, s.about(http.MethodPatch, ""), "spec", map[string]any{"containers": []any{
		map[string]any{"name": trial.Main, "image": s.Images.FaultOther},
	}})
}

// merge makes a request that merges a change into a field of a pod, such as its spec.
func (s *ongoing) merge(ctx context.Context, r Request, field string, change map[string]any) error {
	text, err := json.Marshal(map[string]any{field: change})
	if err != nil {
		return err
	}
	r.Patch = Patch{types.StrategicMergePatchType, text}
	return s.on.Do(ctx, r)
}

func resizePod(ctx context.Context, s *ongoing, c trial.Fault) (*span, error) {
	r, pod := s.about(http.MethodPatch, "resize"), s.Trial.Pod
	if c.Plain {
		r.Subresource = ""
	}
	if c.Pod != "" {
		r.Name, pod = s.Name(c.Pod), s.Trial.Companion(c.Pod)
	}
	spec := map[string]any{}
	for list, containers := range map[string][]corev1.Container{
		"containers": pod.Spec.Containers, "initContainers": pod.Spec.InitContainers,
	} {
		var resized []any
		for _, container := range containers {
			if resources, ok := c.Resources[container.Name]; ok {
				resized = append(resized, map[string]any{"name": container.Name, "resources": resources})
			}
		}
		if resized != nil {
			spec[list] = resized
		}
	}
	if resources, ok := c.Resources[""]; ok {
		spec["resources"] = resources
	}
	return nil, s.merge(ctx, r, "spec", spec)
}

// bindPod assigns the pod to the node, as a scheduler does.
func bindPod(ctx context.Context, s *ongoing, _ trial.Fault) (*span, error) {
	r := s.about(http.MethodPost, "binding")
	r.Body = &corev1.Binding{
		ObjectMeta: metav1.ObjectMeta{Name: r.Name, Namespace: r.Namespace, UID: Own(s.pods).UID},
		Target:     corev1.ObjectReference{Kind: "Node", Name: s.Node},
	}
	return nil, s.on.Do(ctx, r)
}

func createPod(ctx context.Context, s *ongoing, c trial.Fault) (*span, error) {
	companion := s.Trial.Companion(c.Pod)
	if companion == nil {
		return nil, fmt.Errorf("the trial has no companion %q", c.Pod)
	}
	return nil, s.create(ctx, companion, c.Pod)
}

func createConfigMap(ctx context.Context, s *ongoing, _ trial.Fault) (*span, error) {
	return nil, s.on.Do(ctx, Request{
		Method: http.MethodPost, Resource: "configmaps", Namespace: s.Namespace,
		Body: &corev1.ConfigMap{
			ObjectMeta: s.meta(Own(s.pods).Name, nil), Data: map[string]string{victim.Key: "value"},
		},
	})
}

func createSecret(ctx context.Context, s *ongoing, _ trial.Fault) (*span, error) {
	return nil, s.on.Do(ctx, Request{
		Method: http.MethodPost, Resource: "secrets", Namespace: s.Namespace,
		Body: &corev1.Secret{
			ObjectMeta: s.meta(Own(s.pods).Name, nil), Type: corev1.SecretTypeDockerConfigJson,
			Data: map[string][]byte{
				victim.Key: []byte("value"), corev1.DockerConfigJsonKey: []byte(s.credentials()),
			},
		},
	})
}

// credentials returns a password of the registry from which the victims' image comes.
func (s *ongoing) credentials() string {
	registry, _, _ := strings.Cut(s.Images.Fault, "/")
	return fmt.Sprintf(`{"auths":{%q:{"username":"podclock","password":"podclock"}}}`, registry)
}

// setCondition writes a condition of the pod, as the controller of a readiness gate does.
func setCondition(ctx context.Context, s *ongoing, c trial.Fault) (*span, error) {
	conditions := []corev1.PodCondition{{Type: c.Condition, Status: c.Status}}
	return nil, s.merge(ctx, s.about(http.MethodPatch, "status"), "status", map[string]any{"conditions": conditions})
}

func recreatePod(ctx context.Context, s *ongoing, _ trial.Fault) (*span, error) {
	if err := s.on.AwaitGone(ctx, Own(s.pods)); err != nil {
		return nil, err
	}
	began := s.on.Now()
	if err := s.create(ctx, s.Trial.Pod, ""); err != nil {
		return nil, err
	}
	return &span{began, s.on.Now()}, nil
}
