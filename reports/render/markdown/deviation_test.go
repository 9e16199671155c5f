package markdown

import (
	"bytes"
	"encoding/json"
	"testing"
	"time"

	. "github.com/onsi/gomega"

	"github.com/podclock/podclock/harness/measure/delay"
	"github.com/podclock/podclock/harness/measure/run"
	"github.com/podclock/podclock/harness/measure/trial"
	"github.com/podclock/podclock/reports/view"
	"github.com/podclock/podclock/reports/view/fixture"
)

func TestDeviationGolden(t *testing.T) {
	g := NewWithT(t)
	r, o := fixture.WithContext(fixture.Fixture())
	r.Nodes[1].Delays = delay.Record{LateTicks: []delay.Span{
		{
			From: fixture.SeenAt(6 * time.Second),
			To:   fixture.SeenAt(6040 * time.Millisecond),
		},
		{From: fixture.SeenAt(time.Hour), To: fixture.SeenAt(2 * time.Hour)},
	}}
	var b bytes.Buffer
	g.Expect(Deviation(&b, r, o)).To(Succeed())
	fixture.Golden(t, "deviation", b.Bytes())

	b.Reset()
	bare := fixture.Fixture()
	for _, o := range bare.Outcomes {
		if o.Verdict == trial.Deviates {
			o.Attempts[0].Deviation = &trial.Deviation{Missing: "the node did not answer"}
			g.Expect(Deviation(&b, bare, o)).To(Succeed())
		}
	}
	g.Expect(b.String()).To(And(
		ContainSubstring("## Pods\n\nThey were not saved: the node did not answer.\n"),
		HaveSuffix("## The node's log\n\nIt was not saved: the node did not answer.\n"),
	))
}

// TestUnreadablePodIsReported writes a deviation with an unreadable pod. An error would cost the run its other
// reports.
func TestUnreadablePodIsReported(t *testing.T) {
	g := NewWithT(t)
	r, o := fixture.WithContext(fixture.Fixture())
	o.Last().Deviation.Pods = []json.RawMessage{
		json.RawMessage(`{`),
		json.RawMessage(`null`),
		o.Last().Deviation.Pods[0],
	}
	var b bytes.Buffer
	g.Expect(Deviation(&b, r, o)).To(Succeed())
	g.Expect(b.String()).
		To(And(ContainSubstring("Pod 1 can't be read: unexpected EOF.\nPod 2 can't be read: it is "+
			"null.\n"), ContainSubstring("terminationGracePeriodSeconds: 2")))
}

func TestDeviationOfWhatNeverRanIsAnError(t *testing.T) {
	g := NewWithT(t)
	g.Expect(Deviation(&bytes.Buffer{}, fixture.Fixture(), run.Outcome{Trial: "a/b", Subject: fixture.Reference})).
		To(MatchError(ContainSubstring("a/b on " + fixture.Reference)))
}

func TestDeviationFilesDoNotCollide(t *testing.T) {
	g := NewWithT(t)
	name := func(subject string) string { return run.DeviationFile(run.Outcome{Trial: "a/b", Subject: subject}) }
	g.Expect(name(fixture.Mutant)).To(Equal("a-b-v1.36.3+resultrun-one.md"))
	g.Expect(name("v1.36.3@./a/kubelet")).To(MatchRegexp(`^a-b-v1\.36\.3-\.-a-kubelet-[0-9a-f]{8}\.md$`))
	g.Expect(name("v1.36.3@./a/kubelet")).NotTo(Equal(name("v1.36.3@./a@kubelet")))
}

func TestMarkdownGolden(t *testing.T) {
	var b bytes.Buffer
	NewWithT(t).Expect(Run(&b, view.OverviewOf(fixture.Small(), nil))).To(Succeed())
	fixture.Golden(t, "run", b.Bytes())
}
