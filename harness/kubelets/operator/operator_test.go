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
	if err := w.send(a, b, message{From: a, To: b}); err != nil {
		return 0, err
	}
	metrics.Probes.Inc(); ProberResults.With(w.labels).Inc(1)
	defer klog.Flush()
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
		"7 condition true: a > b && w.ready → true || (a > b && w.ready)",
		"7 condition false: a > b && w.ready → false && (a > b && w.ready)",
		"7 condition negated: a > b → !(a > b)",
		"7 condition true: a > b → (true || (a > b))",
		"7 comparison moved: > → >=",
		"7 condition negated: w.ready → !(w.ready)",
		"7 condition true: w.ready → (true || (w.ready))",
		"8 jump dropped: continue → if false { continue }",
		"10 assignment dropped: w.count = a → if false { w.count = a }",
		"12 arguments swapped: a, b → b, a",
		"12 arguments swapped: b, message{From: a, To: b} → message{From: a, To: b}, b",
		"12 field dropped: From: a,  → ",
		"12 field dropped: To: b → ",
		"12 condition negated: err != nil → !(err != nil)",
		"12 condition true: err != nil → true || (err != nil)",
		"12 condition false: err != nil → false && (err != nil)",
		"13 jump dropped: return 0, err → if false { return 0, err }",
		"13 constant increased: 0 → (0 + 1)",
		"13 error dropped: err → nil",
		"19 case dropped: case 1: w.stop() → ",
		"18 constant increased: 1 → (1 + 1)",
		"18 constant doubled: 1 → (1 * 2)",
		"19 call dropped: w.stop() → if false { w.stop() }",
		"22 case dropped: case <-w.done: → ",
		"23 case dropped: default: → ",
		"25 constant increased: 1 → (1 + 1)",
		"25 constant doubled: 1 → (1 * 2)",
		"25 error invented: nil → errMutant",
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
