package virtual

import (
	"encoding/json"
	"testing"
	"time"

	. "github.com/onsi/gomega"

	"github.com/podclock/podclock/harness/measure/timeline"
	"github.com/podclock/podclock/harness/measure/trial"
	"github.com/podclock/podclock/harness/virtual/wire"
)

func TestCallsAreEvidence(t *testing.T) {
	g := NewWithT(t)
	const pod = "podclock/shop"
	calls := callsOf([]wire.Entry{
		{At: 1, Kind: wire.KindCRI, Pod: pod, What: "RunPodSandbox", Text: `{"hostname":"shop"}`},
		{At: 2, Kind: wire.KindCRI, What: "ListContainers", Text: "null"},
		{At: 3, Kind: wire.KindCRI, Pod: pod, Container: "main", What: "StopContainer", Text: `["podclock/shop/main-1",5]`},
		{At: 4, Kind: wire.KindCRI, Pod: pod, What: "StopPodSandbox", Text: `["podclock/shop/sandbox-1",null]`,
			Took: wire.Unanswered},
		{At: 5, Kind: wire.KindAPI, Pod: pod, What: "patch pods/status", Text: `{"status":{}}`},
		{At: 6, Kind: wire.KindAPI, By: "scheduler", Pod: pod, What: "delete pods", Text: `{}`},
		{At: 7, Kind: wire.KindAPI, Pod: "podclock/other", What: "delete pods", Text: `{}`, Error: "not found"},
	})
	g.Expect(calls).To(Equal(map[string][]timeline.Call{
		pod: {
			{At: 1, What: "RunPodSandbox", Argument: json.RawMessage(`{"hostname":"shop"}`)},
			{At: 3, What: "StopContainer", Container: "main", Instance: "main-1", Argument: json.RawMessage("5")},
			{At: 4, What: "StopPodSandbox", Instance: "sandbox-1", Error: "not answered"},
			{At: 5, What: "patch pods/status"},
		},
		"podclock/other": {{At: 7, What: "delete pods", Argument: json.RawMessage(`{}`), Error: "not found"}},
	}))
}

// A fault may wait for what a wrong kubelet never does. Its calls are evidence too.
func TestCallsOfATrialThatEndsEarly(t *testing.T) {
	g := NewWithT(t)
	s, requests := play(t, "obeys")
	tr := deletion(2)
	tr.Lasts = 5 * time.Second
	tr.Faults = []trial.Fault{trial.Delete().At(trial.Started.Life(2), 0)}
	_, err := played(t.Context(), s, tr)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(kinds(requests())).To(Equal([]string{"start", "create", "trace"}))
}
