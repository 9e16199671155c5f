package nodes

import (
	"flag"
	"os"
	"path/filepath"
	"testing"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// golden compares a text with a file in testdata.
func golden(t *testing.T, name, got string) {
	t.Helper()
	g := NewWithT(t)
	path := filepath.Join("testdata", name)
	if *update {
		g.Expect(os.WriteFile(path, []byte(got), 0o644)).To(Succeed())
	}
	want, err := os.ReadFile(path)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(got).To(Equal(string(want)))
}

func apiNode(name, podCIDR, address string) corev1.Node {
	return corev1.Node{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec:       corev1.NodeSpec{PodCIDR: podCIDR},
		Status: corev1.NodeStatus{Addresses: []corev1.NodeAddress{
			{Type: corev1.NodeHostName, Address: name},
			{Type: corev1.NodeInternalIP, Address: address},
		}},
	}
}

func TestTheCNIConfiguration(t *testing.T) {
	got, err := conflist("10.244.1.0/24")
	NewWithT(t).Expect(err).NotTo(HaveOccurred())
	golden(t, "podclock.conflist", got)
}

func TestEveryNodeHasARouteToTheOthers(t *testing.T) {
	g := NewWithT(t)
	all := []corev1.Node{
		apiNode("a", "10.244.0.0/24", "172.18.0.2"),
		apiNode("b", "10.244.1.0/24", "172.18.0.3"),
		apiNode("c", "10.244.2.0/24", "172.18.0.4"),
	}
	own, routes := networkOf("b", all)
	g.Expect(own).To(Equal("10.244.1.0/24"))
	g.Expect(routes).To(Equal([]string{"10.244.0.0/24", "172.18.0.2", "10.244.2.0/24", "172.18.0.4"}))
	own, routes = networkOf("a", all[:1])
	g.Expect(own).To(Equal("10.244.0.0/24"))
	g.Expect(routes).To(BeEmpty())
}

func TestWhatANodeLacksIsNamed(t *testing.T) {
	g := NewWithT(t)
	n := apiNode("a", "10.244.0.0/24", "172.18.0.2")
	g.Expect(whyNotAddressed(&n)).To(BeEmpty())
	g.Expect(whyNotReady(&n)).To(ContainSubstring("not reported"))

	n.Spec.PodCIDR = ""
	g.Expect(whyNotAddressed(&n)).To(ContainSubstring("pod CIDR"))
	n = apiNode("a", "10.244.0.0/24", "")
	g.Expect(whyNotAddressed(&n)).To(ContainSubstring("address"))

	n.Status.Conditions = []corev1.NodeCondition{
		{Type: corev1.NodeMemoryPressure, Status: corev1.ConditionTrue},
		{
			Type:    corev1.NodeReady,
			Status:  corev1.ConditionFalse,
			Reason:  "KubeletNotReady",
			Message: "cni plugin not initialized",
		},
	}
	g.Expect(whyNotReady(&n)).To(And(ContainSubstring("False"), ContainSubstring("cni plugin not initialized")))
	n.Status.Conditions[1].Status = corev1.ConditionTrue
	g.Expect(whyNotReady(&n)).To(BeEmpty())
}
