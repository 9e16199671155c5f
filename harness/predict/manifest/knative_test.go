package manifest

import (
	"strings"
	"testing"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// A revision's pods have Knative's grace period, hooks and queue-proxy.
func TestRevisions(t *testing.T) {
	g := NewWithT(t)
	m, err := Read(strings.NewReader(`apiVersion: serving.knative.dev/v1
kind: Service
metadata: {name: hello}
spec:
  template:
    spec:
      timeoutSeconds: 45
      containerConcurrency: 10
      containers:
      - image: web
        ports: [{containerPort: 9000, name: http1}]
        livenessProbe: {httpGet: {path: /healthz}}
        readinessProbe: {tcpSocket: {port: 0}, periodSeconds: 3}
      - name: log
        image: log
        readinessProbe: {exec: {command: [ready]}}
---
apiVersion: serving.knative.dev/v1
kind: Configuration
metadata: {name: plain}
spec: {template: {spec: {initContainers: [{image: init}], containers: [{image: web}]}}}
---
apiVersion: serving.knative.dev/v1
kind: Service
metadata: {name: release}
spec: {traffic: []}
`), "")
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(m.Objects).To(HaveLen(2))
	pod := m.Objects[0].Pod.Spec
	g.Expect(*pod.TerminationGracePeriodSeconds).To(Equal(int64(45)))
	names := func(all []corev1.Container) (names []string) {
		for _, c := range all {
			names = append(names, c.Name)
		}
		return names
	}
	g.Expect(names(pod.Containers)).To(Equal([]string{"user-container-0", "log", "queue-proxy"}))
	web, log, queue := pod.Containers[0], pod.Containers[1], pod.Containers[2]
	g.Expect(web.LivenessProbe.HTTPGet.Port).To(Equal(intstr.FromInt32(9000)))
	g.Expect(web.ReadinessProbe).To(BeNil())
	g.Expect(web.Lifecycle.PreStop.HTTPGet.Path).To(Equal("/wait-for-drain"))
	g.Expect(log.ReadinessProbe.Exec.Command).To(Equal([]string{"ready"}))
	g.Expect(log.Lifecycle).To(Equal(web.Lifecycle))
	g.Expect(queue.ReadinessProbe.HTTPGet.Port).To(Equal(intstr.FromInt32(8012)))
	g.Expect(queue.ReadinessProbe.PeriodSeconds).To(Equal(int32(3)))
	g.Expect(queue.Lifecycle).To(BeNil())

	plain := m.Objects[1].Pod.Spec
	g.Expect(*plain.TerminationGracePeriodSeconds).To(Equal(int64(300)))
	g.Expect(names(plain.InitContainers)).To(Equal([]string{"init-container"}))
	g.Expect(names(plain.Containers)).To(Equal([]string{"user-container", "queue-proxy"}))
	g.Expect(plain.Containers[1].ReadinessProbe.PeriodSeconds).To(Equal(int32(10)), "the API's default")
}
