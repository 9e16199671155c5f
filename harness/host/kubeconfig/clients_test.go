package kubeconfig

import (
	"context"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/rest"
)

// An API server that accepts a connection and never answers.
func TestNoRequestWaitsForEver(t *testing.T) {
	g := NewWithT(t)
	release := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-release }))
	defer server.Close()
	defer close(release)
	client, api, err := Clients(&rest.Config{Host: server.URL})
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(client.GetConfig().Timeout).To(Equal(answersWithin), "discovery takes no context")
	bounded, _, err := Clients(&rest.Config{Host: server.URL, Timeout: time.Second / 10})
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(bounded.Get(t.Context(), "a", "", &corev1.Node{})).NotTo(Succeed())

	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = Version(ctx, api)
	g.Expect(err).To(MatchError(context.Canceled), "the question ends with its context")
}
