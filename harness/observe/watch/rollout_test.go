package watch

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	. "github.com/onsi/gomega"

	"github.com/podclock/podclock/harness/predict/live"
)

// A rollout is over once it was under way and all pods are new. An API server that does not answer says nothing.
func TestRolloutIsOver(t *testing.T) {
	const (
		underWay = `{"spec": {"replicas": 2}, "status": {"replicas": 3, "updatedReplicas": 1, "availableReplicas": 2}}`
		complete = `{"spec": {"replicas": 2}, "status": {"replicas": 2, "updatedReplicas": 2, "availableReplicas": 2}}`
		broken   = ""
	)
	g := NewWithT(t)
	answer := complete
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		if answer == broken {
			w.WriteHeader(http.StatusForbidden)
			return
		}
		_, _ = w.Write([]byte(answer))
	}))
	defer server.Close()
	connected, err := accessTo(t, server).Connect()
	g.Expect(err).NotTo(HaveOccurred())
	name, _ := live.Parse("deployment/web")
	r := rollout{server: connected, names: []live.Name{name}}
	for _, step := range []struct {
		answer string
		over   bool
	}{{complete, false}, {broken, false}, {underWay, false}, {broken, false}, {complete, true}, {broken, true}} {
		answer, r.asked = step.answer, time.Time{}
		g.Expect(r.over(t.Context())).To(Equal(step.over), step.answer)
	}
}
