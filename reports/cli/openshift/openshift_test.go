package openshift

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/spf13/cobra"

	runs "github.com/podclock/podclock/harness/measure/run"
	"github.com/podclock/podclock/harness/measure/trial"
	"github.com/podclock/podclock/harness/node/external"
	"github.com/podclock/podclock/reports/cli/shell"
	"github.com/podclock/podclock/reports/view/fixture"
	catalogue "github.com/podclock/podclock/suites"
)

// published validates a document with the schema of the published Go types (testdata/published.schema.json has their
// revision). Each document is a property of the schema.
func published(t *testing.T, document string, text []byte) {
	t.Helper()
	g := NewWithT(t)
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	g.Expect(err).NotTo(HaveOccurred(), string(text))
	schema, err := jsonschema.NewCompiler().Compile("testdata/published.schema.json")
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(schema.Validate(map[string]any{document: value})).To(Succeed(), string(text))
}

// called is a call of the command, and what it asked to play.
type called struct {
	code     int
	out, log string
	asked    []string
}

// call calls the command with a run that was played already.
func call(t *testing.T, r runs.Run, in string, args ...string) (got called) {
	t.Helper()
	c := Command(Needs{
		Catalogue: catalogue.Catalogue,
		Play: func(*cobra.Command) func(*cobra.Command, trial.Profile, string, string) (runs.Run, error) {
			return func(_ *cobra.Command, p trial.Profile, focus, junit string) (runs.Run, error) {
				got.asked = []string{string(p), focus, junit}
				if r.ID == "" {
					return r, errors.New("no cluster")
				}
				return r, nil
			}
		},
		Images: func(_ context.Context, place string) ([]string, error) {
			return []string{place + "/fault:0123456789ab@sha256:00", place + "/recorder:ba9876543210"}, nil
		},
	})
	var out, log bytes.Buffer
	c.SetArgs(args)
	c.SetIn(strings.NewReader(in))
	c.SetOut(&out)
	c.SetErr(&log)
	c.SilenceUsage, c.SilenceErrors = true, true
	got.code = shell.ExitCode(c.ExecuteContext(t.Context()), &log)
	got.out, got.log = out.String(), log.String()
	return got
}

func lines(text string) []string { return strings.Split(strings.TrimSuffix(text, "\n"), "\n") }

func TestDocumentsAreAsPublished(t *testing.T) {
	g := NewWithT(t)
	info := call(t, runs.Run{}, "", "info", "--images=registry.example/podclock")
	published(t, "extension", []byte(info.out))
	images := call(t, runs.Run{}, "", "images", "--images=registry.example:5000/podclock")
	published(t, "images", []byte(images.out))
	g.Expect(images.out).To(Equal(`[{"index":0,"registry":"registry.example:5000/podclock","name":"fault",` +
		`"version":"0123456789ab"},{"index":1,"registry":"registry.example:5000/podclock","name":"recorder",` +
		`"version":"ba9876543210"}]` + "\n"))
	g.Expect(call(t, runs.Run{}, "", "images").out).To(Equal("[]\n"), "the nodes have them")
	for list, document := range map[string]string{"tests": "spec", "suites": "suite", "components": "component"} {
		for _, line := range lines(call(t, runs.Run{}, "", "list", list, "-o", "jsonl").out) {
			published(t, document, []byte(line))
		}
	}
	for document, broken := range map[string]string{
		"spec":   `{"name":"a","labels":["a"],"resources":{"isolation":{}},"source":"a","lifecycle":"blocking"}`,
		"images": `[{"index":0}]`,
		"result": `{"name":"a","lifecycle":"blocking","duration":1,"startTime":"2026-01-01T00:00:00Z",` +
			`"endTime":"2026-01-01 00:00:00.000000 UTC","result":"passed","output":""}`,
	} {
		value, err := jsonschema.UnmarshalJSON(strings.NewReader(broken))
		g.Expect(err).NotTo(HaveOccurred())
		schema, err := jsonschema.NewCompiler().Compile("testdata/published.schema.json")
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(schema.Validate(map[string]any{document: value})).NotTo(Succeed(), "a wrong %s", document)
	}
}

// Each trial that a real node can play is a test, with its labels, and what harms nodes runs alone.
func TestTestsAreTheTrials(t *testing.T) {
	g := NewWithT(t)
	text := call(t, runs.Run{}, "", "list", "--platform=aws", "--version=4.22", "--api-group=a", "--api-group=b",
		"--fact=a=b")
	g.Expect(text.code).To(Equal(0), text.log)
	var all []spec
	g.Expect(json.Unmarshal([]byte(text.out), &all)).To(Succeed())
	byName := map[string]spec{}
	for _, s := range all {
		byName[s.Name] = s
	}
	g.Expect(byName).To(HaveLen(len(all)), "names are unique")
	quick := map[string]bool{}
	for _, name := range lines(call(t, runs.Run{}, "", "list", "--suite=podclock/quick", "-o", "names").out) {
		quick[name] = true
	}
	n := 0
	for _, tr := range catalogue.Catalogue() {
		if tr.VirtualOnly() {
			continue
		}
		n++
		name := "[sig-node] podclock " + tr.ID
		harms := slices.DeleteFunc(external.HarmsOf(tr), func(h external.Harm) bool { return h == external.RawSockets })
		if len(harms) > 0 {
			name += " [Serial]"
		}
		s, there := byName[name]
		g.Expect(there).To(BeTrue(), name)
		g.Expect(s.Labels).To(And(HaveKey(tr.Area()), HaveKey("full")))
		for _, l := range tr.Labels {
			g.Expect(s.Labels).To(HaveKey(l))
		}
		_, labelled := s.Labels["quick"]
		g.Expect(labelled).To(Equal(trial.Quick.Holds(tr)))
		g.Expect(quick[name]).To(Equal(labelled), "the suite's qualifier selects what the suite runs")
		g.Expect(s.Resources.Isolation.Taint).To(HaveLen(len(harms)), name)
	}
	g.Expect(all).To(HaveLen(n))
	g.Expect(call(t, runs.Run{}, "", "list", "--suite=podclock/slow").log).
		To(Equal("podclock: no suite \"podclock/slow\": there are podclock/quick and podclock/full\n"))
	g.Expect(call(t, runs.Run{}, "", "info", "--component=other").log).
		To(Equal("podclock: --component=other: there is only podclock:node:kubelet\n"))
	g.Expect(call(t, runs.Run{}, "", "info", "--component=podclock:node:kubelet").code).To(Equal(0))
}

// played returns a run with these verdicts of a trial, one for each subject.
func played(id string, verdicts ...trial.Verdict) runs.Run {
	r := runs.Run{ID: "20260101-000000", Started: fixture.Began, Reported: fixture.Began.Add(time.Minute)}
	for i, v := range verdicts {
		subject := fmt.Sprintf("node-%d", i)
		r.Subjects = append(r.Subjects, runs.Subject{Name: subject})
		o := trial.Outcome{Trial: id, Subject: subject, Verdict: v, Why: "of " + subject}
		if v != trial.Unsupported {
			o.Attempts = []trial.Attempt{{
				Started: fixture.Began.Add(time.Duration(i) * time.Second), Took: 2500 * time.Millisecond,
				Result: trial.Result{Verdict: v},
			}}
		}
		r.Outcomes = append(r.Outcomes, o)
	}
	return r
}

const (
	grace = "termination/grace-1"
	named = "[sig-node] podclock " + grace
)

// The worst verdict of all nodes decides. No verdict is taken for a pass.
func TestVerdictsBecomeResults(t *testing.T) {
	for name, tt := range map[string]struct {
		verdicts []trial.Verdict
		result   string
		code     int
	}{
		"conforms":                   {[]trial.Verdict{trial.Conforms}, passed, 0},
		"divergent":                  {[]trial.Verdict{trial.Divergent}, passed, 0},
		"deviates":                   {[]trial.Verdict{trial.Deviates}, failed, 1},
		"inconclusive":               {[]trial.Verdict{trial.Inconclusive}, failed, 1},
		"unsupported":                {[]trial.Verdict{trial.Unsupported}, skipped, 0},
		"unknown":                    {[]trial.Verdict{"good"}, failed, 1},
		"not played":                 {nil, failed, 1},
		"one node deviates":          {[]trial.Verdict{trial.Deviates, trial.Conforms}, failed, 1},
		"the other node deviates":    {[]trial.Verdict{trial.Conforms, trial.Deviates}, failed, 1},
		"one node does not support":  {[]trial.Verdict{trial.Unsupported, trial.Conforms}, passed, 0},
		"the other node doesn't":     {[]trial.Verdict{trial.Conforms, trial.Unsupported}, passed, 0},
		"inconclusive on one of two": {[]trial.Verdict{trial.Conforms, trial.Inconclusive}, failed, 1},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			got := call(t, played(grace, tt.verdicts...), "", "run-test", "-n", named, "-o", "jsonl")
			g.Expect(got.code).To(Equal(tt.code), got.log)
			g.Expect(lines(got.out)).To(HaveLen(1))
			published(t, "result", []byte(got.out))
			var r result
			g.Expect(json.Unmarshal([]byte(got.out), &struct {
				*result
				StartTime string `json:"startTime"`
				EndTime   string `json:"endTime"`
			}{result: &r})).To(Succeed())
			g.Expect(r.Name).To(Equal(named))
			g.Expect(r.Result).To(Equal(tt.result))
			g.Expect(r.Error != "").To(Equal(tt.result == failed), r.Error)
			for i := range tt.verdicts {
				g.Expect(r.Output).To(ContainSubstring("node-%d: %s: of node-%[1]d", i, tt.verdicts[i]))
			}
			if tt.result == skipped {
				g.Expect(r.Details).To(Equal([]detail{{"node-0", "of node-0"}}), "the reason")
			}
		})
	}
}

// A few inconclusive trials of a suite do not fail it, as in the JUnit report of the same run.
func TestFewInconclusiveTestsOfASuiteAreSkipped(t *testing.T) {
	g := NewWithT(t)
	r := runs.Run{ID: "20260101-000000"}
	tests := specs(catalogue.Catalogue())
	tests = slices.DeleteFunc(tests, func(s spec) bool { return s.trial.Area() != "probes" })
	for i, s := range tests {
		o := trial.Outcome{Trial: s.trial.ID, Subject: "node", Verdict: trial.Conforms,
			Attempts: []trial.Attempt{{Result: trial.Result{Verdict: trial.Conforms}}}}
		if i == 0 {
			o.Verdict, o.Why = trial.Inconclusive, "the node was busy"
			o.Attempts[0].Result = trial.Result{Verdict: o.Verdict,
				Findings: []trial.Finding{{Claim: "a", Verdict: trial.Inconclusive}}}
		}
		r.Outcomes = append(r.Outcomes, o)
	}
	all := results(r, tests)
	g.Expect(all).To(HaveLen(len(tests)))
	g.Expect(all[0].Result).To(Equal(skipped))
	g.Expect(all[0].Details).To(Equal([]detail{{"node", "inconclusive: the node was busy"}}))
	for _, one := range all[1:] {
		g.Expect(one.Result).To(Equal(passed))
	}
}

// The time of a result is that of its attempts, from the first start to the last end.
func TestTimes(t *testing.T) {
	g := NewWithT(t)
	r := played(grace, trial.Conforms, trial.Conforms)
	one := results(r, []spec{{Name: named, trial: trial.Trial{ID: grace}}})[0]
	g.Expect(one.Duration).To(Equal(int64(3500)))
	text, err := json.Marshal(moment(time.Date(2026, 3, 2, 10, 0, 0, 1500, time.FixedZone("", 3600))))
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(string(text)).To(Equal(`"2026-03-02 09:00:00.000001 UTC"`))
}

// What was measured is in the output, and as numbers in the details.
func TestMeasuredNumbers(t *testing.T) {
	g := NewWithT(t)
	r := fixture.Fixture()
	i := slices.IndexFunc(r.Outcomes, func(o runs.Outcome) bool { return o.Verdict == trial.Deviates })
	o := r.Outcomes[i]
	one := results(r, []spec{{Name: "a", trial: trial.Trial{ID: o.Trial}}})[0]
	g.Expect(one.Result).To(Equal(failed))
	g.Expect(one.Output).To(ContainSubstring("the code computes"))
	g.Expect(one.Error).To(And(HavePrefix(o.Subject+": "), ContainSubstring("the code computes: ")))
	text, err := json.Marshal(one)
	g.Expect(err).NotTo(HaveOccurred())
	published(t, "result", text)
	g.Expect(one.Details).To(ContainElement(HaveField("Value", HaveKey(HaveSuffix(".measured")))))
}

// Names select exactly their trials, and a suite its profile.
func TestWhatIsPlayed(t *testing.T) {
	g := NewWithT(t)
	other := "[sig-node] podclock termination/grace-2"
	got := call(t, played(grace, trial.Conforms), "", "run-test", "-n", named, "-n", other, "-n", named, "-c", "4")
	g.Expect(got.asked[0]).To(Equal("full"))
	var all []struct{ Name string }
	g.Expect(json.Unmarshal([]byte(got.out), &all)).To(Succeed(), got.out)
	g.Expect(all).To(HaveLen(2), "one result for each name")
	focus := regexp.MustCompile(got.asked[1])
	for _, tr := range catalogue.Catalogue() {
		g.Expect(focus.MatchString("podclock node-1 "+tr.ID)).
			To(Equal(tr.ID == grace || tr.ID == "termination/grace-2"), tr.ID)
	}
	g.Expect(call(t, played(grace, trial.Conforms), named+"\n", "run-test").asked[1]).
		To(Equal(" (termination/grace-1)$"), "from standard input")
	got = call(t, played(grace, trial.Conforms), "", "run-suite", "podclock/quick", "-j", "junit.xml", "-o", "jsonl")
	g.Expect(got.asked).To(Equal([]string{"quick", "", "junit.xml"}))
	quick := call(t, runs.Run{}, "", "list", "--suite=podclock/quick", "-o", "names")
	g.Expect(lines(got.out)).To(HaveLen(len(lines(quick.out))), "one result for each test")
	for _, tt := range []struct{ args, says string }{
		{"run-test", "podclock: no test is named: give --names; `podclock openshift list -o names` lists them\n"},
		{"run-test a", "podclock: no test \"a\": `podclock openshift list -o names` lists them\n"},
		{"run-suite a", "podclock: no suite \"a\": there are podclock/quick and podclock/full\n"},
		{"run-suite podclock/quick", "podclock: no cluster\n"},
		{"measure", "podclock: unknown command \"measure\": openshift --help lists those of an extension\n"},
	} {
		got := call(t, runs.Run{}, "", strings.Fields(tt.args)...)
		got.asked = nil
		g.Expect(got).To(Equal(called{code: 2, log: tt.says}), tt.args)
	}
}

func TestNamed(t *testing.T) {
	for name, is := range map[string]bool{
		"podclock": false, "/usr/bin/podclock-tests-ext": true, "podclock-tests-ext.exe": true, "tests-ext": false,
	} {
		NewWithT(t).Expect(Named(name)).To(Equal(is), name)
	}
}
