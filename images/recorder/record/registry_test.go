package record

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/podclock/podclock/harness/measure/mark"
)

// A container runtime asks for the manifest of mark.UnpullableImage, by HEAD or GET: it gets a 404, and
// every request is a record.
func TestRefusesPulls(t *testing.T) {
	r := newRig(t, Options{})
	host, rest, _ := strings.Cut(mark.UnpullableImage("ns", "pod-1", "victim"), "/")
	const name, tag = "ns/pod-1/victim", "latest" // the kubelet adds the tag
	r.g.Expect(rest).To(Equal(name))
	r.g.Expect(host).To(Equal("127.0.0.1:7412"))
	before := r.Now()
	for _, method := range []string{http.MethodHead, http.MethodGet} {
		answer := httptest.NewRecorder()
		r.Reader().ServeHTTP(answer, httptest.NewRequest(method, "http://"+host+"/v2/"+name+"/manifests/"+tag, nil))
		r.g.Expect(answer.Code).To(Equal(http.StatusNotFound))
	}
	batch, _ := r.get("")
	r.g.Expect(kinds(batch.Records)).To(Equal([]mark.Kind{mark.Pulled, mark.Pulled}))
	for _, record := range batch.Records {
		r.g.Expect(record.Identity).To(Equal(mark.Identity{Pod: "ns/pod-1", Container: "victim"}))
		r.g.Expect(record.At).To(And(BeNumerically(">=", before), BeNumerically("<=", r.Now())))
	}
	answer := httptest.NewRecorder()
	r.Reader().ServeHTTP(answer, httptest.NewRequest(http.MethodGet, "/v2/", nil))
	r.g.Expect(answer.Code).To(Equal(http.StatusOK), "CRI-O looks for a registry first")
	answer = httptest.NewRecorder()
	r.Reader().ServeHTTP(answer, httptest.NewRequest(http.MethodGet, "/v2/other/manifests/1", nil))
	r.g.Expect(answer.Code).To(Equal(http.StatusNotFound), "an unknown image belongs to no attempt")
	again, _ := r.get("after=2&wait=0s&epoch=" + batch.Epoch)
	r.g.Expect(again.Records).To(BeEmpty())
}
