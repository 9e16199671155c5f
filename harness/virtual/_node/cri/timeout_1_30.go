//go:build !kubelet1_31

package cri

import (
	"fmt"
	"time"

	"k8s.io/kubernetes/pkg/probe/exec"
)

func timedOut(line string, timeout time.Duration) error {
	return exec.NewTimeoutError(fmt.Errorf("command %q timed out", line), timeout)
}
