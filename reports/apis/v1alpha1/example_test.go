package v1alpha1

import "strings"

const someDigest = "sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

// example is a valid report with one of everything: a failed trial with a diagnosis, an inconclusive one, and
// skipped ones of every cause.
func example() TimingConformanceReport {
	number := func(n float64) *float64 { return &n }
	r := TimingConformanceReport{
		APIVersion: APIVersion,
		Kind:       Kind,
		Date:       "2026-03-02T10:00:25Z",
		Run:        "20260302-095800",
		Mode:       "full",
		PlanDigest: someDigest,
		Subject: Subject{
			Name:          "v1.36.3+resultrun-one",
			Lane:          "node",
			Kubelet:       "v1.36.3",
			Mutation:      "resultrun-one",
			Configuration: someDigest,
		},
		Implementation: &Implementation{
			Organization: "Example",
			Project:      "example-kubernetes",
			URL:          "https://example.org",
			Version:      "v1.36.3-example.1",
			Contact:      []string{"@example/node"},
		},
		Environment: Environment{
			Podclock:   "ba9876543210",
			Go:         "go1.26.0",
			Kernel:     "6.12.1",
			CPUs:       2,
			Engine:     "docker 28.1.0",
			NodeImage:  "example.org/node:1",
			Components: map[string]string{"containerd": "2.1.0"},
		},
		Oracle: Oracle{
			Podclock: "0123456789ab",
			Changed:  []string{"probes/flapping: was divergent, now conforms"},
			Formulas: 2,
			Digest:   someDigest,
			Oldest:   "v1.23.1",
			Newest:   "v1.36.3",
		},
		Profiles: []Profile{
			{
				Name: "probes", Statistics: Statistics{Passed: 1, Failed: 1, Claims: 3},
				FailedTrials: []FailedTrial{{Trial: "probes/liveness", Reason: "2, 1 below 3", Claims: []FailedClaim{
					{
						Claim:     "liveness-failing-probes-2",
						Formula:   "probes/failing-probes",
						Reason:    "2, 1 below 3",
						Diagnosis: &Diagnosis{Name: "resultRun is reset to 1", Reference: "kubernetes PR 62853"},
					},
				}}},
			},
			{
				Name:       "termination",
				Statistics: Statistics{Passed: 2, Divergent: 1, Inconclusive: 1, Skipped: 3, Claims: 2},
				InconclusiveTrials: []InconclusiveTrial{
					{Trial: "termination/hook-over-http", Reason: "the run was interrupted"},
				},
				SkippedTrials: []SkippedTrial{
					{
						Trial:  "termination/sleep-of-zero",
						Cause:  Unsupported,
						Reason: "the kubelet has no PodLifecycleSleepActionAllowZero",
					},
					{Trial: "termination/exec-in-the-network", Cause: Lane, Reason: "it needs a real node"},
					{Trial: "termination/very-long", Cause: Unselected, Reason: "the run did not ask for it"},
				},
			},
		},
		SkippedProfiles: []string{"sidecars"},
		Divergences: []Divergence{
			{
				Formula:     "termination/remainder",
				Implemented: "SIGKILL comes at the end of what is left",
				Source:      "pkg/kubelet/kuberuntime killContainer",
				Documented:  "The hook's time is part of the grace period.",
				Page:        "https://example.org/pods",
				Measured:    "0.5 s above what is documented",
				Issues:      []string{"kubernetes#115817"},
				Trials:      []string{"termination/grace"},
			},
		},
		Problems: []string{"interrupted"},
		Trials: []Trial{
			{Trial: "probes/liveness", Verdict: "deviates", Attempts: 1, Claims: []Claim{
				{
					Claim:       "liveness-failing-probes-2",
					Formula:     "probes/failing-probes",
					Of:          "kubelet",
					Verdict:     "deviates",
					Unit:        "count",
					Measured:    number(2),
					Margin:      number(-1),
					Implemented: Window{3, 3},
				},
			}},
			{Trial: "probes/flapping", Verdict: "conforms", Attempts: 2},
			{Trial: "termination/grace", Verdict: "divergent", Attempts: 1, Claims: []Claim{
				{
					Claim:       "sigterm-to-death",
					Formula:     "termination/remainder",
					Of:          "kubelet",
					Verdict:     "divergent",
					Unit:        "s",
					Measured:    number(5.25),
					Margin:      number(0.25),
					Implemented: Window{5, 5.5},
					Documented:  &Window{4.5, 5},
				},
			}},
			{Trial: "termination/ignored-sigterm", Verdict: "conforms", Attempts: 1},
			{Trial: "termination/hook-over-http", Verdict: "inconclusive"},
			{Trial: "termination/sleep-of-zero", Verdict: "unsupported"},
			{Trial: "termination/exec-in-the-network", Verdict: "unsupported"},
		},
	}
	r.Conclude()
	return r
}

// good is a valid report whose result is success.
func good() TimingConformanceReport {
	r := example()
	r.Profiles = r.Profiles[1:]
	p := &r.Profiles[0]
	p.Statistics = Statistics{Passed: 2, Divergent: 1, Claims: 2}
	p.InconclusiveTrials, p.SkippedTrials = nil, nil
	r.SkippedProfiles, r.Problems, r.Trials = nil, nil, nil
	r.Conclude()
	return r
}

// lines joins reasons.
func lines(reasons []string) string { return strings.Join(reasons, "\n") }
