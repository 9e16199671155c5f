//go:build kubelet1_31

package api

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/testing"
)

func listOptions(a testing.ListActionImpl) metav1.ListOptions { return a.ListOptions }

func watchOptions(a testing.WatchActionImpl) metav1.ListOptions { return a.ListOptions }
