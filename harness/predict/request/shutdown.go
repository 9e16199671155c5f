package request

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/podclock/podclock/harness/rules/formula"
)

const shutdownByPriority = "GracefulNodeShutdownBasedOnPodPriority"

// refusedShutdown returns why a kubelet does not start with the configuration of a graceful shutdown, or nil
// (pkg/kubelet/apis/config/validation/validation.go ValidateKubeletConfiguration).
func refusedShutdown(k formula.Kubelet, configuration json.RawMessage) error {
	var c struct {
		ShutdownGracePeriod              metav1.Duration
		ShutdownGracePeriodCriticalPods  metav1.Duration
		ShutdownGracePeriodByPodPriority []json.RawMessage
	}
	if err := json.Unmarshal(configuration, &c); err != nil {
		return err
	}
	all, critical := c.ShutdownGracePeriod.Duration, c.ShutdownGracePeriodCriticalPods.Duration
	byPriority := len(c.ShutdownGracePeriodByPodPriority) > 0
	off := func(gate string) bool { on, set := k.Gates[gate]; return set && !on }
	switch {
	case critical > all:
		return fmt.Errorf("no kubelet starts with it: shutdownGracePeriodCriticalPods (%v) is part of "+
			"shutdownGracePeriod (%v)", critical, all)
	case all > 0 && all < time.Second || critical > 0 && critical < time.Second || all < 0 || critical < 0:
		return errors.New("no kubelet starts with it: shutdownGracePeriod and shutdownGracePeriodCriticalPods are " +
			"0s, or 1s at least")
	case byPriority && all > 0:
		return errors.New("no kubelet starts with it: give shutdownGracePeriod or shutdownGracePeriodByPodPriority, " +
			"not both")
	case (byPriority || all > 0) && off("GracefulNodeShutdown"):
		return errors.New("no kubelet starts with it: a graceful shutdown needs the feature gate GracefulNodeShutdown")
	case byPriority && (off(shutdownByPriority) || !k.Has(formula.ShutdownByPriority)):
		return errors.New("no kubelet starts with it: shutdownGracePeriodByPodPriority needs the feature gate " +
			shutdownByPriority)
	}
	return nil
}
