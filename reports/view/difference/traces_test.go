package difference_test

import (
	"strings"
	"testing"
	"time"

	. "github.com/onsi/gomega"

	"github.com/podclock/podclock/harness/host/screen"
	"github.com/podclock/podclock/harness/virtual/trace"
	"github.com/podclock/podclock/harness/virtual/wire"
	"github.com/podclock/podclock/reports/render/markdown"
	"github.com/podclock/podclock/reports/render/terminal"
	"github.com/podclock/podclock/reports/view/difference"
)

const ms = int64(time.Millisecond)

// compared is a comparison in which two trials have a later SIGTERM, and one has no last status.
func compared() difference.Traces {
	stop := trace.Entry{
		At: 2 * ms, Kind: wire.KindCRI, Pod: "pod", Container: "main", What: "StopContainer", Text: `["pod/main-1",30]`,
		Took: 30_000 * ms,
	}
	later := stop
	later.At += 200 * ms
	status := trace.Entry{
		At: 31_000 * ms, Kind: wire.KindAPI, Pod: "pod", What: "patch pods/status",
		Text: `{"status":{"phase":"Failed"}}`,
	}
	fault := trace.Entry{Kind: wire.KindLane, Pod: "pod", What: "DELETE pods"}
	before, after := trace.Side{Name: "v1.36.3"}, trace.Side{Name: "./kubernetes"}
	add := func(trial string, was, is []trace.Entry) {
		before.Traces = append(before.Traces, trace.Trace{Trial: trial, Seed: 1, Entries: was})
		after.Traces = append(after.Traces, trace.Trace{Trial: trial, Seed: 1, Entries: is})
	}
	add("a/1", []trace.Entry{fault, stop, status}, []trace.Entry{fault, later, status})
	add("a/2", []trace.Entry{fault, stop}, []trace.Entry{fault, later})
	add("b/1", []trace.Entry{fault, stop, status}, []trace.Entry{fault, stop})
	add("b/2", []trace.Entry{fault, stop}, []trace.Entry{fault, stop})
	for seed := range int64(4) {
		value := trace.Value{Trial: "a/1", Claim: "sigterm", Unit: "ns", Value: 2*ms + seed}
		before.Values = append(before.Values, value)
		value.Value += 200 * ms
		after.Values = append(after.Values, value)
	}
	return difference.Traces(trace.Compare(before, after))
}

func TestText(t *testing.T) {
	g := NewWithT(t)
	var b strings.Builder
	g.Expect(terminal.Report(&b, compared().Report(), screen.Screen{})).To(Succeed())
	g.Expect(b.String()).To(Equal(`
2 trials: moved call StopContainer
  +200ms (2 traces)
  for example a/1, seed 1; times are since its fault; also a/2
         +0s  pod  DELETE pods
    -   +2ms  pod/main  StopContainer  ["pod/main-1",30]  (30s)
    + +202ms  pod/main  StopContainer  ["pod/main-1",30]  (30s)
        +31s  pod  patch pods/status  {"status":{"phase":"Failed"}}

1 trial: missing request patch pods/status
  for example b/1, seed 1; times are since its fault
       +0s  pod  DELETE pods
      +2ms  pod/main  StopContainer  ["pod/main-1",30]  (30s)
    - +31s  pod  patch pods/status  {"status":{"phase":"Failed"}}

Trials and values
  a/1, sigterm: from 2.000002ms (2ms to 2.000003ms) to 202.000002ms (202ms to 202.000003ms)

From v1.36.3 to ./kubernetes: 2 changes, 3 of 4 traces differ.
`))
}

func TestMarkdown(t *testing.T) {
	g := NewWithT(t)
	var b strings.Builder
	g.Expect(markdown.Report(&b, compared().Report())).To(Succeed())
	g.Expect(b.String()).To(HavePrefix("# From v1.36.3 to ./kubernetes: 2 changes, 3 of 4 traces differ.\n"))
	g.Expect(b.String()).To(ContainSubstring("\n## 2 trials: moved call StopContainer\n\n- +200ms (2 traces)\n"))
	g.Expect(b.String()).To(ContainSubstring("```diff\n     +0s  pod  DELETE pods\n-   +2ms  pod/main  StopContainer"))
	g.Expect(b.String()).To(ContainSubstring("also a/2</summary>"))
}

func TestTitle(t *testing.T) {
	g := NewWithT(t)
	r := difference.Traces{Before: "a", After: "b", Compared: 5, Same: 5, Seeds: []uint64{1, 2}}
	g.Expect(r.Report().Title).To(Equal("From a to b: nothing changed in 5 traces of 2 seeds."))
	r.OnlyAfter = []string{"x/1"}
	g.Expect(r.Report().Title).To(Equal("From a to b: nothing changed in 5 traces of 2 seeds, but other trials ran."))
	g.Expect(difference.Traces{Before: "a", After: "b"}.Report().Title).
		To(Equal("From a to b: no trial has a trace of the same seed on both sides."))
}
