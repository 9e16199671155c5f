package operator

import (
	"fmt"
	"strings"
	"testing"

	. "github.com/onsi/gomega"
)

const source = `package p

func (w *worker) probe(a, b int) (x int, err error) {
	logger := klog.FromContext(ctx)
	logger.Info("started", "worker", w.name)
	for i := 0; i < 3; i++ {
		if a > b && w.ready {
			continue
		}
		w.count = a
	}
	if err := w.send(a, b, message{From: a, To: b, Last: nil}); err != nil {
		return 0, err
	}
	metrics.Probes.Inc(); ProberResults.With(w.labels).Inc(1)
	defer klog.Flush()
	defer func() { logger.Info("stopped", "worker") }()
	ctx = klog.NewContext(ctx, logger)
	if features.Enabled(p.Gate) {
		os.Mkdir(w.dir, 0750)
	}
	w.ready = a == 0 || w.ready
	switch a {
	case 1:
		w.stop()
	}
	select {
	case <-w.done:
	default:
	}
	return 1, nil
}
`

func TestMutants(t *testing.T) {
	g := NewWithT(t)
	all, err := Mutants([]byte(source))
	g.Expect(err).NotTo(HaveOccurred())
	var got []string
	for _, m := range all {
		g.Expect(m.Within).To(Equal("worker.probe"))
		g.Expect(source[m.From:m.To]).To(Equal(m.Now))
		got = append(got, fmt.Sprintf("%d %s: %s → %s", m.Line, m.Operator, oneLine(m.Now), oneLine(m.Other)))
	}
	g.Expect(got).To(Equal([]string{
		"6 constant increased: 0 → (0 + 1)",
		"6 condition false: i < 3 → false && (i < 3)",
		"6 comparison moved: < → <=",
		"6 constant increased: 3 → (3 + 1)",
		"6 constant doubled: 3 → (3 * 2)",
		"7 condition negated: a > b && w.ready → !(a > b && w.ready)",
		"10 condition true: a > b && w.ready → true || (a > b && w.ready)",
		"8 condition false: a > b && w.ready → false && (a > b && w.ready)",
		"7 condition negated: a > b → !(a > b)",
		"10 condition true: a > b → (true || (a > b))",
		"7 comparison moved: > → >=",
		"7 condition negated: w.ready → !(w.ready)",
		"10 condition true: w.ready → (true || (w.ready))",
		"8 jump dropped: continue → if false { continue }",
		"10 assignment dropped: w.count = a → if false { w.count = a }",
		"12 arguments swapped: a, b → b, a",
		"12 arguments swapped: b, message{From: a, To: b, Last: nil} → message{From: a, To: b, Last: nil}, b",
		"12 field dropped: From: a,  → ",
		"12 field dropped: To: b,  → ",
		"12 condition negated: err != nil → !(err != nil)",
		"15 condition true: err != nil → true || (err != nil)",
		"13 condition false: err != nil → false && (err != nil)",
		"13 jump dropped: return 0, err → if false { return 0, err }",
		"13 constant increased: 0 → (0 + 1)",
		"13 error dropped: err → nil",
		"19 condition negated: features.Enabled(p.Gate) → !(features.Enabled(p.Gate))",
		"20 condition false: features.Enabled(p.Gate) → false && (features.Enabled(p.Gate))",
		"20 call dropped: os.Mkdir(w.dir, 0750) → if false { os.Mkdir(w.dir, 0750) }",
		"20 arguments swapped: w.dir, 0750 → 0750, w.dir",
		"22 assignment dropped: w.ready = a == 0 || w.ready → if false { w.ready = a == 0 || w.ready }",
		"22 condition negated: a == 0 → !(a == 0)",
		"22 condition false: a == 0 → (false && (a == 0))",
		"22 constant increased: 0 → (0 + 1)",
		"22 condition negated: w.ready → !(w.ready)",
		"22 condition false: w.ready → (false && (w.ready))",
		"25 case dropped: case 1: w.stop() → ",
		"24 constant increased: 1 → (1 + 1)",
		"24 constant doubled: 1 → (1 * 2)",
		"25 call dropped: w.stop() → if false { w.stop() }",
		"28 case dropped: case <-w.done: → ",
		"29 case dropped: default: → ",
		"31 constant increased: 1 → (1 + 1)",
		"31 constant doubled: 1 → (1 * 2)",
		"31 error invented: nil → errMutant",
	}))
}

// Each of the operators makes a mutant of the source above.
func TestOperators(t *testing.T) {
	g := NewWithT(t)
	all, err := Mutants([]byte(source))
	g.Expect(err).NotTo(HaveOccurred())
	made := map[Operator]bool{}
	for _, m := range all {
		made[m.Operator] = true
	}
	g.Expect(made).To(HaveLen(14))
}

func oneLine(code string) string {
	return strings.Join(strings.FieldsFunc(code, func(r rune) bool { return r == '\n' || r == '\t' }), " ")
}
