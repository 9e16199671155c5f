package cli

import (
	"encoding/json"
	"testing"

	. "github.com/onsi/gomega"
	"sigs.k8s.io/yaml"

	"github.com/podclock/podclock/harness/host/program"
	"github.com/podclock/podclock/harness/kubelets/mutation"
	runs "github.com/podclock/podclock/harness/measure/run"
	"github.com/podclock/podclock/harness/rules/formula"
	"github.com/podclock/podclock/reports/cli/listing"
	"github.com/podclock/podclock/reports/cli/shell"
	"github.com/podclock/podclock/suites"
)

func TestJudgeForPrograms(t *testing.T) {
	g := NewWithT(t)
	dir := t.TempDir()
	g.Expect(runs.Save(dir, runs.Run{ID: "20260302-095800", Subjects: []runs.Subject{{Name: "v1.36.3"}},
		Outcomes: []runs.Outcome{
			{Trial: "no/such-trial", Subject: "v1.36.3", Verdict: "conforms", Attempts: make([]runs.Attempt, 1)},
		}}, nil)).To(Succeed())
	for _, format := range []string{shell.JSON, shell.YAML} {
		got := call(t.Context(), "judge", dir, "-o", format)
		g.Expect(got.code).To(Equal(runs.ExitUnjudged), "the catalogue has no such trial")
		g.Expect(got.log).To(BeEmpty())
		var printed judged
		g.Expect(yaml.UnmarshalStrict([]byte(got.out), &printed)).To(Succeed(), "JSON is YAML")
		g.Expect(printed.ExitCode).To(Equal(got.code))
		g.Expect(printed.Verdicts).To(HaveLen(1))
		g.Expect(printed.Changes).
			To(Equal([]runs.Change{{Trial: "no/such-trial", Subject: "v1.36.3", Attempt: 1, Was: "conforms",
				Now: "inconclusive"}}))
	}
	g.Expect(call(t.Context(), "judge", dir).out).To(ContainSubstring("was conforms, now inconclusive"))
	g.Expect(call(t.Context(), "judge", dir, "-o", "markdown").out).To(ContainSubstring("| "))
}

func TestCatalogueForPrograms(t *testing.T) {
	g := NewWithT(t)
	var all, some listing.Listing
	g.Expect(json.Unmarshal([]byte(call(t.Context(), "catalogue", "-o", "json").out), &all)).To(Succeed())
	g.Expect(all.Trials).To(HaveLen(len(suites.Catalogue())))
	formulas := map[string]bool{}
	for _, f := range all.Formulas {
		g.Expect(f.Description).NotTo(BeEmpty(), f.ID)
		g.Expect(f.Source).NotTo(BeEmpty(), f.ID)
		formulas[f.ID] = true
	}
	for _, tr := range all.Trials {
		g.Expect(tr.Claims).NotTo(BeEmpty(), tr.ID)
		for _, c := range tr.Claims {
			g.Expect(formulas).To(HaveKey(c.Formula), tr.ID)
		}
	}
	g.Expect(json.Unmarshal([]byte(call(t.Context(), "catalogue", "-o", "json", "termination/hook-hangs",
		"eviction").out), &some)).
		To(Succeed())
	areas := map[string]int{}
	for _, tr := range some.Trials {
		areas[tr.Area]++
	}
	g.Expect(areas).To(And(HaveLen(2), HaveKeyWithValue("termination", 1), HaveKey("eviction")))
}

func TestSubjects(t *testing.T) {
	g := NewWithT(t)
	var k listing.Subjects
	g.Expect(yaml.Unmarshal([]byte(call(t.Context(), "subjects", "-o", "yaml").out), &k)).To(Succeed())
	g.Expect(k.Versions[0]).
		To(Equal(listing.Version{Version: formula.Versions()[0],
			Lanes: []runs.Lane{runs.NodeLane, runs.VirtualLane}}))
	g.Expect(k.Versions[len(k.Versions)-1]).To(
		Equal(listing.Version{Version: "v1.23.1", Lanes: []runs.Lane{runs.NodeLane}}))
	g.Expect(k.Mutations).To(HaveLen(len(mutation.All())))
	text := call(t.Context(), "subjects").out
	for _, m := range k.Mutations {
		g.Expect(append(m.Node, m.Virtual...)).NotTo(BeEmpty(), m.Name)
		g.Expect(text).To(ContainSubstring("\n"+m.Name+"\n"), m.Name)
	}
	byName := map[string]listing.Mutation{}
	for _, m := range k.Mutations {
		byName[m.Name] = m
	}
	g.Expect(byName["hook-not-subtracted"].Node).NotTo(ContainElement("v1.23.1"))
	g.Expect(byName["toleration-ignored"].Node).
		To(Equal([]string{formula.Versions()[0]}), "a cluster has one control plane, the newest")
}

func TestVersion(t *testing.T) {
	g := NewWithT(t)
	var b struct {
		program.Info
		Kubelets  []string
		RunSchema string
	}
	g.Expect(json.Unmarshal([]byte(call(t.Context(), "version", "-o", "json").out), &b)).To(Succeed())
	g.Expect(b.Kubelets).To(Equal(formula.Versions()))
	g.Expect(b.RunSchema).To(Equal(runs.Schema))
	g.Expect(b.Info).To(Equal(program.Read()))
	said := call(t.Context(), "version").out
	g.Expect(said).To(And(HavePrefix("podclock "), ContainSubstring("v1.22.0 to v1.37.2")))
	g.Expect(call(t.Context(), "--version").out).To(Equal(said))
}
