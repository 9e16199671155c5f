//go:build !kubelet1_32

package api

import (
	"k8s.io/apiserver/pkg/registry/rest"
	podstorage "k8s.io/kubernetes/pkg/registry/core/pod/storage"
)

// resizeOf: pods of this version are not resized.
func resizeOf(podstorage.PodStorage) rest.Updater { return nil }
