package nodes

import (
	"os"
	"testing"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/yaml"
)

const (
	hash      = "0123456789abcdef"
	otherHash = "fedcba9876543210"
)

var controllers = Component{Name: "kube-controller-manager"}

func manifest(t *testing.T) []byte {
	t.Helper()
	raw, err := os.ReadFile("testdata/kube-controller-manager.yaml")
	NewWithT(t).Expect(err).NotTo(HaveOccurred())
	return raw
}

// Everything except the program and its grace period stays as kubeadm wrote it.
func TestReplaceComponent(t *testing.T) {
	g := NewWithT(t)
	after, err := replaceComponent(manifest(t), controllers, "/on/the/node", hash)
	g.Expect(err).NotTo(HaveOccurred())
	golden(t, "kube-controller-manager-replaced.yaml", string(after))

	var before, pod corev1.Pod
	g.Expect(yaml.Unmarshal(manifest(t), &before)).To(Succeed())
	g.Expect(yaml.UnmarshalStrict(after, &pod)).To(Succeed())
	g.Expect(pod.Spec.Containers[0].Command[0]).To(Equal("/podclock/kube-controller-manager"))
	g.Expect(pod.Spec.Containers[0].Command[1:]).To(Equal(before.Spec.Containers[0].Command[1:]))
	g.Expect(pod.Spec.Containers[0].LivenessProbe).To(Equal(before.Spec.Containers[0].LivenessProbe))
}

func TestReplaceComponentAgain(t *testing.T) {
	g := NewWithT(t)
	once, err := replaceComponent(manifest(t), controllers, "/on/the/node", hash)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(replaceComponent(once, controllers, "/on/the/node", hash)).
		To(BeNil(), "it runs that binary already")

	direct, err := replaceComponent(manifest(t), controllers, "/elsewhere", otherHash)
	g.Expect(err).NotTo(HaveOccurred())
	twice, err := replaceComponent(once, controllers, "/elsewhere", otherHash)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(string(twice)).To(Equal(string(direct)), "nothing of the first is left")
}

// A program with many mutations is a new component with each of them.
func TestReplaceComponentByItsEnvironment(t *testing.T) {
	g := NewWithT(t)
	chosen := Component{Name: controllers.Name, Env: []string{"PODCLOCK_MUTATION=one"}}
	one, err := replaceComponent(manifest(t), chosen, "/on/the/node", hash)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(replaceComponent(one, chosen, "/on/the/node", hash)).To(BeNil())

	chosen.Env = []string{"PODCLOCK_MUTATION=two"}
	two, err := replaceComponent(one, chosen, "/on/the/node", hash)
	g.Expect(err).NotTo(HaveOccurred())
	var pod corev1.Pod
	g.Expect(yaml.UnmarshalStrict(two, &pod)).To(Succeed())
	g.Expect(pod.Spec.Containers[0].Env).To(Equal([]corev1.EnvVar{{Name: "PODCLOCK_MUTATION", Value: "two"}}))

	none, err := replaceComponent(two, controllers, "/on/the/node", hash)
	g.Expect(err).NotTo(HaveOccurred())
	direct, err := replaceComponent(manifest(t), controllers, "/on/the/node", hash)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(string(none)).To(Equal(string(direct)))
}

func TestReplaceComponentOfAnUnknownPod(t *testing.T) {
	for name, c := range map[string]struct{ manifest, says string }{
		"another program": {
			"kind: Pod\nspec: {containers: [{name: etcd, command: [etcd]}]}\n",
			"expected one container kube-apiserver",
		},
		"two containers": {
			"kind: Pod\nspec: {containers: [{name: kube-apiserver, command: [a]}, {name: b}]}\n",
			"expected one container",
		},
		"no command": {"kind: Pod\nspec: {containers: [{name: kube-apiserver}]}\n", "with a command"},
		"no pod":     {"kind: Pod\nspec: {pods: 1}\n", "it is no pod"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := replaceComponent([]byte(c.manifest), Component{Name: "kube-apiserver"}, "/on/the/node", hash)
			NewWithT(t).Expect(err).To(MatchError(ContainSubstring(c.says)))
		})
	}
}

func TestPodReady(t *testing.T) {
	g := NewWithT(t)
	pod := &corev1.Pod{}
	g.Expect(podReady(pod)).To(BeFalse(), "it has no condition yet")
	pod.Status.Conditions = []corev1.PodCondition{
		{Type: corev1.PodScheduled, Status: corev1.ConditionTrue},
		{Type: corev1.PodReady, Status: corev1.ConditionFalse},
	}
	g.Expect(podReady(pod)).To(BeFalse())
	pod.Status.Conditions[1].Status = corev1.ConditionTrue
	g.Expect(podReady(pod)).To(BeTrue())
}
