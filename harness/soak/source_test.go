package soak

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/onsi/gomega"
	"pgregory.net/rapid"

	"github.com/podclock/podclock/harness/trial"
)

// pasted is a program of trials as source: it tells what the compiler made of them.
const pasted = `package main

import (
	"encoding/json"
	"os"
	"time"

	"github.com/podclock/podclock/fixtures"
	"github.com/podclock/podclock/harness/formula"
	"github.com/podclock/podclock/harness/trial"
	"github.com/podclock/podclock/harness/victim"
	"github.com/podclock/podclock/harness/soak"
)

var _, _, _, _ = time.Second, fixtures.Main, formula.Count, victim.Program

var trials = []trial.Trial{
%s}

func main() {
	for _, t := range trials {
		if err := json.NewEncoder(os.Stdout).Encode(soak.Tell(t)); err != nil {
			panic(err)
		}
	}
}
`

// A counterexample that is pasted into the catalogue compiles there, and is the trial that was run: the
// same pod, cues, claims and formulas.
func TestSourceIsTheTrial(t *testing.T) {
	g := gomega.NewWithT(t)
	generator := rapid.Custom(Draw)
	var drawn []Told
	var sources strings.Builder
	seen := map[string]bool{}
	for seed := 1; len(drawn) < 100 || len(seen) < len(families)+len(formulas)+len(changes); seed++ {
		g.Expect(seed).To(gomega.BeNumerically("<", 10000), "some family, formula or change is never drawn")
		tr := generator.Example(seed).Trial
		before := len(seen)
		for _, id := range slices.Concat([]string{tr.ID}, claimed(tr), needed(tr)) {
			seen[id] = true
		}
		if len(drawn) >= 100 && len(seen) == before {
			continue // it shows nothing new
		}
		told := Tell(tr)
		source, err := Source(tr)
		g.Expect(err).NotTo(gomega.HaveOccurred())
		drawn = append(drawn, told)
		fmt.Fprintf(&sources, "%s,\n", source)
	}
	compiled := compile(t, fmt.Sprintf(pasted, sources.String()))
	for _, want := range drawn {
		var got Told
		g.Expect(compiled.Decode(&got)).To(gomega.Succeed())
		g.Expect(got).To(gomega.Equal(want))
	}
	g.Expect(compiled.More()).To(gomega.BeFalse())
}

// claimed are the formulas of a trial, needed the changes of Kubernetes.
func claimed(t trial.Trial) (ids []string) {
	for _, c := range t.Claims {
		ids = append(ids, c.Formula.ID)
	}
	return ids
}

func needed(t trial.Trial) (names []string) {
	for _, c := range t.Needs {
		names = append(names, c.Name)
	}
	return names
}

// The tables of names, which are kept by hand, hold what scenarios claim and need, and nothing else. The
// rarest of them is drawn once in 200 scenarios.
func TestSourceHasAllNames(t *testing.T) {
	g := gomega.NewWithT(t)
	generator := rapid.Custom(Draw)
	claims, needs := map[string]bool{}, map[string]bool{}
	for seed := range 5000 {
		tr := generator.Example(seed).Trial
		for _, id := range claimed(tr) {
			claims[id] = true
		}
		for _, name := range needed(tr) {
			needs[name] = true
		}
	}
	g.Expect(slices.Sorted(maps.Keys(claims))).
		To(gomega.Equal(slices.Sorted(maps.Keys(formulas))), "formulas, in source.go")
	g.Expect(slices.Sorted(maps.Keys(needs))).
		To(gomega.Equal(slices.Sorted(maps.Keys(changes))), "changes, in source.go")
}

// compile runs a program as if it stood in this module.
func compile(t *testing.T, program string) *json.Decoder {
	t.Helper()
	g, dir := gomega.NewWithT(t), t.TempDir()
	here, err := filepath.Abs("pasted/main.go")
	g.Expect(err).NotTo(gomega.HaveOccurred())
	file := filepath.Join(dir, "main.go")
	g.Expect(os.WriteFile(file, []byte(program), 0o600)).To(gomega.Succeed())
	overlay, err := json.Marshal(map[string]any{"Replace": map[string]string{here: file}})
	g.Expect(err).NotTo(gomega.HaveOccurred())
	g.Expect(os.WriteFile(filepath.Join(dir, "overlay.json"), overlay, 0o600)).To(gomega.Succeed())
	run := exec.CommandContext(t.Context(), "go", "run", "-overlay", filepath.Join(dir, "overlay.json"), "./pasted")
	var complaints strings.Builder
	run.Stderr = &complaints
	out, err := run.Output()
	g.Expect(err).NotTo(gomega.HaveOccurred(), complaints.String())
	return json.NewDecoder(strings.NewReader(string(out)))
}

// What no scenario holds can't be written, and that is said.
func TestSourceSaysWhatItCannotWrite(t *testing.T) {
	g := gomega.NewWithT(t)
	tr := rapid.Custom(Draw).Example(1).Trial
	tr.Claims = append([]trial.Claim{}, tr.Claims...)
	tr.Claims[0].Formula.ID = "no/such-formula"
	_, err := Source(tr)
	g.Expect(err).To(gomega.MatchError(gomega.ContainSubstring("no/such-formula")))
}
