package nodes

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/e2e-framework/klient/wait"
	kind "sigs.k8s.io/kind/pkg/cluster/nodes"
)

// pressureTimeout is how long a node may report a pressure that has ended: the eviction manager's period of 10 s, the
// transition period, and the removal of the taint.
const pressureTimeout = time.Minute

// AwaitReady waits until every node is Ready.
func (s *Set) AwaitReady(ctx context.Context, limit time.Duration) error {
	_, err := s.awaitNodes(ctx, limit, "Ready", whyNotReady)
	return err
}

// await asks at once and after each pollInterval whether something is done, at most for the limit.
func await(ctx context.Context, limit time.Duration, done func(context.Context) (bool, error)) error {
	return wait.For(done, wait.WithContext(ctx), wait.WithTimeout(limit), wait.WithInterval(pollInterval),
		wait.WithImmediate())
}

// awaitNodes waits until nothing is wrong with any node and returns all nodes. The error contains the last
// errors in each kubelet's log.
func (s *Set) awaitNodes(
	ctx context.Context, limit time.Duration, goal string, wrong func(*corev1.Node) string,
) ([]corev1.Node, error) {
	var known []corev1.Node
	err := await(ctx, limit, func(ctx context.Context) (bool, error) {
		list := &corev1.NodeList{}
		if err := s.Client.List(ctx, list); err != nil {
			return false, nil
		}
		known = list.Items
		fine := 0
		for i := range known {
			if wrong(&known[i]) == "" {
				fine++
			}
		}
		return fine >= len(s.All), nil
	})
	if err == nil {
		return known, nil
	}
	if ctx.Err() != nil {
		return nil, fmt.Errorf("waiting for its nodes to be %s: %w", goal, context.Cause(ctx))
	}
	ctx, cancel := context.WithTimeout(ctx, diagnoseTimeout)
	defer cancel()
	list := &corev1.NodeList{}
	if listErr := s.Client.List(ctx, list); listErr != nil { // the wait ignores errors of the API server
		const format = "waiting for its nodes to be %s: the API server did not answer for %v: %w"
		return nil, fmt.Errorf(format, goal, limit, listErr)
	}
	err = errors.Join(err, diagnose(ctx, list.Items, s.All, wrong))
	return nil, fmt.Errorf("not every node was %s within %v: %w", goal, limit, err)
}

func diagnose(ctx context.Context, known []corev1.Node, all []kind.Node, wrong func(*corev1.Node) string) error {
	var errs []error
	for _, n := range all {
		why := "its kubelet never registered it with the API server"
		for i := range known {
			if known[i].Name == n.String() {
				why = wrong(&known[i])
			}
		}
		if why != "" {
			errs = append(errs, fmt.Errorf("node %s: %s; its kubelet logged: %s", n, why, kubeletJournal(ctx, n)))
		}
	}
	return errors.Join(errs...)
}

func whyNotReady(n *corev1.Node) string {
	c := readyCondition(n)
	switch {
	case c == nil:
		return "its kubelet has not reported a status"
	case c.Status == corev1.ConditionTrue:
		return ""
	}
	return fmt.Sprintf("Ready is %s (%s): %s", c.Status, c.Reason, c.Message)
}

func readyCondition(n *corev1.Node) *corev1.NodeCondition {
	for i := range n.Status.Conditions {
		if n.Status.Conditions[i].Type == corev1.NodeReady {
			return &n.Status.Conditions[i]
		}
	}
	return nil
}

// AwaitNoPressure waits until a node has neither a pressure nor the taint of one.
func (s *Set) AwaitNoPressure(ctx context.Context, nodeName string) error {
	var has []string
	err := await(ctx, pressureTimeout, func(ctx context.Context) (bool, error) {
		node := &corev1.Node{}
		if err := s.Client.Get(ctx, nodeName, "", node); err != nil {
			return false, nil
		}
		has = pressures(node)
		return has == nil, nil
	})
	if err != nil {
		return fmt.Errorf("node %s: it still had %v after %v: %w", nodeName, has, pressureTimeout, Because(ctx, err))
	}
	return nil
}

func pressures(n *corev1.Node) []string {
	var all []string
	for _, c := range n.Status.Conditions {
		if strings.HasSuffix(string(c.Type), "Pressure") && c.Status != corev1.ConditionFalse {
			all = append(all, fmt.Sprintf("condition %s (%s)", c.Type, c.Status))
		}
	}
	for _, t := range n.Spec.Taints {
		if strings.HasSuffix(t.Key, "-pressure") {
			all = append(all, "taint "+t.Key)
		}
	}
	return all
}
