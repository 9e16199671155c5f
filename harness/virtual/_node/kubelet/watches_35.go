//go:build kubelet1_35

package kubelet

// neverExitWatches is for channels of a version that are made outside of the bubble; this one has none but wait.NeverStop.
func neverExitWatches() {}
