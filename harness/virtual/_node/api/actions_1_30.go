//go:build !kubelet1_31

package api

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/testing"
)

func listOptions(a testing.ListActionImpl) metav1.ListOptions {
	r := a.GetListRestrictions()
	return metav1.ListOptions{LabelSelector: r.Labels.String(), FieldSelector: r.Fields.String()}
}

func watchOptions(a testing.WatchActionImpl) metav1.ListOptions {
	r := a.GetWatchRestrictions()
	return metav1.ListOptions{
		LabelSelector: r.Labels.String(), FieldSelector: r.Fields.String(), ResourceVersion: r.ResourceVersion,
	}
}
