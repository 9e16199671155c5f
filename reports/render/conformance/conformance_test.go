package conformance

import (
	"bytes"
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"sigs.k8s.io/yaml"

	"github.com/podclock/podclock/harness/measure/run"
	"github.com/podclock/podclock/harness/measure/trial"
	"github.com/podclock/podclock/harness/rules/formula"
	"github.com/podclock/podclock/reports/apis/v1alpha1"
	"github.com/podclock/podclock/reports/view"
	"github.com/podclock/podclock/reports/view/fixture"
)

// everyTrial is the fixture's catalogue as a list, with one more trial in an existing area and one in a new
// area.
func everyTrial() []trial.Trial {
	all := fixture.Catalogue()
	for _, id := range []string{"termination/sleep-of-zero", "termination/very-long", "sidecars/turns"} {
		t := all["termination/ignored-sigterm"]
		t.ID = id
		all[id] = t
	}
	needsANode := all["termination/hook-over-http"]
	needsANode.NodeOnly = "the hook's host is looked up in the network"
	all[needsANode.ID] = needsANode
	list := slices.Collect(maps.Values(all))
	slices.SortFunc(list, func(x, y trial.Trial) int { return strings.Compare(x.ID, y.ID) })
	return list
}

// full returns the run as one that was offered the whole catalogue.
func full(r run.Run) run.Run {
	r.Profile = "full"
	return r
}

func conform(t *testing.T, r run.Run, subject string) v1alpha1.TimingConformanceReport {
	t.Helper()
	report, err := Conformance(r, subject, Options{Catalogue: everyTrial(), Podclock: "abcdef012345"})
	NewWithT(t).Expect(err).NotTo(HaveOccurred())
	return report
}

func TestConformanceGolden(t *testing.T) {
	configured := full(fixture.Fixture())
	configured.Subjects[1].Configuration = json.RawMessage(`{"kind":"KubeletConfiguration","syncFrequency":"1m0s"}`)
	configured.Environment.Components = map[string]string{"containerd": "2.1.0", "runc": "1.3.0"}
	for name, c := range map[string]struct {
		run     run.Run
		subject string
		options Options
	}{
		"mutant":  {configured, fixture.Mutant, Options{Numbers: true}},
		"virtual": {full(fixture.BothLanes()), fixture.VirtualReference, Options{}},
		"published": {full(fixture.Conforming()), fixture.Reference, Options{Implementation: &v1alpha1.Implementation{
			Organization: "Example", Project: "example-kubernetes", URL: "https://example.org",
			Version: "v1.36.3-example.1", Contact: []string{"@example/node"},
		}}},
	} {
		t.Run(name, func(t *testing.T) {
			c.options.Catalogue, c.options.Podclock = everyTrial(), "abcdef012345"
			c.run.Environment.Settings = map[string]string{"SUBJECTS": c.subject, "PROFILE": "full"}
			var b bytes.Buffer
			NewWithT(t).Expect(Write(&b, c.run, c.subject, c.options)).To(Succeed())
			fixture.Golden(t, "conformance-"+name+".yaml", b.Bytes())
		})
	}
}

// TestConformanceGoldensFitTheSchema validates the golden files against the schema and the types.
func TestConformanceGoldensFitTheSchema(t *testing.T) {
	g := NewWithT(t)
	compiler := jsonschema.NewCompiler()
	compiler.AssertFormat()
	schema, err := compiler.Compile(filepath.Join("../..", "apis", "v1alpha1", "timingconformancereport.schema.json"))
	g.Expect(err).NotTo(HaveOccurred())
	files, err := filepath.Glob(filepath.Join("testdata", "conformance-*.yaml.golden"))
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(files).NotTo(BeEmpty())
	for _, file := range files {
		text, err := os.ReadFile(file)
		g.Expect(err).NotTo(HaveOccurred())
		_, err = v1alpha1.Read(text)
		g.Expect(err).NotTo(HaveOccurred(), file)
		data, err := yaml.YAMLToJSON(text)
		g.Expect(err).NotTo(HaveOccurred())
		report, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(schema.Validate(report)).To(Succeed(), file)
	}
}

func TestConformanceIsNeverASuccessByDefault(t *testing.T) {
	whole := slices.DeleteFunc(everyTrial(), func(t trial.Trial) bool {
		return !slices.ContainsFunc(fixture.Conforming().Outcomes, func(o run.Outcome) bool { return o.Trial == t.ID })
	})
	good := full(fixture.Conforming())
	report, err := Conformance(good, fixture.Reference, Options{Catalogue: whole})
	g := NewWithT(t)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(report.Result).To(Equal(v1alpha1.Success), "%v", report.Reasons)

	unknownVersion, newer, interrupted, unended, never, strange, virtual := good, good, good, good, full(
		fixture.FailedSetUp(),
	), full(
		fixture.Conforming(),
	), full(
		fixture.Conforming(),
	)
	unknownVersion.Subjects = []run.Subject{{Name: fixture.Reference, Node: "podclock-worker"}}
	newer.Subjects = []run.Subject{
		{Name: fixture.Reference, Node: "podclock-worker", Kubelet: formula.Kubelet{Version: "v1.99.0"}},
	}
	interrupted.Problems = []string{"interrupted"}
	unended.Reported = time.Time{}
	strange.Outcomes[0].Verdict, strange.Outcomes[0].Attempts = "fine", nil
	virtual.Subjects[0].Lane = run.VirtualLane
	for name, c := range map[string]struct {
		run     run.Run
		subject string
		all     []trial.Trial
		want    v1alpha1.Result
		reason  string
	}{
		"one more trial in the catalogue": {good, fixture.Reference, everyTrial(), v1alpha1.Partial, "not selected"},
		"no version": {unknownVersion, fixture.Reference, whole, v1alpha1.Partial, "version is " +
			"unknown"},
		"a version outside the sources that were read": {newer, fixture.Reference, whole, v1alpha1.Partial, "were read in Kubernetes"},
		"a problem": {interrupted, fixture.Reference, whole, v1alpha1.Partial, "problem: " +
			"interrupted"},
		"no end": {unended, fixture.Reference, whole, v1alpha1.Partial, "problem: the run " +
			"did not end"},
		"no node": {virtual, fixture.Reference, whole, v1alpha1.Partial, "termination: the " +
			"virtual lane tests the kubelet's code and no node"},
		"an unknown verdict": {strange, fixture.Reference, whole, v1alpha1.Partial, "1 trial inconclusive"},
		"nothing ran": {never, fixture.Reference, everyTrial(), v1alpha1.Failure, "no trial " +
			"was judged"},
		"a deviation": {full(fixture.Fixture()), fixture.Mutant, everyTrial(), v1alpha1.Failure, "1 trial deviates"},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			report, err := Conformance(c.run, c.subject, Options{Catalogue: c.all})
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(report.Result).To(Equal(c.want))
			g.Expect(report.Reasons).To(ContainElement(ContainSubstring(c.reason)))
			g.Expect(report.Validate()).To(BeEmpty())
		})
	}
}

// A kubelet that crashes is no success, although no trial deviates. The numbers have the checks as well.
func TestConformanceHasTheChecksOfTheRun(t *testing.T) {
	g := NewWithT(t)
	r := full(fixture.Conforming())
	var all []trial.Trial
	for _, o := range r.Outcomes {
		if tr, ok := fixture.Catalogue()[o.Trial]; ok {
			all = append(all, tr)
		}
	}
	for i := range r.Nodes {
		r.Nodes[i].Watched, r.Nodes[i].Exits = true, []string{"kubelet.service: Main process exited, code=exited"}
	}
	r.Check()
	report, err := Conformance(r, fixture.Reference, Options{Catalogue: all, Numbers: true})
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(report.Validate()).To(BeEmpty())
	g.Expect(report.Result).To(Equal(v1alpha1.Failure))
	last := report.Profiles[len(report.Profiles)-1]
	g.Expect(last.Name).To(Equal("kubelet"))
	g.Expect(last.FailedTrials).To(ContainElement(HaveField("Trial", "kubelet/conduct")))
}

// A trial for virtual nodes only is no part of a real node's conformance.
func TestConformanceOfANodeWithoutVirtualTrials(t *testing.T) {
	g := NewWithT(t)
	good := full(fixture.Conforming())
	var all []trial.Trial
	for _, o := range good.Outcomes {
		if tr, ok := fixture.Catalogue()[o.Trial]; ok {
			all = append(all, tr)
		}
	}
	slow := all[0]
	slow.ID, slow.ContainerStart = "termination/slow-start", time.Minute
	report, err := Conformance(good, fixture.Reference, Options{Catalogue: append(all, slow)})
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(report.Result).To(Equal(v1alpha1.Success), "%v", report.Reasons)
	good.Subjects[0].Lane = run.VirtualLane
	report, err = Conformance(good, fixture.Reference, Options{Catalogue: append(all, slow)})
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(report.Profiles[0].SkippedTrials).To(ContainElement(HaveField("Trial", slow.ID)))
}

// TestConformanceCountsWhatTheRunCounts compares the statistics of both subjects with the run's counts.
func TestConformanceCountsWhatTheRunCounts(t *testing.T) {
	g := NewWithT(t)
	r := full(fixture.Fixture())
	counted := map[trial.Verdict]int{}
	for _, s := range []string{fixture.Reference, fixture.Mutant} {
		for _, p := range conform(t, r, s).Profiles {
			counted[trial.Conforms] += p.Statistics.Passed - p.Statistics.Divergent
			counted[trial.Divergent] += p.Statistics.Divergent
			counted[trial.Deviates] += p.Statistics.Failed
			counted[trial.Inconclusive] += p.Statistics.Inconclusive
			counted[trial.Unsupported] += p.Statistics.Skipped
		}
	}
	counted[trial.Unsupported] -= 2 // termination/very-long, on either subject
	for _, v := range view.Verdicts() {
		g.Expect(counted[v]).To(Equal(r.Count(v)), "%s", v)
	}
}

// TestPlanDigestDependsOnTheQuestionOnly expects equal digests for equal experiments with different results.
func TestPlanDigestDependsOnTheQuestionOnly(t *testing.T) {
	g := NewWithT(t)
	want := conform(t, full(fixture.Fixture()), fixture.Reference)
	g.Expect(conform(t, full(fixture.Fixture()), fixture.Mutant).PlanDigest).To(Equal(want.PlanDigest))
	g.Expect(conform(t, full(fixture.FailedSetUp()), fixture.Reference).PlanDigest).To(Equal(want.PlanDigest))
	turned := full(fixture.Fixture())
	slices.Reverse(turned.Outcomes)
	g.Expect(conform(t, turned, fixture.Reference).PlanDigest).To(Equal(want.PlanDigest))
	fewer := full(fixture.Fixture())
	fewer.Outcomes = fewer.Outcomes[1:]
	g.Expect(conform(t, fewer, fixture.Reference).PlanDigest).NotTo(Equal(want.PlanDigest))

	other := everyTrial()
	// no judge saw its claims
	i := slices.IndexFunc(other, func(t trial.Trial) bool { return t.ID == "termination/hook-over-http" })
	other[i].Claims = other[i].Claims[:1]
	report, err := Conformance(full(fixture.Fixture()), fixture.Reference, Options{Catalogue: other})
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(report.PlanDigest).NotTo(Equal(want.PlanDigest))
}

func TestConfigurationDigestIgnoresTheOrderOfKeys(t *testing.T) {
	g := NewWithT(t)
	g.Expect(digestOfJSON([]byte(`{"a": 1, "b": {"c": 10000000000000001}}`))).
		To(Equal(digestOfJSON([]byte(`{"b":{"c":10000000000000001},"a":1}`))))
	g.Expect(digestOfJSON([]byte(`{"c": 10000000000000001}`))).
		NotTo(Equal(digestOfJSON([]byte(`{"c": 10000000000000002}`))))
	for _, none := range []string{"", "null", "{"} {
		g.Expect(digestOfJSON([]byte(none))).To(BeEmpty(), none)
	}
}

// TestConformanceIsJudgedByTheCatalogue judges an old run again, and expects a list of the changed verdicts.
func TestConformanceIsJudgedByTheCatalogue(t *testing.T) {
	g := NewWithT(t)
	old := full(fixture.Conforming())
	o := &old.Outcomes[0]
	o.Verdict, o.Attempts = trial.Deviates, slices.Clone(o.Attempts)
	result := &o.Attempts[0].Result
	result.Verdict, result.Findings = trial.Deviates, slices.Clone(result.Findings)
	result.Findings[0].Verdict, result.Findings[0].Why = trial.Deviates, "too late"
	report := conform(t, old, fixture.Reference)
	i := slices.IndexFunc(report.Profiles, func(p v1alpha1.Profile) bool { return p.Name == "termination" })
	g.Expect(report.Profiles[i].FailedTrials).To(BeEmpty())
	g.Expect(report.Oracle.Changed).To(Equal([]string{"termination/ignored-sigterm: was deviates, now conforms"}))
	g.Expect([]string{report.Oracle.Podclock, report.Environment.Podclock}).
		To(Equal([]string{"abcdef012345", "0123456789ab"}))
	g.Expect(view.FindingsOf(*o)[0].Why).To(Equal("too late"), "Conformance does not change the run")

	unchanged := conform(t, full(fixture.Conforming()), fixture.Reference)
	g.Expect(unchanged.Oracle.Changed).To(BeEmpty())
	report.Oracle.Changed = nil
	g.Expect(report).To(Equal(unchanged))
	unnamed, err := Conformance(old, fixture.Reference, Options{Catalogue: everyTrial()})
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(unnamed.Oracle.Podclock).To(Equal("unknown"))

	result.Findings[0].Claim = "of-old" // the trial is another one now, so nothing is known of it
	report = conform(t, old, fixture.Reference)
	g.Expect(report.Oracle.Changed).To(Equal([]string{"termination/ignored-sigterm: was deviates, now inconclusive"}))
	g.Expect(report.Profiles[i].InconclusiveTrials).To(ConsistOf(And(HaveField("Trial", "termination/ignored-sigterm"),
		HaveField("Reason", ContainSubstring("no longer has the claim of-old")))))
}

func TestConformanceNeedsTheCatalogueOfTheRun(t *testing.T) {
	r := full(fixture.Fixture())
	without := func(id string) []trial.Trial {
		return slices.DeleteFunc(everyTrial(), func(t trial.Trial) bool { return t.ID == id })
	}
	invalid := full(fixture.Fixture())
	invalid.Profile = ""
	for want, c := range map[string]struct {
		run     run.Run
		subject string
		all     []trial.Trial
	}{
		"the catalogue has no trial probes/flapping: use the revision of podclock that made the run, " +
			"0123456789ab": {r, fixture.Reference, without("probes/flapping")},
		`run 20260302-095800 has no subject "v1.0.0": it has v1.36.3, v1.36.3+resultrun-one`: {r, "v1.0.0",
			everyTrial()},
		`mode: Required value`: {invalid, fixture.Reference, everyTrial()},
	} {
		err := Write(&bytes.Buffer{}, c.run, c.subject, Options{Catalogue: c.all})
		NewWithT(t).Expect(err).To(MatchError(ContainSubstring(want)))
	}
	err := Write(fixture.BrokenWriter{}, r, fixture.Reference, Options{Catalogue: everyTrial()})
	NewWithT(t).Expect(err).To(MatchError(And(ContainSubstring("disk full"), ContainSubstring("20260302-095800"))))
}

func TestConformanceFilesOfSubjectsDiffer(t *testing.T) {
	g := NewWithT(t)
	g.Expect(File("v1.36.3+resultrun-one")).To(Equal("conformance-v1.36.3+resultrun-one.yaml"))
	g.Expect(File("virtual:v1.36.3")).To(MatchRegexp(`^conformance-virtual-v1\.36\.3-[0-9a-f]{8}\.yaml$`))
	g.Expect(File("v1.36.3@./a b")).NotTo(Equal(File("v1.36.3@./a-b")))
}

// TestConformanceNumbers compares the numbers with the run's, in seconds for times.
func TestConformanceNumbers(t *testing.T) {
	g := NewWithT(t)
	report, err := Conformance(full(fixture.Fixture()), fixture.Mutant, Options{Catalogue: everyTrial(), Numbers: true})
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(report.Trials).To(HaveLen(9))
	i := slices.IndexFunc(report.Trials, func(t v1alpha1.Trial) bool { return t.Trial == "probes/exec-liveness-fails" })
	claims := report.Trials[i].Claims
	g.Expect(claims).To(HaveLen(3))
	g.Expect(claims[1]).To(Equal(v1alpha1.Claim{
		Claim:   "liveness-failing-probes-2",
		Formula: "probes/failing-probes",
		Of:      "kubelet",
		Verdict: "deviates",
		Unit:    "count",
		Measured: new(
			2.0,
		),
		Margin:      new(-1.0),
		Implemented: v1alpha1.Window{Earliest: 3, Latest: 3},
		Documented:  &v1alpha1.Window{Earliest: 3, Latest: 3},
	}))
	g.Expect(claims[2].Unit).To(Equal("s"))
	g.Expect(*claims[2].Measured).To(Equal(6.0))
	g.Expect(claims[2].Implemented.Earliest).To(BeNumerically("~", 7.5, 0.001))
}

// The nodes of another group are no part of what a report says.
func TestCommandOfAnExistingClusterHasTheNodesOfTheGroup(t *testing.T) {
	g := NewWithT(t)
	r := full(fixture.Conforming())
	g.Expect(conform(t, r, fixture.Reference).Environment.Command).To(BeEmpty(), "the run has no settings")
	r.Environment.Settings = map[string]string{"ON": "external", "NODES": "a,b,c", "LABELS": "probes && !http"}
	r.Subjects[0].Group, r.Subjects[0].Node = "g", "a"
	r.Subjects = append(r.Subjects, run.Subject{Name: "b", Group: "other", Node: "b"},
		run.Subject{Name: "c", Group: "g", Node: "c"})
	r.Subjects[0].System = &run.System{Runtime: "containerd://2", OS: "Debian", Kernel: "6.1", Architecture: "amd64"}
	g.Expect(conform(t, r, fixture.Reference).Subject.System).
		To(And(HaveField("Provider", "none"), HaveField("Distribution", "none")), "they were read, and there is none")
	g.Expect(conform(t, r, fixture.Reference).Environment.Command).
		To(Equal("podclock run --label-filter='probes && !http' --nodes=a,c --on=external"))
}
