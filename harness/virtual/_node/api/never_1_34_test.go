//go:build !kubelet1_35

package api

import (
	_ "unsafe" // for linkname

	_ "k8s.io/client-go/tools/cache"
)

// neverExitWatch is a channel that client-go 0.34 makes before any bubble, and selects on: a bubble's clock
// stops unless it is one of its own.
//
//go:linkname neverExitWatch k8s.io/client-go/tools/cache.neverExitWatch
var neverExitWatch chan struct{}

func init() { enter = func() { neverExitWatch = make(chan struct{}) } }
