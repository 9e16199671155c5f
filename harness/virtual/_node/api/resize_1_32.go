//go:build kubelet1_32

package api

import (
	"k8s.io/apiserver/pkg/registry/rest"
	podstorage "k8s.io/kubernetes/pkg/registry/core/pod/storage"
)

func resizeOf(storage podstorage.PodStorage) rest.Updater { return storage.Resize }
