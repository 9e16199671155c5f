package folder

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"time"

	. "github.com/onsi/gomega"

	"github.com/podclock/podclock/harness/delay"
	"github.com/podclock/podclock/harness/run"
	"github.com/podclock/podclock/harness/trial"
	"github.com/podclock/podclock/reports/fixture"
	"github.com/podclock/podclock/reports/markdown"
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
	g.Expect(markdown.Deviation(&b, r, o)).To(Succeed())
	fixture.Golden(t, "deviation", b.Bytes())

	b.Reset()
	plain := fixture.Fixture()
	for _, o := range plain.Outcomes {
		if o.Verdict == trial.Deviates {
			o.Attempts[0].Deviation = &trial.Deviation{Missing: "the node did not answer"}
			g.Expect(markdown.Deviation(&b, plain, o)).To(Succeed())
		}
	}
	fixture.Golden(t, "deviation-bare", b.Bytes())
}

// A run's other reports are written after its deviations, so that one of these must not fail over a pod.
func TestAPodThatCannotBeReadIsTold(t *testing.T) {
	g := NewWithT(t)
	r, o := fixture.WithContext(fixture.Fixture())
	o.Last().Deviation.Pods = []json.RawMessage{
		json.RawMessage(`{`),
		json.RawMessage(`null`),
		o.Last().Deviation.Pods[0],
	}
	var b bytes.Buffer
	g.Expect(markdown.Deviation(&b, r, o)).To(Succeed())
	g.Expect(b.String()).
		To(And(ContainSubstring("Pod 1 can't be read: unexpected EOF.\nPod 2 can't be read: it is null.\n"), ContainSubstring("terminationGracePeriodSeconds: 2")))
}

func TestDeviationOfWhatNeverRanIsAnError(t *testing.T) {
	g := NewWithT(t)
	g.Expect(markdown.Deviation(&bytes.Buffer{}, fixture.Fixture(), run.Outcome{Trial: "a/b", Subject: fixture.Clean})).
		To(MatchError(ContainSubstring("a/b on " + fixture.Clean)))
}

func TestEveryDeviationHasAFile(t *testing.T) {
	g := NewWithT(t)
	dir := t.TempDir()
	r, o := fixture.WithContext(fixture.Fixture())
	g.Expect(Write(dir, r)).To(Succeed())
	files, err := os.ReadDir(filepath.Join(dir, run.DeviationsFolder))
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(files).To(HaveLen(r.Count(trial.Deviates)))
	g.Expect(files[0].Name()).To(Equal(run.DeviationFile(o)))
	for _, name := range []string{run.RunFile, run.JUnitFile, run.MarkdownFile} {
		g.Expect(filepath.Join(dir, name)).To(BeARegularFile())
	}

	g.Expect(Write(t.TempDir(), fixture.Conforming())).To(Succeed())
	none := t.TempDir()
	g.Expect(WriteDeviations(none, fixture.Conforming())).To(Succeed())
	g.Expect(filepath.Join(none, run.DeviationsFolder)).NotTo(BeADirectory())
}

func TestDeviationFilesDoNotCollide(t *testing.T) {
	g := NewWithT(t)
	name := func(subject string) string { return run.DeviationFile(run.Outcome{Trial: "a/b", Subject: subject}) }
	g.Expect(name(fixture.Mutant)).To(Equal("a-b-v1.36.3+resultrun-one.md"))
	g.Expect(name("v1.36.3@./a/kubelet")).To(MatchRegexp(`^a-b-v1\.36\.3-\.-a-kubelet-[0-9a-f]{8}\.md$`))
	g.Expect(name("v1.36.3@./a/kubelet")).NotTo(Equal(name("v1.36.3@./a@kubelet")))
}
