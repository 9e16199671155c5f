package v1alpha1

import (
	"fmt"
	"strings"
)

// noNode is why a result of the virtual lane is no success.
const noNode = "the virtual lane tests the kubelet's code and no node"

// Conclusion derives the result of a profile from the lane of its trials. It returns the reasons if the result
// is no success:
//
//   - failure: a trial failed, or none was judged;
//   - partial: a trial is inconclusive, was not selected, or is beyond what the lane can show; or the kubelet
//     supports none of the trials; or the lane is not the node lane;
//   - success: otherwise. A trial of a feature that the kubelet lacks does not count.
func (p Profile) Conclusion(lane string) (Result, []string) {
	s := p.Statistics
	open := p.unjudged()
	if lane != NodeLane {
		open = append(open, noNode)
	}
	switch {
	case s.Failed > 0:
		return Failure, append([]string{deviate(s.Failed)}, open...)
	case s.Passed == 0 && s.Inconclusive == 0 && s.Skipped > 0 && s.Skipped == p.skipped(Unsupported):
		return Partial, append([]string{noneJudged, trials(s.Skipped) + " not supported by the kubelet"}, open...)
	case s.Passed == 0:
		return Failure, append([]string{noneJudged}, open...)
	case len(open) > 0:
		return Partial, open
	}
	return Success, nil
}

// noneJudged is why a profile without any verdict is no success.
const noneJudged = "no trial was judged"

// unjudged returns what must be judged for the profile to be a success.
func (p Profile) unjudged() []string {
	var reasons []string
	for _, open := range []struct {
		n   int
		why string
	}{
		{p.Statistics.Inconclusive, "inconclusive"},
		{p.skipped(Unselected), "not selected"},
		{p.skipped(Lane), "beyond what the lane can show"},
	} {
		if open.n > 0 {
			reasons = append(reasons, fmt.Sprintf("%s %s", trials(open.n), open.why))
		}
	}
	return reasons
}

// skipped returns the number of trials that were skipped for one cause.
func (p Profile) skipped(c SkipCause) int {
	n := 0
	for _, t := range p.SkippedTrials {
		if t.Cause == c {
			n++
		}
	}
	return n
}

// Conclusion derives the report's result from its profiles. It returns the reasons if the result is no success:
//
//   - failure: a profile failed, or there is none;
//   - partial: a profile is partial, an area has no selected trial, the run had problems, the kubelet's version
//     is unknown, or the formulas were not read in the source of its release;
//   - success: otherwise.
func (r TimingConformanceReport) Conclusion() (Result, []string) {
	result := Success
	var reasons []string
	add := func(worse Result, format string, args ...any) {
		result = worst(result, worse)
		reasons = append(reasons, fmt.Sprintf(format, args...))
	}
	if len(r.Profiles) == 0 {
		add(Failure, "no trial was selected on this subject")
	}
	for _, p := range r.Profiles {
		if p.Result != Success {
			add(p.Result, "%s: %s", p.Name, strings.Join(p.Reasons, ", "))
		}
	}
	if len(r.SkippedProfiles) > 0 {
		add(Partial, "not selected: %s", strings.Join(r.SkippedProfiles, ", "))
	}
	for _, problem := range r.Problems {
		add(Partial, "problem: %s", problem)
	}
	if r.Subject.Kubelet == "" {
		add(Partial, "the kubelet's version is unknown")
	}
	if r.Oracle.Extrapolated {
		add(
			Partial,
			"the formulas were read in Kubernetes %s to %s, and this kubelet is outside",
			r.Oracle.Oldest,
			r.Oracle.Newest,
		)
	}
	return result, reasons
}

// Conclude fills in results, reasons and summaries from the other fields.
func (r *TimingConformanceReport) Conclude() {
	for i := range r.Profiles {
		p := &r.Profiles[i]
		p.Result, p.Reasons = p.Conclusion(r.Subject.Lane)
		p.Summary = p.Statistics.String()
	}
	r.Result, r.Reasons = r.Conclusion()
}

// String returns the statistics in one sentence.
func (s Statistics) String() string {
	return fmt.Sprintf(
		"%s: %d passed (%d of them divergent), %d failed, %d inconclusive, %d skipped; %d claims judged",
		trials(s.Passed+s.Failed+s.Inconclusive+s.Skipped), s.Passed, s.Divergent, s.Failed, s.Inconclusive,
		s.Skipped, s.Claims,
	)
}

// worst returns the worse of two results. Any unknown result counts as a failure.
func worst(a, b Result) Result {
	for _, r := range []Result{a, b} {
		if r != Success && r != Partial {
			return Failure
		}
	}
	if a == Partial || b == Partial {
		return Partial
	}
	return Success
}

func trials(n int) string {
	if n == 1 {
		return "1 trial"
	}
	return fmt.Sprintf("%d trials", n)
}

func deviate(n int) string {
	if n == 1 {
		return "1 trial deviates"
	}
	return fmt.Sprintf("%d trials deviate", n)
}
