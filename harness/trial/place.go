package trial

import (
	"cmp"
	"slices"
	"strings"

	"github.com/podclock/podclock/harness/formula"
	"github.com/podclock/podclock/harness/timeline"
)

// Begins is where on the recorder's clock a finding's window begins to count: where what it measures began.
// It is false for what is counted or read, and where the beginning never came.
func (f Finding) Begins() (at int64, known bool) {
	switch {
	case f.Implemented.Unit != formula.Nanoseconds:
		return 0, false
	case f.Measured != nil:
		return f.Measured.From, true
	}
	return f.Since, f.Since != 0
}

// Began is the beginning of a time that has no end yet, 0 where that never came either, or nothing is
// measured from one point to another.
func (m Measure) Began(tl *timeline.Timeline) int64 {
	if m.counted != "" {
		return 0
	}
	if from := m.From.In(tl); from != nil {
		return from.At
	}
	return 0
}

// podPoints are the points of no container.
var podPoints = []event{
	cued,
	cueDone,
	objectDeleted,
	deletionBegan,
	startTime,
	phase,
	condition,
	noCondition,
	eventSeen,
	nodeHas,
	nodeLacks,
}

// EndsIn names which of some containers a finding's time ends in, empty where it ends with the pod, its
// node, or something done to them. It reads the claim's name, so that findings of saved runs have an
// answer.
func (f Finding) EndsIn(containers []string) string {
	end := f.Claim
	if _, second, apart := strings.Cut(
		strings.TrimSuffix(end, "-apart"),
		"-and-",
	); apart &&
		strings.HasSuffix(end, "-apart") {
		end = second
	} else if i := strings.LastIndex(
		end,
		"-to-",
	); i >= 0 {
		end = end[i+len("-to-"):]
	}
	longestFirst := slices.SortedFunc(
		slices.Values(containers),
		func(a, b string) int { return cmp.Compare(len(b), len(a)) },
	)
	if i := slices.IndexFunc(longestFirst, func(name string) bool { return strings.HasPrefix(end, name+"-") }); i >= 0 {
		return longestFirst[i]
	}
	if slices.ContainsFunc(
		podPoints,
		func(e event) bool { return end == string(e) || strings.HasPrefix(end, string(e)+"-") },
	) {
		return ""
	}
	return Main
}
