package session

import (
	"errors"
	"io"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/podclock/podclock/harness/kubelets"
)

// The others go on if a subject is lost. They stop if the lab ends.
func TestTroublesAreThoseOfAllSubjects(t *testing.T) {
	g := NewWithT(t)
	s := &Session{lost: map[string]error{}, log: &relay{to: io.Discard}}
	g.Expect(s.lose(t.Context(), kubelets.Subject{Version: "v1.36.3", Mutation: "resultrun-one"},
		errors.New("its kubelet ended 5 times"))).
		To(Succeed())
	g.Expect(s.run.Problems).To(HaveLen(1))
	g.Expect(s.Troubles()).To(BeEmpty())

	s.Problem("the API server is gone")
	g.Expect(s.Troubles()).To(Equal([]string{"the API server is gone"}))
	g.Expect(s.run.Problems).To(HaveLen(2), "the run lists all of them")
}
