package reach

import (
	"fmt"
	"path/filepath"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/podclock/podclock/harness/measure/trial"
	"github.com/podclock/podclock/harness/rules/formula"
)

const worker = "k8s.io/kubernetes/pkg/kubelet/prober/worker.go"

// verdicts returns the outcomes of trials t0, t1 and so on: each has a claim of the formula that deviates, or conforms
// without one.
func verdicts(formulas ...string) (all []trial.Outcome) {
	for i, id := range formulas {
		o := trial.Outcome{Trial: fmt.Sprint("t", i), Verdict: trial.Conforms}
		f := trial.Finding{Formula: id, Source: "pkg/kubelet/kubelet.go SyncPod", Verdict: trial.Deviates}
		switch id {
		case "":
		case "known":
			f.Diagnosis = &trial.Diagnosis{}
			fallthrough
		default:
			o.Verdict = trial.Deviates
		}
		o.Attempts = []trial.Attempt{{Result: trial.Result{Verdict: o.Verdict, Findings: []trial.Finding{f}}}}
		if id == "" {
			o.Attempts[0].Result.Findings = nil
		}
		all = append(all, o)
	}
	return all
}

// small has 25 trials. All execute SyncPod, the first two doProbe, and the second one run.
func small() Map {
	m := Map{Version: "v1.37.2"}
	var all []int
	for i := range 25 {
		m.Trials, all = append(m.Trials, fmt.Sprint("t", i)), append(all, i)
	}
	function := func(name string, statements int, trials ...int) Function {
		return Function{Name: name, Blocks: []Block{{Statements: 1}, {Statements: statements, Trials: trials}}}
	}
	m.Files = []File{
		{Name: kubelet + "/kubelet.go", Functions: []Function{function("Kubelet.SyncPod", 40, all...)}},
		{Name: worker, Functions: []Function{
			function("worker.doProbe", 20, 0, 1), function("worker.run", 3, 1), function("unused", 9),
		}},
	}
	return m
}

func TestLookAt(t *testing.T) {
	rest := make([]string, 23)
	with := func(first ...string) []trial.Outcome { return verdicts(append(first, rest...)...) }
	for name, c := range map[string]struct {
		outcomes []trial.Outcome
		want     []string
	}{
		"what the deviating trials execute and the others do not": {
			with("f", "f"), []string{"pkg/kubelet/prober/worker.go worker.doProbe"},
		},
		"no claim deviates":                  {with("", ""), nil},
		"a known mistake fits":               {with("known", "known"), nil},
		"too few trials say where it is not": {with("f", "f")[:8], nil},
		"the trials are others":              {[]trial.Outcome{{Trial: "other", Verdict: trial.Deviates}}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			var got []string
			for _, p := range small().LookAt(c.outcomes) {
				got = append(got, p.String())
			}
			NewWithT(t).Expect(got).To(Equal(c.want))
		})
	}
}

// If many functions are as likely, none is named.
func TestNoFunctionsWithoutEvidence(t *testing.T) {
	m := small()
	for i := range 20 {
		f := m.Files[1].Functions[0]
		f.Name = fmt.Sprint("twin", i)
		m.Files[1].Functions = append(m.Files[1].Functions, f)
	}
	NewWithT(t).Expect(m.LookAt(verdicts(append([]string{"f", "f"}, make([]string, 23)...)...))).To(BeEmpty())
}

// Of two functions with the same trials, the one in which the formula was read is likelier, and those of its file are
// likelier than others.
func TestNamedFunctions(t *testing.T) {
	g := NewWithT(t)
	read := formula.Place{Module: "k8s.io/kubernetes", File: "a.go", Name: "sync"}
	s := spectrum{read: map[string][]formula.Place{"f": {read}}}
	likelier := func(file, name string) float64 {
		return s.named(formula.Place{Module: read.Module, File: file, Name: name})
	}
	g.Expect(likelier("a.go", "manager.sync")).To(BeEquivalentTo(inFunction))
	g.Expect(likelier("a.go", "sync")).To(BeEquivalentTo(inFunction))
	g.Expect(likelier("a.go", "resync")).To(BeEquivalentTo(inFile))
	g.Expect(likelier("b.go", "sync")).To(BeEquivalentTo(1))
}

func TestSavedMaps(t *testing.T) {
	g := NewWithT(t)
	m := small()
	run := &m.Files[1].Functions[1]
	run.Line, run.Blocks = 7, append(run.Blocks, Block{Line: 9, Statements: 2, Trials: []int{1}})
	file := filepath.Join(t.TempDir(), "map.json.gz")
	g.Expect(m.Save(file)).To(Succeed())
	read, err := Load(file)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(read.Trials).To(Equal(m.Trials))
	g.Expect(read.Files[1].Functions).To(Equal([]Function{
		{Name: "worker.doProbe", Blocks: []Block{{Statements: 20, Trials: []int{0, 1}}}},
		{Name: "worker.run", Blocks: []Block{{Statements: 5, Trials: []int{1}}}},
	}))
}
