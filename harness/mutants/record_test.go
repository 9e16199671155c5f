package sensitivity

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	. "github.com/onsi/gomega"

	"github.com/podclock/podclock/harness/kubelets"
	"github.com/podclock/podclock/harness/measure/run"
	"github.com/podclock/podclock/harness/mutants/detection"
	"github.com/podclock/podclock/harness/session"
)

func saveReport(dir string, r detection.Report) error {
	r.Schema = detection.Schema
	file, err := os.Create(filepath.Join(dir, detection.ReportFile))
	return errors.Join(err, detection.WriteJSON(file, r), file.Close())
}

// A record is read from the path that the user gave, before anything is built.
func TestRecordOfARequest(t *testing.T) {
	g := NewWithT(t)
	root, err := session.Root()
	g.Expect(err).NotTo(HaveOccurred())
	save := func(version string, lanes ...detection.LaneReport) string {
		dir := t.TempDir()
		g.Expect(saveReport(dir, detection.Report{ID: "saved", Version: version, Lanes: lanes})).To(Succeed())
		fromRoot, err := filepath.Rel(root, dir)
		g.Expect(err).NotTo(HaveOccurred())
		return fromRoot
	}
	met := detection.LaneReport{Lane: run.NodeLane, Mutants: []detection.Mutant{
		{Name: "resultrun-one", Verdict: detection.Caught}, {Name: "resultrun-kept", Verdict: detection.Undecided},
	}}
	asked := Request{Lane: kubelet.LaneNode, Mutants: "resultrun-one,resultrun-kept", Unmet: true,
		Cluster: session.Config{KindBase: []byte(kindBase)}}
	asked.Record = save("v1.37.2", met)
	o, err := asked.Options(nil)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(o.Mutations).To(HaveExactElements(HaveField("Name", "resultrun-kept")))
	g.Expect(o.settings()).To(HaveKeyWithValue("UNMET", "1"))

	asked.Lane = kubelet.LaneVirtual
	o, err = asked.Options(nil)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(o.Mutations).To(HaveLen(2), "a verdict of the other lane is none")

	asked.Lane, asked.Mutants = kubelet.LaneNode, "resultrun-one"
	_, err = asked.Options(nil)
	g.Expect(err).To(MatchError(HavePrefix("--unmet: each of these mutants has a verdict in the record")))
	asked.Record = save("v1.35.4", met)
	_, err = asked.Options(nil)
	g.Expect(err).To(MatchError(And(HavePrefix("--record="), ContainSubstring("it is the record of v1.35.4"))))
}

// A run adds each verdict to the record as soon as it has it, and the node lane reads there what caught a mutant.
func TestARunAddsToItsRecord(t *testing.T) {
	g := NewWithT(t)
	dir, out := filepath.Join(t.TempDir(), "new", "record"), t.TempDir() // of one folder, runs have different IDs
	save := func(dir string, r detection.Report) error {
		return errors.Join(os.MkdirAll(dir, 0o755), saveReport(dir, r))
	}
	play := func(kind kubelet.Lane, mutant detection.Mutant) (seen Witnesses) {
		record, err := LoadRecord(dir, "v1.37.2")
		g.Expect(err).NotTo(HaveOccurred())
		p, err := New(Options{Root: t.TempDir(), Out: out, Version: "v1.37.2", Record: record,
			Lanes: []kubelet.Lane{kind}, Program: Program{Save: saveReport, Keep: save}})
		g.Expect(err).NotTo(HaveOccurred())
		p.lanes[kind] = func(_ context.Context, _ Options, w Witnesses, k keep) detection.LaneReport {
			seen = w
			l := detection.LaneReport{Lane: run.Lane(kind), Started: time.Now(), Mutants: []detection.Mutant{mutant}}
			k(l)
			saved, err := detection.Load(dir)
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(saved.Lanes[len(saved.Lanes)-1].Mutants).NotTo(BeEmpty(), "before the lane ends")
			l.Ended = time.Now()
			return l
		}
		_, err = p.Play(t.Context())
		g.Expect(err).NotTo(HaveOccurred())
		return seen
	}
	caught := detection.Mutant{Name: "a", Verdict: detection.Caught, Catches: []detection.Catch{{Trial: "t/one"}}}
	play(kubelet.LaneVirtual, caught)
	g.Expect(play(kubelet.LaneNode, detection.Mutant{Name: "a", Verdict: detection.Undecided, Run: 1})).
		To(HaveKeyWithValue("a", HaveExactElements(HaveField("Trial", "t/one"))))
	play(kubelet.LaneNode, caught)
	whole, err := detection.Load(dir)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(whole.Lanes).To(HaveExactElements(HaveField("Lane", run.VirtualLane), HaveField("Lane", run.NodeLane)))
	g.Expect(whole.Lanes[1].Mutants).To(HaveExactElements(HaveField("Verdict", detection.Caught)))
	g.Expect(whole.Ended).NotTo(BeZero())

	record, err := LoadRecord(dir, "v1.37.2")
	g.Expect(err).NotTo(HaveOccurred())
	again := detection.Report{ID: detection.IDs(whole)[1], Version: "v1.37.2"}
	g.Expect(record.Add(again, saveReport)).To(MatchError(ContainSubstring("has the verdicts of " + again.ID)))
}
