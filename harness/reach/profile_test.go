package reach

import (
	"strings"
	"testing"

	. "github.com/onsi/gomega"
	"golang.org/x/tools/cover"
)

const code = `package worker

type worker struct{ n int }

func (w *worker) run(stop bool) int {
	if stop {
		return 0
	}
	return w.n
}

func unused() {
	println()
}
`

// covered returns the profile of a trial that calls run with this argument.
func covered(stop bool) []*cover.Profile {
	count := map[bool]int{true: 1}
	return []*cover.Profile{{FileName: "example.org/worker/worker.go", Blocks: []cover.ProfileBlock{
		{StartLine: 5, StartCol: 37, EndLine: 6, EndCol: 10, NumStmt: 1, Count: 1},
		{StartLine: 6, StartCol: 10, EndLine: 8, EndCol: 3, NumStmt: 1, Count: count[stop]},
		{StartLine: 9, StartCol: 2, EndLine: 9, EndCol: 12, NumStmt: 1, Count: count[!stop]},
		{StartLine: 12, StartCol: 15, EndLine: 14, EndCol: 2, NumStmt: 1},
	}}}
}

func mapped(t *testing.T, parts []Part, stops ...bool) Map {
	g, m := NewWithT(t), Map{}
	source := func(string) ([]byte, error) { return []byte(code), nil }
	for _, stop := range stops {
		id := map[bool]string{true: "stops", false: "runs"}[stop]
		g.Expect(m.add(id, covered(stop), parts, source)).To(Succeed())
	}
	return m
}

func TestTrialsReachWhatTheyExecute(t *testing.T) {
	g := NewWithT(t)
	parts := []Part{{Package: "example.org/worker"}}
	m := mapped(t, parts, false, false, true)
	g.Expect(m.Trials).To(Equal([]string{"runs", "runs", "stops"}))
	run, unused := m.Files[0].Functions[0], m.Files[0].Functions[1]
	g.Expect(run.Name).To(Equal("worker.run"))
	g.Expect([][]int{run.Blocks[0].Trials, run.Blocks[1].Trials, run.Blocks[2].Trials}).
		To(Equal([][]int{{0, 1, 2}, {2}, {0, 1}}))
	g.Expect(run.Share()).To(Equal(Share{Reached: 3, Statements: 3}))
	g.Expect(unused.Share()).To(Equal(Share{Statements: 1}))
	g.Expect(m.Files[0].Share().Percent()).To(Equal(75.0))
	block, ok := m.Files[0].At(9, 9)
	g.Expect(ok).To(BeTrue())
	g.Expect(block.Trials).To(Equal([]int{0, 1}))
	_, ok = m.Files[0].At(11, 1)
	g.Expect(ok).To(BeFalse())
	g.Expect(mapped(t, []Part{{Package: "example.org/worker", Files: []string{"other.go"}}}, true).Files).To(BeEmpty())
}

// A reason covers only what no trial reaches. One that covers nothing is reported.
func TestReasonsMustBeNeeded(t *testing.T) {
	g := NewWithT(t)
	m := mapped(t, []Part{{Package: "example.org/worker"}}, false)
	f := &m.Files[0]
	reasons := []Excuse{
		{File: f.Name, Function: "worker.run", Code: "if stop {", Why: Broken},
		{File: f.Name, Function: "unused", Why: Unused},
		{File: f.Name, Function: "worker.run", Code: "return w.n", Why: Elsewhere},
		{File: f.Name, Function: "gone", Why: Unused},
	}
	used := make([]bool, len(reasons))
	f.excuse(strings.Split(code, "\n"), reasons, used)
	g.Expect(used).To(Equal([]bool{true, true, false, false}))
	g.Expect(f.Share()).To(Equal(Share{Reached: 2, Excused: 2, Statements: 4}))
}
