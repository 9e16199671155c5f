package v1alpha1

import (
	"testing"

	. "github.com/onsi/gomega"
	"sigs.k8s.io/yaml"
)

func TestExamplesAreValid(t *testing.T) {
	g := NewWithT(t)
	g.Expect(example().Validate()).To(BeEmpty())
	g.Expect(good().Validate()).To(BeEmpty())
}

func TestReportsAreReadAsTheyWereWritten(t *testing.T) {
	for name, want := range map[string]TimingConformanceReport{"one of everything": example(), "good": good()} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			text, err := Write(want)
			g.Expect(err).NotTo(HaveOccurred())
			got, err := Read(text)
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(got).To(Equal(want))
		})
	}
}

// TestValidateNamesTheField expects each error at its field.
func TestValidateNamesTheField(t *testing.T) {
	for field, spoil := range map[string]func(*TimingConformanceReport){
		"apiVersion":                               func(r *TimingConformanceReport) { r.APIVersion = "v1" },
		"kind":                                     func(r *TimingConformanceReport) { r.Kind = "" },
		"date":                                     func(r *TimingConformanceReport) { r.Date = "2026-03-02" },
		"run":                                      func(r *TimingConformanceReport) { r.Run = " " },
		"mode":                                     func(r *TimingConformanceReport) { r.Mode = "nightly" },
		"planDigest":                               func(r *TimingConformanceReport) { r.PlanDigest = "sha256:1" },
		"result":                                   func(r *TimingConformanceReport) { r.Result = Success },
		"reasons":                                  func(r *TimingConformanceReport) { r.Reasons = nil },
		"subject.name":                             func(r *TimingConformanceReport) { r.Subject.Name = "" },
		"subject.lane":                             func(r *TimingConformanceReport) { r.Subject.Lane = "" },
		"subject.kubelet":                          func(r *TimingConformanceReport) { r.Subject.Kubelet = "1.36" },
		"subject.configuration":                    func(r *TimingConformanceReport) { r.Subject.Configuration = "{}" },
		"implementation.organization":              func(r *TimingConformanceReport) { r.Implementation.Organization = "" },
		"implementation.project":                   func(r *TimingConformanceReport) { r.Implementation.Project = "" },
		"implementation.version":                   func(r *TimingConformanceReport) { r.Implementation.Version = "" },
		"implementation.url":                       func(r *TimingConformanceReport) { r.Implementation.URL = "example" },
		"implementation.contact":                   func(r *TimingConformanceReport) { r.Implementation.Contact = nil },
		"implementation.contact[0]":                func(r *TimingConformanceReport) { r.Implementation.Contact = []string{""} },
		"oracle.podclock":                          func(r *TimingConformanceReport) { r.Oracle.Podclock = "" },
		"oracle.changed[0]":                        func(r *TimingConformanceReport) { r.Oracle.Changed[0] = "" },
		"oracle.formulas":                          func(r *TimingConformanceReport) { r.Oracle.Formulas = -1 },
		"oracle.digest":                            func(r *TimingConformanceReport) { r.Oracle.Digest = "" },
		"oracle.oldest":                            func(r *TimingConformanceReport) { r.Oracle.Oldest = "first" },
		"oracle.newest":                            func(r *TimingConformanceReport) { r.Oracle.Newest = "" },
		"profiles[1].name":                         func(r *TimingConformanceReport) { r.Profiles[1].Name = "probes" },
		"profiles[0].result":                       func(r *TimingConformanceReport) { r.Profiles[0].Result = Partial },
		"profiles[0].reasons":                      func(r *TimingConformanceReport) { r.Profiles[0].Reasons = []string{"bad luck"} },
		"profiles[0].summary":                      func(r *TimingConformanceReport) { r.Profiles[0].Summary = "" },
		"profiles[0].statistics.passed":            func(r *TimingConformanceReport) { r.Profiles[0].Statistics.Passed = -1 },
		"profiles[0].statistics.divergent":         func(r *TimingConformanceReport) { r.Profiles[0].Statistics.Divergent = 2 },
		"profiles[0].statistics.claims":            func(r *TimingConformanceReport) { r.Profiles[0].Statistics.Claims = -1 },
		"profiles[0].statistics.failed":            func(r *TimingConformanceReport) { r.Profiles[0].Statistics.Failed = 0 },
		"profiles[1].statistics.inconclusive":      func(r *TimingConformanceReport) { r.Profiles[1].Statistics.Inconclusive = 2 },
		"profiles[1].statistics.skipped":           func(r *TimingConformanceReport) { r.Profiles[1].Statistics.Skipped = 0 },
		"profiles[0].failedTrials[0].trial":        func(r *TimingConformanceReport) { r.Profiles[0].FailedTrials[0].Trial = "termination/liveness" },
		"profiles[0].failedTrials[0].reason":       func(r *TimingConformanceReport) { r.Profiles[0].FailedTrials[0].Reason = "" },
		"profiles[1].inconclusiveTrials[0].reason": func(r *TimingConformanceReport) { r.Profiles[1].InconclusiveTrials[0].Reason = "" },
		"profiles[1].inconclusiveTrials[0].trial":  func(r *TimingConformanceReport) { r.Profiles[1].InconclusiveTrials[0].Trial = "termination/" },
		"profiles[1].skippedTrials[1].trial": func(r *TimingConformanceReport) {
			r.Profiles[1].SkippedTrials[1].Trial = r.Profiles[1].SkippedTrials[0].Trial
		},
		"profiles[1].skippedTrials[0].cause":                   func(r *TimingConformanceReport) { r.Profiles[1].SkippedTrials[0].Cause = "" },
		"profiles[1].skippedTrials[2].reason":                  func(r *TimingConformanceReport) { r.Profiles[1].SkippedTrials[2].Reason = "" },
		"profiles[0].failedTrials[0].claims[0].formula":        func(r *TimingConformanceReport) { r.Profiles[0].FailedTrials[0].Claims[0].Formula = "" },
		"profiles[0].failedTrials[0].claims[0].diagnosis.name": func(r *TimingConformanceReport) { r.Profiles[0].FailedTrials[0].Claims[0].Diagnosis.Name = "" },
		"skippedProfiles[0]":                                   func(r *TimingConformanceReport) { r.SkippedProfiles[0] = "probes" },
		"divergences[0].page":                                  func(r *TimingConformanceReport) { r.Divergences[0].Page = "the manual" },
		"divergences[0].measured":                              func(r *TimingConformanceReport) { r.Divergences[0].Measured = "" },
		"divergences[0].trials":                                func(r *TimingConformanceReport) { r.Divergences[0].Trials = nil },
		"divergences[0].issues[0]":                             func(r *TimingConformanceReport) { r.Divergences[0].Issues[0] = "" },
		"trials":                                               func(r *TimingConformanceReport) { r.Trials = r.Trials[1:] },
		"trials[1].trial":                                      func(r *TimingConformanceReport) { r.Trials[1].Trial = r.Trials[0].Trial },
		"trials[5].verdict":                                    func(r *TimingConformanceReport) { r.Trials[5].Verdict = "fine" },
		"trials[0].attempts":                                   func(r *TimingConformanceReport) { r.Trials[0].Attempts = -1 },
		"trials[0].claims[0].unit":                             func(r *TimingConformanceReport) { r.Trials[0].Claims[0].Unit = "" },
		"trials[0].claims[0].margin":                           func(r *TimingConformanceReport) { r.Trials[0].Claims[0].Margin = nil },
		"trials[0].claims[0].verdict":                          func(r *TimingConformanceReport) { *r.Trials[0].Claims[0].Margin = 1 },
		"trials[2].claims[0].verdict":                          func(r *TimingConformanceReport) { *r.Trials[2].Claims[0].Margin = -1 },
		"trials[2].claims[0].measured":                         func(r *TimingConformanceReport) { r.Trials[2].Claims[0].Measured = nil },
		"trials[2].claims[0].implemented":                      func(r *TimingConformanceReport) { r.Trials[2].Claims[0].Implemented.Earliest = 9 },
		"trials[2].claims[0].documented":                       func(r *TimingConformanceReport) { r.Trials[2].Claims[0].Documented.Latest = 0 },
	} {
		t.Run(field, func(t *testing.T) {
			g := NewWithT(t)
			bad := example()
			spoil(&bad)
			var fields []string
			for _, err := range bad.Validate() {
				fields = append(fields, err.Field)
			}
			g.Expect(fields).To(ContainElement(field))
			_, err := Write(bad)
			g.Expect(err).To(MatchError(ContainSubstring(field)), "Write refuses it")
			text, err := yaml.Marshal(bad)
			g.Expect(err).NotTo(HaveOccurred())
			_, err = Read(text)
			g.Expect(err).To(MatchError(ContainSubstring(field)), "Read refuses it")
		})
	}
}

func TestReadRefusesWhatIsNoReport(t *testing.T) {
	text, err := Write(good())
	NewWithT(t).Expect(err).NotTo(HaveOccurred())
	for name, data := range map[string]string{
		"nothing":           "",
		"not YAML":          "{",
		"another document":  "apiVersion: v1\nkind: Pod\n",
		"an unknown field":  string(text) + "score: 11\n",
		"the same twice":    string(text) + "kind: " + Kind + "\n",
		"a list":            "[]",
		"a value elsewhere": "result: {}\n",
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Read([]byte(data))
			NewWithT(t).Expect(err).To(MatchError(ContainSubstring(Kind)))
		})
	}
}
