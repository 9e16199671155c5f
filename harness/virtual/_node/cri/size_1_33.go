//go:build !kubelet1_34

package cri

import criapi "k8s.io/cri-api/pkg/apis/runtime/v1"

func setSize(image *criapi.Image) { image.Size_ = imageSize }
