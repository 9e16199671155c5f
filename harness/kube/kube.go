// Package kube is a client of the API groups that podclock uses. client-go's own has all groups, which makes a program
// 22 MB larger.
package kube

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"

	autoscalingv2 "k8s.io/api/autoscaling/v2"
	batchv1 "k8s.io/api/batch/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	"k8s.io/apimachinery/pkg/version"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/util/flowcontrol"
)

// Client asks an API server.
type Client struct {
	// Groups are clients of the API groups by name: that of the core is empty.
	Groups map[string]rest.Interface

	Autoscalers     Objects[*autoscalingv2.HorizontalPodAutoscaler, *autoscalingv2.HorizontalPodAutoscalerList]
	Budgets         Objects[*policyv1.PodDisruptionBudget, *policyv1.PodDisruptionBudgetList]
	Events          Objects[*corev1.Event, *corev1.EventList]
	Jobs            Objects[*batchv1.Job, *batchv1.JobList]
	Leases          Objects[*coordinationv1.Lease, *coordinationv1.LeaseList]
	Namespaces      Objects[*corev1.Namespace, *corev1.NamespaceList]
	Nodes           Objects[*corev1.Node, *corev1.NodeList]
	Pods            Objects[*corev1.Pod, *corev1.PodList]
	PriorityClasses Objects[*schedulingv1.PriorityClass, *schedulingv1.PriorityClassList]
	Secrets         Objects[*corev1.Secret, *corev1.SecretList]
	ServiceAccounts Objects[*corev1.ServiceAccount, *corev1.ServiceAccountList]
}

// New returns a client whose groups share connections and the limit of requests. It sends nothing.
func New(config *rest.Config) (*Client, error) {
	shared := rest.CopyConfig(config)
	shared.UserAgent = cmp.Or(shared.UserAgent, rest.DefaultKubernetesUserAgent())
	if shared.RateLimiter == nil && shared.QPS > 0 {
		shared.RateLimiter = flowcontrol.NewTokenBucketRateLimiter(shared.QPS, shared.Burst)
	}
	shared.NegotiatedSerializer = rest.CodecFactoryForGeneratedClient(scheme, codecs).WithoutConversion()
	connections, err := rest.HTTPClientFor(shared)
	if err != nil {
		return nil, err
	}
	c := &Client{Groups: map[string]rest.Interface{}}
	for _, version := range scheme.PrioritizedVersionsAllGroups() {
		shared.GroupVersion, shared.APIPath = &version, "/apis"
		if version.Group == corev1.GroupName {
			shared.APIPath = "/api"
		}
		if c.Groups[version.Group], err = rest.RESTClientForConfigAndClient(shared, connections); err != nil {
			return nil, err
		}
	}
	core := c.Groups[corev1.GroupName]
	of(&c.Autoscalers, c.Groups[autoscalingv2.GroupName], "horizontalpodautoscalers")
	of(&c.Budgets, c.Groups[policyv1.GroupName], "poddisruptionbudgets")
	of(&c.Events, core, "events")
	of(&c.Jobs, c.Groups[batchv1.GroupName], "jobs")
	of(&c.Leases, c.Groups[coordinationv1.GroupName], "leases")
	of(&c.Namespaces, core, "namespaces")
	of(&c.Nodes, core, "nodes")
	of(&c.Pods, core, "pods")
	of(&c.PriorityClasses, c.Groups[schedulingv1.GroupName], "priorityclasses")
	of(&c.Secrets, core, "secrets")
	of(&c.ServiceAccounts, core, "serviceaccounts")
	return c, nil
}

// Version returns the API server's release, which every user may read.
func (c *Client) Version(ctx context.Context) (string, error) {
	text, err := c.Groups[corev1.GroupName].Get().AbsPath("/version").Do(ctx).Raw()
	if err != nil {
		return "", err
	}
	var v version.Info
	if err := json.Unmarshal(text, &v); err != nil {
		return "", fmt.Errorf("unable to parse the server version: %w", err)
	}
	return v.GitVersion, nil
}
