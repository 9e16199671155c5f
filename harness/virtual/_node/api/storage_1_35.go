//go:build kubelet1_35

package api

import (
	"k8s.io/apiserver/pkg/registry/generic"
	policyclient "k8s.io/client-go/kubernetes/typed/policy/v1"
	podstorage "k8s.io/kubernetes/pkg/registry/core/pod/storage"
)

func newStorage(
	options generic.RESTOptions, budgets policyclient.PodDisruptionBudgetsGetter,
) (podstorage.PodStorage, error) {
	return podstorage.NewStorage(options, nil, nil, budgets, nil)
}
