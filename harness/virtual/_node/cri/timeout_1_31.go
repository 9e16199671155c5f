//go:build kubelet1_31

package cri

import (
	"fmt"
	"time"

	client "k8s.io/cri-client/pkg"
)

func timedOut(line string, timeout time.Duration) error {
	return fmt.Errorf("%w: %q timed out after %s", client.ErrCommandTimedOut, line, timeout)
}
