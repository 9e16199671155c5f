package run

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	. "github.com/onsi/gomega"

	"github.com/podclock/podclock/harness/measure/delay"
	"github.com/podclock/podclock/harness/measure/mark"
	"github.com/podclock/podclock/harness/measure/trial"
)

func known(until int64) Node {
	n := Node{Name: "n"}
	for at := int64(1); at <= until; at++ {
		n.Delays.PSI = append(n.Delays.PSI, delay.Sample{At: at, CPUNS: at})
		n.Delays.LateTicks = append(n.Delays.LateTicks, delay.Span{From: at - 1, To: at})
	}
	n.Delays.AddOutage(delay.Outage{Component: mark.Kubelet, From: 1, To: until})
	return n
}

func judged(id string) Outcome { return Outcome{Trial: id, Subject: "n", Verdict: trial.Conforms} }

// A run that is killed within a line loses this line only, and a run that went on keeps what both parts measured.
func TestAJournalHasWhatAKilledRunMeasured(t *testing.T) {
	g := NewWithT(t)
	out := t.TempDir()
	dir, id, err := NewFolder(out, "", time.Now())
	g.Expect(err).NotTo(HaveOccurred())
	begun := Run{ID: id, Subjects: []Subject{{Name: "n", Node: "n"}}}
	j, err := OpenJournal(dir, begun)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(j.Add([]Outcome{judged("a/1")}, []Node{known(3)})).To(Succeed())
	g.Expect(j.Add([]Outcome{judged("a/2")}, []Node{known(5)})).To(Succeed())
	_, err = j.file.WriteString(`{"outcomes":[{"trial":"a/3"`)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(Folders(dir)).Error().To(HaveOccurred(), "an unfinished run is none for reports")

	begun.Continued = []time.Time{time.Unix(1, 0).UTC()}
	again, err := OpenJournal(dir, begun)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(again.Add([]Outcome{judged("a/4")}, []Node{known(7)})).To(Succeed())

	r, at, err := LoadUnfinished(out)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(at).To(Equal(dir))
	g.Expect(r.Outcomes).To(Equal([]Outcome{judged("a/1"), judged("a/2"), judged("a/4")}))
	g.Expect(r.Nodes).To(Equal([]Node{known(7)}), "without gaps or doubles")
	g.Expect(r.Continued).To(HaveLen(1))

	g.Expect(Save(dir, r, nil)).To(Succeed())
	g.Expect(again.End()).To(Succeed())
	g.Expect(filepath.Join(dir, journalFile)).NotTo(BeAnExistingFile())
}

// Virtual nodes of several subjects have one name. Each keeps the exits of its own kubelet.
func TestNodesOfOneName(t *testing.T) {
	var r Run
	of := func(subject string, exits ...string) Node {
		return Node{Name: "virtual", Subject: subject, Watched: true, Exits: exits}
	}
	r.AddNodes([]Node{of("one"), of("two", "panic: first")})
	r.AddNodes([]Node{of("two", "panic: second")})
	NewWithT(t).Expect(r.Nodes).To(Equal([]Node{of("one"), of("two", "panic: first", "panic: second")}))
}

// What an interrupt cut short, what never ran, and the checks of the whole run are made again.
func TestAnInterruptedRunIsPlayedToItsEnd(t *testing.T) {
	g := NewWithT(t)
	out := t.TempDir()
	dir, id, err := NewFolder(out, "", time.Now())
	g.Expect(err).NotTo(HaveOccurred())
	excused := Outcome{Trial: "a/2", Subject: "n", Verdict: trial.Inconclusive, Attempts: []Attempt{{}}}
	cut := Outcome{Trial: "a/3", Subject: "n", Verdict: trial.Inconclusive, CutShort: true, Attempts: []Attempt{{}}}
	never := Outcome{Trial: "a/4", Subject: "n", Verdict: trial.Inconclusive}
	none := Outcome{Trial: "a/5", Subject: "n", Verdict: trial.Unsupported}
	g.Expect(Save(dir, Run{ID: id, Outcomes: []Outcome{judged("a/1"), excused, cut, never, none, judged(ValuesCheck)}},
		nil)).To(Succeed())
	r, _, err := LoadUnfinished(out)
	g.Expect(err).NotTo(HaveOccurred())
	var left []string
	for _, o := range r.Outcomes {
		left = append(left, o.Trial)
	}
	g.Expect(left).To(Equal([]string{"a/1", "a/2", "a/5"}))
}

func TestNoRunToContinue(t *testing.T) {
	g := NewWithT(t)
	out := filepath.Join(t.TempDir(), "out")
	_, dir, err := LoadUnfinished(out)
	g.Expect(dir, err).To(BeEmpty())
	g.Expect(os.MkdirAll(filepath.Join(out, "20260101-000000"), 0o755)).To(Succeed())
	_, dir, err = LoadUnfinished(out)
	g.Expect(dir, err).To(BeEmpty(), "killed before its set-up was over")
}
