package mutation

import (
	"strings"
	"testing"

	. "github.com/onsi/gomega"
)

const fixture = `package prober

const (
	minimum = 2 // seconds
	maximum = 2
)

type worker struct{ run, hold int }

type set[T any] struct{ run T }

// doProbe sets w.run = 0.
func (w *worker) doProbe() {
	w.run = 1
	if w.hold > 0 {
		w.run = 0 // not one
	}
	_ = "w.run = 0"
}

func (w worker) stop() {
	w.run = 0
	w.hold = max(
		minimum,
		maximum,
	)
}

func (s *set[T]) doProbe(run T) { s.run = run }

func doProbe(w *worker) {
	w.run = 0
	w.run  =  0
}
`

func mutation(within, now, mutant string) Mutation {
	return Mutation{Name: "example", File: "pkg/worker.go", Within: within, Now: now, Mutant: mutant}
}

func TestApplyChangesOnePlaceOnly(t *testing.T) {
	for _, c := range []struct {
		what          string
		m             Mutation
		before, after string
	}{
		{
			what: "a method among namesakes, comments and " +
				"strings", m: mutation("worker.doProbe", "w.run = 0", "w.run = 1"),
			before: "w.run = 0 // not one", after: "w.run = 1 // not one",
		},
		{
			what: "spaces and line breaks do not " +
				"matter", m: mutation("worker.stop", "w.hold=max( minimum", "w.hold = max(0"),
			before: "max(\n\t\tminimum,", after: "max(0,",
		},
		{
			what: "one constant of a group", m: mutation("minimum", "minimum = 2", "minimum = 5"),
			before: "minimum = 2", after: "minimum = 5",
		},
		{
			what: "a method of a generic type", m: mutation("set.doProbe", "s.run = run", "_ = run"),
			before: "{ s.run = run }", after: "{ _ = run }",
		},
	} {
		t.Run(c.what, func(t *testing.T) {
			g := NewWithT(t)
			g.Expect(strings.Count(fixture, c.before)).To(Equal(1), "the fixture has what is to be replaced once")
			mutated, err := c.m.Apply([]byte(fixture))
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(string(mutated)).To(Equal(strings.Replace(fixture, c.before, c.after, 1)))
		})
	}
}

func TestApplyRefusesWhatIsNotExactlyOneMutation(t *testing.T) {
	for _, c := range []struct {
		what string
		m    Mutation
		says string
	}{
		{"no match", mutation("worker.doProbe", "w.run = 7", "w.run = 1"), `"w.run = 7" occurs 0 times`},
		{"in another function only", mutation("set.doProbe", "w.run = 0", "w.run = 1"), `"w.run = 0" occurs 0 times`},
		{"two matches", mutation("doProbe", "w.run = 0", "w.run = 1"), `"w.run = 0" occurs 2 times`},
		{"part of a longer name", mutation("worker.stop", "mini", "maxi"), `occurs 0 times`},
		{"a neighbour in the group", mutation("minimum", "maximum = 2", "maximum = 5"), `occurs 0 times`},
		{"no such function", mutation("worker.gone", "w.run = 0", "w.run = 1"), "no such function"},
		{"a method without its type", mutation("stop", "w.run = 0", "w.run = 1"), "no such function"},
		{"the same but for spaces", mutation("worker.doProbe", "w.run = 0", "w.run=0"), "changes nothing"},
		{"nothing to replace", mutation("worker.doProbe", " ", "w.run = 1"), "changes nothing"},
		{"a mutant that is no Go", mutation("worker.doProbe", "w.run = 0", "w.run ="), "is no Go"},
		{"a mutant with an open string", mutation("worker.doProbe", "w.run = 0", `"`), "string literal not terminated"},
	} {
		t.Run(c.what, func(t *testing.T) {
			g := NewWithT(t)
			_, err := c.m.Apply([]byte(fixture))
			g.Expect(err).To(MatchError(And(ContainSubstring(c.says),
				ContainSubstring("mutation example"), ContainSubstring("pkg/worker.go"), ContainSubstring(c.m.Within))))
		})
	}
}

func TestApplyRefusesASourceThatIsNoGo(t *testing.T) {
	g := NewWithT(t)
	_, err := mutation("f", "a", "b").Apply([]byte("404 page not found"))
	g.Expect(err).To(MatchError(ContainSubstring("parsing the file")))
}
