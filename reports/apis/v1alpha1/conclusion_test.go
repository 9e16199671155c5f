package v1alpha1

import (
	"fmt"
	"testing"

	. "github.com/onsi/gomega"
	"pgregory.net/rapid"
)

func TestConclusionOfAProfile(t *testing.T) {
	skipped := func(causes ...SkipCause) (all []SkippedTrial) {
		for i, c := range causes {
			all = append(all, SkippedTrial{Trial: fmt.Sprintf("area/%d", i), Cause: c, Reason: "because"})
		}
		return all
	}
	for name, c := range map[string]struct {
		statistics Statistics
		skipped    []SkippedTrial
		want       Result
		reasons    string
	}{
		"all passed":                  {Statistics{Passed: 3}, nil, Success, ""},
		"divergent only":              {Statistics{Passed: 1, Divergent: 1}, nil, Success, ""},
		"one is not for this kubelet": {Statistics{Passed: 1}, skipped(Unsupported), Success, ""},
		"nothing at all":              {Statistics{}, nil, Failure, "no trial was judged"},
		"nothing judged": {Statistics{Inconclusive: 2}, nil, Failure, "no trial was judged\n2 trials " +
			"inconclusive"},
		"nothing selected": {Statistics{}, skipped(Unselected), Failure, "no trial was judged\n1 trial " +
			"not selected"},
		"none is for this kubelet": {Statistics{}, skipped(Unsupported, Unsupported), Partial, "no trial was " +
			"judged\n2 trials not supported by the kubelet"},
		"none but inconclusive ones": {Statistics{Inconclusive: 1}, skipped(Unsupported), Failure,
			"no trial was judged\n1 trial inconclusive"},
		"one fails": {Statistics{Passed: 9, Failed: 1}, nil, Failure, "1 trial deviates"},
		"one fails, one is open": {Statistics{Failed: 1, Inconclusive: 1}, nil, Failure, "1 trial deviates\n1 " +
			"trial inconclusive"},
		"one is open": {Statistics{Passed: 9, Inconclusive: 1}, nil, Partial, "1 trial inconclusive"},
		"some were not " +
			"asked for": {Statistics{Passed: 9}, skipped(Unselected, Unselected, Lane), Partial, "2 trials not " +
			"selected\n1 trial beyond what the lane can show"},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			c.statistics.Skipped = len(c.skipped)
			result, reasons := Profile{
				Name:          "area",
				Statistics:    c.statistics,
				SkippedTrials: c.skipped,
			}.Conclusion(
				NodeLane,
			)
			g.Expect(result).To(Equal(c.want))
			g.Expect(lines(reasons)).To(Equal(c.reasons))
		})
	}
}

// TestNothingIsASuccessWithoutANode has the virtual lane, which tests no node, and an unknown lane.
func TestNothingIsASuccessWithoutANode(t *testing.T) {
	for _, lane := range []string{VirtualLane, "", "fast"} {
		g := NewWithT(t)
		good := Profile{Name: "area", Statistics: Statistics{Passed: 3}}
		result, reasons := good.Conclusion(lane)
		g.Expect(result).To(Equal(Partial), lane)
		g.Expect(reasons).To(Equal([]string{"the virtual lane tests the kubelet's code and no node"}), lane)
		bad := Profile{Name: "area", Statistics: Statistics{Passed: 3, Failed: 1}}
		result, reasons = bad.Conclusion(lane)
		g.Expect(result).To(Equal(Failure), lane)
		g.Expect(reasons).To(HaveLen(2), lane)
	}
}

func TestConclusionOfAReport(t *testing.T) {
	for name, c := range map[string]struct {
		change  func(*TimingConformanceReport)
		want    Result
		reasons string
	}{
		"good": {func(*TimingConformanceReport) {}, Success, ""},
		"no profile": {func(r *TimingConformanceReport) { r.Profiles = nil }, Failure,
			"no trial was selected on this subject"},
		"an area " +
			"left out": {func(r *TimingConformanceReport) { r.SkippedProfiles = []string{"eviction", "probes"} },
			Partial, "not selected: eviction, probes"},
		"a problem": {func(r *TimingConformanceReport) { r.Problems = []string{"interrupted"} }, Partial,
			"problem: interrupted"},
		"a kubelet that " +
			"does not report its version": {func(r *TimingConformanceReport) { r.Subject.Kubelet = "" }, Partial, "the kubelet's " +
			"version is unknown"},
		"extrapolated": {func(r *TimingConformanceReport) { r.Oracle.Extrapolated = true }, Partial,
			"the formulas were read in Kubernetes v1.23.1 to v1.36.3, and this kubelet is outside"},
		"a virtual " +
			"kubelet": {func(r *TimingConformanceReport) { r.Subject.Lane = VirtualLane }, Partial, "termination: " +
			"the virtual lane tests the kubelet's code and no node"},
		"a partial profile": {func(r *TimingConformanceReport) {
			r.Profiles[0].Statistics.Skipped = 1
			r.Profiles[0].SkippedTrials = []SkippedTrial{{Trial: "termination/exec-in-the-network", Cause: Lane,
				Reason: "it needs a real node"}}
		}, Partial, "termination: 1 trial beyond what the lane can show"},
		"a bad profile": {func(r *TimingConformanceReport) {
			r.Profiles[0].Statistics.Failed = 2
			r.Problems = []string{"interrupted"}
		}, Failure, "termination: 2 trials deviate\nproblem: interrupted"},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			r := good()
			c.change(&r)
			r.Conclude()
			g.Expect(r.Result).To(Equal(c.want))
			g.Expect(lines(r.Reasons)).To(Equal(c.reasons))
		})
	}
}

// TestAnUnknownResultIsAFailure expects that a result that is none of the three is no success.
func TestAnUnknownResultIsAFailure(t *testing.T) {
	g := NewWithT(t)
	r := good()
	r.Profiles[0].Result = ""
	result, _ := r.Conclusion()
	g.Expect(result).To(Equal(Failure))
	result, _ = TimingConformanceReport{}.Conclusion()
	g.Expect(result).To(Equal(Failure))
}

// TestNothingIsASuccessByDefault draws counts. A success has something that passed on a node. It has nothing
// inconclusive or failed, and skips only what the kubelet does not support. Any other result has a reason.
func TestNothingIsASuccessByDefault(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		few := rapid.IntRange(0, 2)
		p := Profile{
			Name: "area",
			Statistics: Statistics{
				Passed:       few.Draw(t, "passed"),
				Failed:       few.Draw(t, "failed"),
				Inconclusive: few.Draw(t, "inconclusive"),
			},
		}
		for i := range few.Draw(t, "skipped") {
			cause := rapid.SampledFrom([]SkipCause{Unsupported, Lane, Unselected}).Draw(t, "cause")
			p.SkippedTrials = append(p.SkippedTrials, SkippedTrial{Trial: fmt.Sprintf("area/%d", i), Cause: cause})
		}
		p.Statistics.Skipped = len(p.SkippedTrials)
		lane := rapid.SampledFrom([]string{NodeLane, VirtualLane}).Draw(t, "lane")
		result, reasons := p.Conclusion(lane)
		s := p.Statistics
		whole := lane == NodeLane && s.Passed > 0 && s.Failed == 0 && s.Inconclusive == 0 &&
			s.Skipped == p.skipped(Unsupported)
		if (result == Success) != whole || (len(reasons) == 0) != whole ||
			(result == Failure) != (s.Failed > 0 || s.Passed == 0 && (s.Inconclusive > 0 || s.Skipped == 0 ||
				s.Skipped > p.skipped(Unsupported))) {
			t.Fatalf("%+v of %+v is a %s because of %q", s, p.SkippedTrials, result, reasons)
		}
	})
}
