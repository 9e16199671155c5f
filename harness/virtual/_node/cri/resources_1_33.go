//go:build kubelet1_33

package cri

import (
	"context"

	criapi "k8s.io/cri-api/pkg/apis/runtime/v1"
)

// UpdatePodSandboxResources changes nothing: the kubelet itself writes the pod's cgroup
// (update_pod_sandbox_resources.go).
func (c *Connection) UpdatePodSandboxResources(
	ctx context.Context, r *criapi.UpdatePodSandboxResourcesRequest,
) (*criapi.UpdatePodSandboxResourcesResponse, error) {
	id := r.GetPodSandboxId()
	e := c.ofSandbox("UpdatePodSandboxResources", id, r)
	return call(ctx, c, e, func(context.Context) (*criapi.UpdatePodSandboxResourcesResponse, error) {
		if _, err := c.runtime.sandbox(id); err != nil {
			return nil, err
		}
		return &criapi.UpdatePodSandboxResourcesResponse{}, nil
	})
}
