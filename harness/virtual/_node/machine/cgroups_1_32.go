//go:build !kubelet1_33

package machine

// podConfigs: pods of this version are not resized.
type podConfigs map[string]struct{}
