package mutants

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	. "github.com/onsi/gomega"

	"github.com/podclock/podclock/harness/measure/run"
	"github.com/podclock/podclock/harness/mutants/mutationtest"
	"github.com/podclock/podclock/harness/session"
)

func saveReport(dir string, r mutationtest.Report) error {
	r.Schema = mutationtest.Schema
	file, err := os.Create(filepath.Join(dir, mutationtest.ReportFile))
	return errors.Join(err, mutationtest.WriteJSON(file, r), file.Close())
}

// A record is read from the path that the user gave, before anything is built.
func TestRecordOfARequest(t *testing.T) {
	g := NewWithT(t)
	root, err := session.Root()
	g.Expect(err).NotTo(HaveOccurred())
	save := func(version string, lanes ...mutationtest.LaneReport) string {
		dir := t.TempDir()
		g.Expect(saveReport(dir, mutationtest.Report{ID: "saved", Version: version, Lanes: lanes})).To(Succeed())
		fromRoot, err := filepath.Rel(root, dir)
		g.Expect(err).NotTo(HaveOccurred())
		return fromRoot
	}
	met := mutationtest.LaneReport{Lane: run.NodeLane, Mutants: []mutationtest.Mutant{
		{Name: "resultrun-one", Verdict: mutationtest.Killed}, {Name: "resultrun-kept", Verdict: mutationtest.Undecided},
	}}
	asked := Request{Lane: run.NodeLane, Mutants: "resultrun-one,resultrun-kept", Unmet: true,
		Cluster: session.Config{KindBase: []byte(kindBase)}}
	asked.Record = save("v1.37.2", met)
	o, err := asked.Options(nil)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(o.Mutations).To(HaveExactElements(HaveField("Name", "resultrun-kept")))
	g.Expect(o.settings()).To(HaveKeyWithValue("UNMET", "1"))

	asked.Lane = run.VirtualLane
	o, err = asked.Options(nil)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(o.Mutations).To(HaveLen(2), "a verdict of the other lane is none")

	asked.Lane, asked.Mutants = run.NodeLane, "resultrun-one"
	_, err = asked.Options(nil)
	g.Expect(err).To(MatchError(HavePrefix("--unmet: each of these mutants has a verdict in the record")))
	asked.Record = save("v1.35.4", met)
	_, err = asked.Options(nil)
	g.Expect(err).To(MatchError(And(HavePrefix("--record="), ContainSubstring("it is the record of v1.35.4"))))
}

// A run adds each verdict to the record as soon as it has it, and the node lane reads there what killed a mutant.
func TestARunAddsToItsRecord(t *testing.T) {
	g := NewWithT(t)
	dir, out := filepath.Join(t.TempDir(), "new", "record"), t.TempDir() // of one folder, runs have different IDs
	save := func(dir string, r mutationtest.Report) error {
		return errors.Join(os.MkdirAll(dir, 0o755), saveReport(dir, r))
	}
	play := func(kind run.Lane, mutant mutationtest.Mutant) (seen Killers) {
		record, err := LoadRecord(dir, "v1.37.2")
		g.Expect(err).NotTo(HaveOccurred())
		p, err := New(Options{Root: t.TempDir(), Out: out, Version: "v1.37.2", Record: record,
			Lanes: []run.Lane{kind}, Program: Program{Save: saveReport, Keep: save}})
		g.Expect(err).NotTo(HaveOccurred())
		p.lanes[kind] = func(_ context.Context, _ Options, w Killers, k keep) mutationtest.LaneReport {
			seen = w
			l := mutationtest.LaneReport{Lane: kind, Started: time.Now(),
				Mutants: []mutationtest.Mutant{mutant}}
			k(l)
			saved, err := mutationtest.Load(dir)
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(saved.Lanes[len(saved.Lanes)-1].Mutants).NotTo(BeEmpty(), "before the lane ends")
			l.Ended = time.Now()
			return l
		}
		_, err = p.Play(t.Context())
		g.Expect(err).NotTo(HaveOccurred())
		return seen
	}
	killed := mutationtest.Mutant{Name: "a", Verdict: mutationtest.Killed, Kills: []mutationtest.Kill{{Trial: "t/one"}}}
	play(run.VirtualLane, killed)
	g.Expect(play(run.NodeLane, mutationtest.Mutant{Name: "a", Verdict: mutationtest.Undecided, Run: 1})).
		To(HaveKeyWithValue("a", HaveExactElements(HaveField("Trial", "t/one"))))
	play(run.NodeLane, killed)
	whole, err := mutationtest.Load(dir)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(whole.Lanes).To(HaveExactElements(HaveField("Lane", run.VirtualLane), HaveField("Lane", run.NodeLane)))
	g.Expect(whole.Lanes[1].Mutants).To(HaveExactElements(HaveField("Verdict", mutationtest.Killed)))
	g.Expect(whole.Ended).NotTo(BeZero())

	record, err := LoadRecord(dir, "v1.37.2")
	g.Expect(err).NotTo(HaveOccurred())
	again := mutationtest.Report{ID: mutationtest.IDs(whole)[1], Version: "v1.37.2"}
	g.Expect(record.Add(again, saveReport)).To(MatchError(ContainSubstring("has the verdicts of " + again.ID)))
}
