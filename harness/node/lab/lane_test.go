package lab

import (
	"net/http"
	"net/http/httptest"
	"testing"

	. "github.com/onsi/gomega"
	policyv1 "k8s.io/api/policy/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"github.com/podclock/podclock/harness/measure/runner"
)

// A repeated request would make the fault's time as long as all of them.
func TestAFaultIsOneRequest(t *testing.T) {
	g, requests := NewWithT(t), 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		requests++
		w.Header().Set("Retry-After", "1")
		w.WriteHeader(http.StatusTooManyRequests)
	}))
	defer server.Close()
	client, err := kubernetes.NewForConfig(&rest.Config{Host: server.URL})
	g.Expect(err).NotTo(HaveOccurred())
	e := &lane{lab: &site{server: client}}
	err = e.Do(t.Context(), runner.Request{
		Method: http.MethodPost, Resource: "pods", Subresource: "eviction", Namespace: "default", Name: "victim",
		Body: &policyv1.Eviction{},
	})
	g.Expect(apierrors.IsTooManyRequests(err)).To(BeTrue(), "%v", err)
	g.Expect(requests).To(Equal(1))
}
