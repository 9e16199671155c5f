package formula

import "slices"

// NoIssueKnown is the text for a difference without a known report.
const NoIssueKnown = "no issue known"

func issues(references string) func(Input) string {
	return func(Input) string { return references }
}

// IssuesOf returns where the difference that an input shows is discussed, or "".
func (f Formula) IssuesOf(in Input) string {
	switch {
	case f.Issues != nil:
		return f.Issues(in)
	case f.Documented != nil:
		return NoIssueKnown
	}
	return ""
}

// graceIssues returns the issues about the time that a killed container has left.
func (in Input) graceIssues() string {
	_, overridden := in.override()
	switch {
	case !in.Kubelet.Has(ZeroGraceIsOne) && in.asksForNone() && in.Kill.TerminationGracePeriodSeconds > 1:
		return "kubernetes#115819"
	case !in.Kubelet.Has(HookSubtractedLast) && overridden && in.RunsHook():
		return "kubernetes#115817, kubernetes#92432"
	}
	return NoIssueKnown
}

// asksForNone reports whether the kill asks for a grace period of 0.
func (in Input) asksForNone() bool {
	k := in.Kill
	switch k.Cause {
	case ByDelete:
		return k.deletionGracePeriodSeconds() == 0
	case ByHardEviction, ByStorageLimit:
		return true
	case BySoftEviction:
		return in.softEviction() == 0
	}
	return false
}

func (in Input) evictionGraceIssues() string {
	if in.Kill.Cause == BySoftEviction {
		switch maximum := in.Kubelet.EvictionMaxPodGracePeriod; {
		case maximum < 0:
			return "kubernetes#118172"
		case maximum > in.Kill.TerminationGracePeriodSeconds && !in.Kubelet.Has(SoftEvictionMinimum):
			return "kubernetes#64530"
		}
	}
	return in.graceIssues()
}

// EveryIssue returns all issues of a formula, over kubelets and kills that differ.
func (f Formula) EveryIssue() []string {
	var all []string
	add := func(in Input) {
		if discussed := f.IssuesOf(in); discussed != "" && !slices.Contains(all, discussed) {
			all = append(all, discussed)
		}
	}
	for _, version := range []string{OldestKnown, "v1.35.0", NewestKnown} {
		for _, cause := range []Cause{ByDelete, ByLiveness, ByHardEviction, BySoftEviction} {
			for _, maximum := range []int64{-1, 5, 20} {
				for other := range 2 {
					in := Input{
						Kubelet:         Kubelet{Version: version, EvictionMaxPodGracePeriod: maximum},
						CarriedFailures: other,
						Sidecar:         other == 1,
					}
					in.Kill = Kill{Cause: cause, TerminationGracePeriodSeconds: 10 * int64(other), Hook: ExecHook}
					in.Probe.Handler = []string{"exec", "http"}[other]
					add(in)
				}
			}
		}
	}
	return all
}
