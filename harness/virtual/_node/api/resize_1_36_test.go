//go:build kubelet1_36

package api

import (
	"net/http"
	"testing"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
)

// TestResize: the subresource changes resources only. The node has none for more.
func TestResize(t *testing.T) {
	bubble(t, func(l lab) {
		p := pod(3)
		p.Spec.Containers[0].Resources = requests("1")
		l.create(p)
		patch := func(cpu string) map[string]any {
			main := []any{map[string]any{"name": "main", "image": "other", "resources": requests(cpu)}}
			return map[string]any{"spec": map[string]any{"containers": main}}
		}
		l.Expect(l.request(http.MethodPatch, "resize", patch("0.5"))).To(Succeed())
		now := l.get().Spec.Containers[0]
		l.Expect(now.Image).NotTo(Equal("other"))
		l.Expect(now.Resources).To(Equal(requests("500m")))
		err := l.request(http.MethodPatch, "resize", patch("3"))
		l.Expect(apierrors.IsForbidden(err)).To(BeTrue(), "%v", err)
		l.Expect(l.get().Generation).To(BeEquivalentTo(2))
	})
}

func requests(cpu string) corev1.ResourceRequirements {
	return corev1.ResourceRequirements{
		Requests: corev1.ResourceList{corev1.ResourceCPU: resource.MustParse(cpu)},
	}
}
