//go:build kubelet1_34

package kubelet

import "k8s.io/kubernetes/pkg/kubelet"

func (a arguments) kubelet() (*kubelet.Kubelet, error) {
	return kubelet.NewMainKubelet(
		a.ctx, a.config, a.dependencies, &a.flags.ContainerRuntimeOptions, nodeIP, a.node, nil, "", "", a.pki, a.files,
		a.logs, "", "", registerNode, nil, nil, "", false, false, a.flags.MinimumGCAge, a.flags.MaxPerPodContainerCount,
		a.flags.MaxContainerCount, nil, 50, false,
	)
}
