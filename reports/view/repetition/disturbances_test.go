package repetition_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/podclock/podclock/harness/measure/run"
	"github.com/podclock/podclock/harness/measure/trial"
	"github.com/podclock/podclock/reports/render/folder"
	"github.com/podclock/podclock/reports/view/fixture"
	"github.com/podclock/podclock/reports/view/repetition"
)

type two [2]string

// disturbedRun is a run of a reference and a mutant with these verdicts. Each letter is an attempt.
func disturbedRun(id string, cleanly, mutated two) run.Run {
	verdicts := map[byte]trial.Verdict{
		'C': trial.Conforms,
		'D': trial.Divergent,
		'X': trial.Deviates,
		'?': trial.Inconclusive,
	}
	r := run.Run{
		ID:          id,
		Profile:     "quick",
		Started:     fixture.Began,
		Environment: run.Environment{Podclock: "0123456789ab", CPUs: 2},
		Subjects:    []run.Subject{{Name: "v1.36.3"}, {Name: "v1.36.3+wrong", Mutation: "wrong"}},
	}
	for i, of := range []two{cleanly, mutated} {
		for j, attempts := range of {
			o := run.Outcome{Trial: []string{"area/one", "area/two"}[j], Subject: r.Subjects[i].Name}
			for k := range attempts {
				o.Verdict = verdicts[attempts[k]]
				o.Attempts = append(
					o.Attempts,
					trial.Attempt{Result: trial.Result{Verdict: o.Verdict, Findings: []trial.Finding{{
						Claim: "start-to-sigterm", Verdict: o.Verdict, Why: "7.000 s, 1.000 s above [5.000 s, 6.000 s]",
					}}}},
				)
			}
			r.Outcomes = append(r.Outcomes, o)
		}
	}
	return r
}

func disturbed(name string, applied int, cleanly, mutated two) repetition.Disturbed {
	return repetition.Disturbed{
		Name:        name,
		Description: "what " + name + " does",
		Control:     name == "none",
		Applied:     map[string]int{"worker": applied, "worker2": applied + applied/10},
		Run:         disturbedRun("run-"+name, cleanly, mutated),
	}
}

func tableOf(rows ...repetition.Disturbed) (t repetition.Disturbances) {
	for _, r := range rows {
		t.Asked = append(t.Asked, r.Name)
		t.Add(r)
	}
	return t
}

func partly() repetition.Disturbances {
	t := repetition.Disturbances{Asked: []string{"none", "cpu", "disk"}}
	t.Add(undisturbed)
	return t
}

func interrupted() repetition.Disturbances {
	t := partly()
	t.End("interrupted under the disturbance cpu")
	return t
}

// owned has a user's binary that deviates, and no reference.
func owned() repetition.Disturbances {
	d := disturbed("none", 0, two{"X", "D"}, two{"X", "C"})
	d.Run.Subjects[0].Path = "./kubelet"
	return tableOf(d)
}

var undisturbed = disturbed("none", 0, two{"C", "D"}, two{"X", "C"})

func TestDisturbancesKeepTwoRules(t *testing.T) {
	failed := disturbed("cpu", 0, two{"C", "D"}, two{"X", "C"})
	failed.Problem = "it was never done: no such process"
	blind := undisturbed
	blind.Run = disturbedRun("run-none", two{"C", "D"}, two{"C", "C"})
	cpu := func(cleanly, mutated two) repetition.Disturbed { return disturbed("cpu", 8, cleanly, mutated) }
	const (
		noneDeviates = "no unchanged kubelet deviates"
		unjudged     = "no trial has a conclusive verdict on an unchanged kubelet"
	)
	for name, c := range map[string]struct {
		table repetition.Disturbances
		code  int
		says  string
	}{
		"both hold": {tableOf(undisturbed, cpu(two{"C", "?"}, two{"X", "C"})), run.ExitConforms, noneDeviates},
		"an inconclusive verdict is no breach": {tableOf(undisturbed, cpu(two{"???", "???"}, two{"???", "???"})),
			run.ExitConforms, noneDeviates},
		"another verdict of a trial that never deviated": {tableOf(undisturbed, cpu(two{"D", "C"}, two{"X", "D"})),
			run.ExitConforms, "no unchanged"},
		"verdicts of each row": {tableOf(undisturbed, cpu(two{"???", "D"}, two{"???", "???"})),
			run.ExitConforms, "Judged verdicts: none 4 of 4, cpu 1 of 4."},
		"reference inconclusive undisturbed": {tableOf(disturbed("none", 0, two{"?", "?"}, two{"X", "C"})),
			run.ExitUnjudged, unjudged},
		"fewer rows than requested": {partly(), run.ExitUnjudged, "there are only 1 of 3 rows so far."},
		"interrupted": {interrupted(),
			run.ExitUnjudged, "there are 1 of 3 rows: interrupted under the disturbance cpu."},
		"a user's binary is no reference": {owned(), run.ExitUnjudged, unjudged},
		"reference deviates": {tableOf(undisturbed, cpu(two{"X", "D"}, two{"X", "C"})),
			run.ExitDeviates, "1 verdict that no disturbance may lead to."},
		"reference deviates undisturbed": {tableOf(disturbed("none", 0, two{"X", "D"}, two{"X", "C"})),
			run.ExitDeviates, "1 verdict"},
		"mutant conforms": {tableOf(undisturbed, cpu(two{"C", "D"}, two{"?C", "C"})), run.ExitDeviates, "1 verdict"},
		"mutant diverges": {tableOf(undisturbed, cpu(two{"C", "X"}, two{"D", "C"})), run.ExitDeviates, "2 verdicts"},
		"a row that was never disturbed": {tableOf(undisturbed, failed),
			run.ExitUnjudged, "the row cpu shows nothing: it was never done: no such process."},
		"no control": {tableOf(cpu(two{"C", "D"}, two{"X", "C"})), run.ExitUnjudged, "no row without a disturbance"},
		"nothing":    {repetition.Disturbances{}, run.ExitUnjudged, "there is no row"},
		"a mutant that no trial kills": {tableOf(blind),
			run.ExitUnjudged, "no trial deviates on v1.36.3+wrong even without a disturbance"},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			g.Expect(c.table.Code()).To(Equal(c.code))
			g.Expect(c.table.ExitReason()).To(ContainSubstring(c.says))
		})
	}
}

func TestDisturbancesAreRendered(t *testing.T) {
	g := NewWithT(t)
	failed := repetition.Disturbed{
		Name:        "disk",
		Description: "what disk does",
		Problem:     "it was never done: the trials were over before",
		Run:         run.Run{ID: "run-disk"},
	}
	table := tableOf(undisturbed, disturbed("cpu", 12, two{"X", "?D"}, two{"??C", "??"}), failed)
	dir := t.TempDir()
	g.Expect(folder.WriteDisturbances(dir, table)).To(Succeed())
	text, err := os.ReadFile(filepath.Join(dir, repetition.DisturbancesFile))
	g.Expect(err).NotTo(HaveOccurred())
	fixture.Golden(t, "disturbance.md", text)
	text, err = os.ReadFile(filepath.Join(dir, repetition.DisturbancesJSON))
	g.Expect(err).NotTo(HaveOccurred())
	fixture.GoldenKeys(t, "disturbance", text)
	var back repetition.Disturbances
	g.Expect(json.Unmarshal(text, &back)).To(Succeed())
	g.Expect(back.Rows).To(Equal(table.Rows))

	kept := tableOf(undisturbed, disturbed("cpu", 12, two{"C", "?D"}, two{"?X", "C"})).Report()
	g.Expect(kept.Title).
		To(Equal("Verdicts on disturbed nodes: 2 of 2 rows, 0 verdicts that no disturbance may lead to"))
	g.Expect(kept.Sections).To(HaveLen(2), "the result and the rows")
}
