//go:build !kubelet1_31

package kubelet

import "k8s.io/kubernetes/pkg/kubelet"

func (a arguments) kubelet() (*kubelet.Kubelet, error) {
	return kubelet.NewMainKubelet(
		a.config, a.dependencies, &a.flags.ContainerRuntimeOptions, nodeIP, true, a.node, nil, "", "", a.pki, a.files,
		a.logs, "", "", registerNode, nil, nil, "", false, false, a.flags.MinimumGCAge, a.flags.MaxPerPodContainerCount,
		a.flags.MaxContainerCount, true, false, nil, 50, false,
	)
}
