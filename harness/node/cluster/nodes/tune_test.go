package nodes

import (
	"testing"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
)

func TestWhatAKubeletIgnoresIsFound(t *testing.T) {
	effective := []byte(`{"syncFrequency":"1m0s","maxPods":250,"evictionSoft":{"nodefs.inodesFree":"40%"},
		"evictionHard":{"memory.available":"100Mi","nodefs.available":"0%"},
		"crashLoopBackOff":{"maxContainerRestartPeriod":"5s"},"staticPodPath":"x"}`)
	for name, c := range map[string]struct {
		patch   map[string]any
		ignored []string
	}{
		"nothing":                    {nil, nil},
		"equal":                      {map[string]any{"maxPods": 250}, nil},
		"other value":                {map[string]any{"maxPods": 110}, []string{"maxPods"}},
		"duration spelled otherwise": {map[string]any{"syncFrequency": "60s"}, nil},
		"other duration":             {map[string]any{"syncFrequency": "61s"}, []string{"syncFrequency"}},
		"one key of several": {
			map[string]any{"evictionHard": map[string]string{"memory.available": "100Mi"}}, nil,
		},
		"unknown key": {
			map[string]any{"evictionSoft": map[string]any{"pid.available": "5"}},
			[]string{"evictionSoft.pid.available"},
		},
		"unknown object": {
			map[string]any{"new": map[string]any{"b": 1, "a": map[string]any{"c": "1m"}}}, []string{"new.a.c", "new.b"},
		},
		"zero is left out": {
			map[string]any{"evictionMaxPodGracePeriod": 0, "shutdownGracePeriod": "0s", "enabled": false}, nil,
		},
		"removed":                       {map[string]any{"staticPodPath": nil}, nil},
		"an object instead of a number": {map[string]any{"maxPods": map[string]any{"a": 1}}, []string{"maxPods.a"}},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			g.Expect(ignoredFields(c.patch, effective)).To(Equal(c.ignored))
		})
	}
	g := NewWithT(t)
	_, err := ignoredFields(map[string]any{"a": func() {}}, effective)
	g.Expect(err).To(HaveOccurred())
	_, err = ignoredFields(nil, []byte("Unauthorized"))
	g.Expect(err).To(HaveOccurred())
}

func TestTooSmallAFileSystemIsRefused(t *testing.T) {
	g := NewWithT(t)
	g.Expect(NodeFS{SizeMiB: 16, Inodes: 1000}.validate()).To(Succeed())
	g.Expect(NodeFS{SizeMiB: 15, Inodes: 1000}.validate()).To(MatchError(ContainSubstring("15 MiB")))
	g.Expect(NodeFS{SizeMiB: 16, Inodes: 999}.validate()).To(MatchError(ContainSubstring("999 inodes")))
}

func TestPressures(t *testing.T) {
	g := NewWithT(t)
	node := &corev1.Node{Status: corev1.NodeStatus{Conditions: []corev1.NodeCondition{
		{
			Type:   corev1.NodeDiskPressure,
			Status: corev1.ConditionFalse,
		},
		{Type: corev1.NodeReady, Status: corev1.ConditionTrue},
	}}}
	g.Expect(pressures(node)).To(BeNil())
	node.Status.Conditions[0].Status = corev1.ConditionTrue
	node.Spec.Taints = []corev1.Taint{{Key: corev1.TaintNodeDiskPressure}, {Key: corev1.TaintNodeUnschedulable}}
	g.Expect(pressures(node)).
		To(Equal([]string{"condition DiskPressure (True)", "taint node.kubernetes.io/disk-pressure"}))
}
