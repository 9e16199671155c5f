//go:build !kubelet1_36

package api

import (
	kadmission "k8s.io/apiserver/pkg/admission"
	"k8s.io/client-go/informers"
)

// resizeValidator: this version's server leaves it to the kubelet to refuse a resize.
func resizeValidator(informers.SharedInformerFactory) (kadmission.ValidationInterface, error) {
	return nil, nil
}
