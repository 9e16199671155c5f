package view

import (
	"testing"
	"time"

	. "github.com/onsi/gomega"

	"github.com/podclock/podclock/harness/measure/run"
	"github.com/podclock/podclock/harness/measure/trial"
	"github.com/podclock/podclock/harness/rules/formula"
)

func promised(claim string, from, to, measured time.Duration, v trial.Verdict) trial.Finding {
	f := trial.Finding{
		Claim: claim, Formula: run.Predicted + "x", Verdict: v,
		Implemented: formula.Window{Unit: formula.Nanoseconds, Earliest: int64(from), Latest: int64(to)},
	}
	if measured > 0 {
		f.Measured = &trial.Measured{Unit: formula.Nanoseconds, Value: int64(measured)}
	}
	return f
}

func ofManifest(findings ...trial.Finding) Overview {
	o := run.Outcome{Trial: "deployment-web/delete-longest", About: "A delete.", Subject: "v1.37.2",
		Verdict: trial.Deviates, Attempts: []run.Attempt{{Result: trial.Result{
			Verdict: trial.Deviates, Findings: findings}}}}
	return OverviewOf(run.Run{
		Subjects: []run.Subject{{Name: "v1.37.2"}}, Outcomes: []run.Outcome{o}, Promises: &run.Promises{
			Unplayed: []run.Unplayed{
				{Workload: "deployment-web", Answer: "preemption", Why: "it happens to a node"},
				{Workload: "job-report", Answer: "preemption", Containers: []string{"app", "log"},
					Why: "it happens to a node"},
				{Workload: "pod-old", Why: "the pod runs on Windows"},
			},
		},
	}, nil)
}

// All times of a trial share an axis that ends with the last of them, predicted or measured.
func TestPromisedTimesShareAnAxis(t *testing.T) {
	g := NewWithT(t)
	standing := trial.Finding{Claim: "false-ends", Formula: "restarts/ends", Verdict: trial.Conforms}
	count := trial.Finding{Claim: "hook-runs", Formula: run.Predicted + "hook-runs", Verdict: trial.Conforms,
		Implemented: formula.Window{Unit: formula.Count, Earliest: 1, Latest: 1},
		Measured:    &trial.Measured{Unit: formula.Count, Value: 1}}
	v := ofManifest(
		promised("fault-to-sigterm", 0, 4*time.Second, 2*time.Second, trial.Conforms),
		promised("fault-to-death", 8*time.Second, 12*time.Second, 16*time.Second, trial.Deviates),
		promised("fault-to-object-deleted", 10*time.Second, 14*time.Second, 0, trial.Deviates),
		count, standing)
	sections := v.Promised(false)
	g.Expect(sections).To(HaveLen(1))
	g.Expect(sections[0].Rows).To(Equal([][]string{
		{"delete-longest", "fault-to-sigterm", "0.000 to 4.000 s", "2.000 s",
			"├───●───┤·······················", "conforms"},
		{"", "fault-to-death", "8.000 to 12.000 s", "16.000 s", "················├───────┤······●", "deviates"},
		{"", "fault-to-object-deleted", "10.000 to 14.000 s", "never", "····················├───────┤···", "deviates"},
		{"", "hook-runs", "1", "1", "", "conforms"},
	}))
	g.Expect(v.Promised(true)[0].Rows).To(Equal([][]string{
		{"delete-longest", "fault-to-object-deleted", "10.000 to 14.000 s", "never",
			"····················├───────┤···", "deviates"},
	}), "the brief table has the last time of each trial, and the trial's verdict")
}

func TestUnplayedPredictionsAreListedByReason(t *testing.T) {
	g := NewWithT(t)
	g.Expect(Unplayed(*ofManifest().Run.Promises).Lines).To(Equal([]Line{
		{Text: "It happens to a node.", More: []string{"deployment-web: preemption; job-report: preemption of app, log"}},
		{Text: "The pod runs on Windows.", More: []string{"pod-old"}},
	}))
	sections := ofManifest().Sections(Limits{})
	g.Expect(sections[len(sections)-1].ID).To(Equal("unplayed"))
}

func TestARunOfTheCataloguePromisesNothing(t *testing.T) {
	v := ofManifest(promised("fault-to-sigterm", 0, 1, 1, trial.Conforms))
	v.Run.Promises = nil
	NewWithT(t).Expect(v.Promised(false)).To(BeEmpty())
}
