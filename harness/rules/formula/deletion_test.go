package formula

import (
	"testing"
	"time"

	"github.com/onsi/gomega"
	"pgregory.net/rapid"
)

// deletionFormulas and deletionMistakes belong to the files that this file tests.
var deletionMistakes = []Mistake{
	ShorteningObeyed, TolerationIgnored, WaitsWithoutMinimum, TaintBeginsAgain(3), SecondBudgetIgnored,
}

// The first taint is tolerated for ten seconds. The second comes two seconds later, tolerated as long as the row says.
// Writes and the controller take up to three seconds.
func TestSecondTaint(t *testing.T) {
	for tolerated, want := range map[int64]struct{ computes, documented int64 }{
		20: {10, 10}, 8: {10, 10}, 3: {10, 5}, 0: {2, 2},
	} {
		in := deleted(30, nil, nil)
		in.Kill.TolerationSeconds = ptr(10)
		g, f, slack := gomega.NewWithT(t), SecondTaint(tolerated), int64(3*time.Second)
		w, d := f.Implemented(in), f.Documented(in)
		second := int64(time.Second)
		g.Expect([]int64{w.Earliest, w.Latest}).
			To(gomega.Equal([]int64{want.computes * second, want.computes*second + slack}), "%d s", tolerated)
		g.Expect([]int64{d.Earliest, d.Latest}).
			To(gomega.Equal([]int64{want.documented * second, want.documented*second + slack}), "%d s", tolerated)
	}
}

// requests returns deletes at numbers of seconds after the first, each with its option.
func requests(options ...*int64) []Delete {
	var all []Delete
	for i, o := range options {
		all = append(all, Delete{GracePeriodSeconds: o, At: time.Hour + time.Duration(i)*2*time.Second})
	}
	return all
}

// deleted returns a pod with a grace period, deleted by requests two seconds apart.
func deleted(spec int64, options ...*int64) Input {
	return Input{
		Kubelet: newest,
		Life:    1,
		Kill:    Kill{Cause: ByDelete, TerminationGracePeriodSeconds: spec, GracePeriodSeconds: options[0]},
		Deletes: requests(options...),
	}
}

// The rows are those of CheckGracefulDelete and of BeforeDelete. The documentation states no number for silent ones.
func TestDeletionFields(t *testing.T) {
	ended := deleted(30, nil)
	ended.Kill.Ended = true
	endedWithOption := deleted(30, ptr(20))
	endedWithOption.Kill.Ended = true
	endedNegative := deleted(-5, nil)
	endedNegative.Kill.Ended = true
	for name, c := range map[string]struct {
		in     Input
		grace  int64
		shift  int64
		silent bool
	}{
		"spec":                           {deleted(7, nil), 7, 0, false},
		"option":                         {deleted(30, ptr(3)), 3, 0, false},
		"negative option":                {deleted(30, ptr(-5)), 1, 0, true},
		"negative spec":                  {deleted(-5, nil), 1, 0, true},
		"zero option":                    {deleted(30, ptr(0)), 0, 0, false},
		"zero spec":                      {deleted(0, nil), 0, 0, false},
		"unscheduled or ended":           {ended, 0, 0, true},
		"unscheduled or ended, option":   {endedWithOption, 0, 0, true},
		"unscheduled or ended, negative": {endedNegative, 0, 0, true},
		"second shorter":                 {deleted(60, nil, ptr(5)), 5, -55, false},
		"second longer":                  {deleted(20, nil, ptr(40)), 20, 0, false},
		"second equal":                   {deleted(20, nil, ptr(20)), 20, 0, false},
		"second without an option":       {deleted(20, ptr(10), nil), 10, 0, false},
		"third shorter still":            {deleted(60, nil, ptr(30), ptr(10)), 10, -50, false},
		"third longer than the second":   {deleted(60, nil, ptr(10), ptr(30)), 10, -50, false},
	} {
		t.Run(name, func(t *testing.T) {
			g := gomega.NewWithT(t)
			w := DeletionGrace.Implemented(c.in)
			g.Expect([]int64{w.Earliest, w.Latest}).To(gomega.Equal([]int64{c.grace, c.grace}))
			g.Expect(w.Unit).To(gomega.Equal(Seconds))
			s := DeletionShift.Implemented(c.in)
			g.Expect([]int64{s.Earliest, s.Latest}).To(gomega.Equal([]int64{c.shift, c.shift}))
			g.Expect(DeletionGrace.Documented(c.in) == nil).To(gomega.Equal(c.silent))
		})
	}
}

// A request whose time is over makes deletionTimestamp now: four seconds after a delete of twelve, that is eight
// seconds earlier. Cut seconds and the API server's time allow two seconds either way.
func TestDeletionInThePast(t *testing.T) {
	g := gomega.NewWithT(t)
	in := deleted(12, nil, ptr(40), ptr(2))
	g.Expect(in.deletion().grace).
		To(gomega.Equal(int64(1)), "two seconds were asked for four seconds after the first request")
	w := DeletionShift.Implemented(in)
	g.Expect([]int64{w.Earliest, w.Latest}).To(gomega.Equal([]int64{-9, -6}))
	g.Expect(DeletionShift.Documented(in)).To(gomega.BeNil())
	zero := deleted(12, nil, ptr(0))
	g.Expect(zero.deletion().grace).To(gomega.BeZero(), "a force delete keeps its grace period of zero")
}

// A shorter second request may already be over within its last second, because the first is cut to whole seconds. The
// API server's own time leaves a second of doubt on either side.
func TestDeletionNearlyInThePast(t *testing.T) {
	ms := time.Millisecond
	for name, c := range map[string]struct {
		began, after time.Duration
		want         [2]int64
	}{
		"well before":                       {400 * ms, 2500 * ms, [2]int64{5, 5}},
		"over, for the second that was cut": {900 * ms, 4950 * ms, [2]int64{1, 5}},
		"just not over, for all we know":    {100 * ms, 3950 * ms, [2]int64{1, 5}},
		"over, for all we know":             {100 * ms, 6200 * ms, [2]int64{1, 1}},
		"long over":                         {400 * ms, 7000 * ms, [2]int64{1, 1}},
	} {
		in := deleted(20, nil, ptr(5))
		in.Deletes[0].At = time.Hour + c.began
		in.Deletes[1].At = in.Deletes[0].At + c.after
		w := DeletionGrace.Implemented(in)
		g := gomega.NewWithT(t)
		g.Expect([2]int64{w.Earliest, w.Latest}).To(gomega.Equal(c.want), name)
		g.Expect(DeletionGrace.Documented(in) == nil).To(gomega.Equal(c.want[0] == 1), name)
		s := DeletionShift.Implemented(in)
		g.Expect(s.Earliest <= -15 && s.Latest >= -15 || c.want[1] == 1).To(gomega.BeTrue(), name)
	}
}

// Up to 1.32 the API server moved deletionTimestamp into the past. Only a virtual node has an old API server.
func TestDeletionIntoThePast(t *testing.T) {
	for name, c := range map[string]struct {
		kubelet      Kubelet
		grace, shift int64
	}{
		"an old one of its own": {Kubelet{Version: "v1.32.13", OwnServer: true}, 5, -15},
		"a new one of its own":  {Kubelet{Version: "v1.33.0", OwnServer: true}, 1, -13},
		"the newest":            {Kubelet{Version: "v1.32.13"}, 1, -13},
	} {
		in := deleted(20, nil, ptr(5))
		in.Kubelet = c.kubelet
		in.Deletes[1].At += 5 * time.Second // seven seconds after the first
		g := gomega.NewWithT(t)
		grace, shift := DeletionGrace.Implemented(in), DeletionShift.Implemented(in)
		g.Expect([]int64{grace.Earliest, grace.Latest}).To(gomega.HaveEach(c.grace), name)
		g.Expect(shift.Contains(c.shift)).To(gomega.BeTrue(), "%s: %v", name, shift)
		g.Expect(shift.Contains(-13) && shift.Contains(-15)).To(gomega.BeFalse(), "%s: %v", name, shift)
	}
}

func TestDeletionsOnlyShorten(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		option := func(what string) *int64 {
			if !rapid.Bool().Draw(t, "with "+what) {
				return nil
			}
			return ptr(rapid.Int64Range(-5, 100).Draw(t, what))
		}
		in := deleted(rapid.Int64Range(-5, 100).Draw(t, "spec"), option("first"), option("second"), option("third"))
		all := in.Deletes
		last := int64(1 << 40)
		for i := range all {
			in.Deletes = all[:i+1]
			most := int64(0)
			for _, d := range in.deletions() {
				if d.grace < 0 || d.grace > last || d.shift.Low > d.shift.High {
					t.Fatalf("request %d: %+v after %d s", i+1, d, last)
				}
				most = max(most, d.grace)
			}
			last = most
		}
	})
}

// The process has the whole first grace period, against the documentation. The known mistake obeys the second delete.
func TestShortenedRemainder(t *testing.T) {
	for name, in := range map[string]Input{
		"5 s after 2 s of 20":    deleted(20, nil, ptr(5)),
		"0 s after 2 s of 9":     deleted(9, nil, ptr(0)),
		"too late after 4 of 12": deleted(12, nil, nil, ptr(2)),
	} {
		t.Run(name, func(t *testing.T) {
			g := gomega.NewWithT(t)
			whole := time.Duration(in.Kill.TerminationGracePeriodSeconds) * time.Second
			near(g, name, ShortenedRemainder.Implemented(in), whole, 100*time.Millisecond, time.Second)
			g.Expect(ShortenedRemainder.Documented(in).Contains(int64(whole))).To(gomega.BeFalse())
			g.Expect(apart(ShortenedRemainder.Implemented(in), ShorteningObeyed.Would(in))).To(gomega.BeTrue())
		})
	}
	g := gomega.NewWithT(t)
	w := ShorteningObeyed.Would(deleted(20, nil, ptr(5)))
	g.Expect(w.Contains(int64(5 * time.Second))).To(gomega.BeTrue())
	late := ShorteningObeyed.Would(deleted(20, nil, nil, nil, ptr(5)))
	g.Expect(late.Contains(int64(6*time.Second))).
		To(gomega.BeTrue(), "six seconds after the first delete it can't be five: %v", late)
}

// The process outlives its object: by two seconds after a force delete, on old kubelets by its whole grace period,
// and after a second force delete by what the first delete gave.
func TestDeathAfterObject(t *testing.T) {
	forced := deleted(8, ptr(0))
	old := forced
	old.Kubelet = Kubelet{Version: "v1.23.1"}
	second := deleted(9, nil, ptr(0))
	for name, c := range map[string]struct {
		in   Input
		want time.Duration
	}{
		"force": {forced, 2 * time.Second}, "force, 1.23.1": {old, 8 * time.Second},
		"second": {second, 7 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			g := gomega.NewWithT(t)
			near(g, name, DeathAfterObject.Implemented(c.in), c.want, watchLatency, 4*time.Second)
			g.Expect(DeathAfterObject.Implemented(c.in).Contains(0)).To(gomega.BeFalse(), "it is not the object's end")
		})
	}
}

func TestTaintDeletion(t *testing.T) {
	g := gomega.NewWithT(t)
	untolerated, five := Input{Kubelet: newest}, Input{Kubelet: newest, Kill: Kill{TolerationSeconds: ptr(5)}}
	near(g, "untolerated", TaintDeletion.Implemented(untolerated), 0, 0, 3*time.Second)
	near(g, "A-5", TaintDeletion.Implemented(five), 5*time.Second, 0, 3*time.Second)
	negative := Input{Kubelet: newest, Kill: Kill{TolerationSeconds: ptr(-5)}}
	near(g, "negative", TaintDeletion.Implemented(negative), 0, 0, 3*time.Second)
	g.Expect(apart(TaintDeletion.Implemented(five), TolerationIgnored.Of(TaintDeletion, five))).To(gomega.BeTrue())
}

func TestEvictionRefused(t *testing.T) {
	w := EvictionRefused.Implemented(Input{})
	gomega.NewWithT(t).Expect([]int64{w.Earliest, w.Latest}).To(gomega.Equal([]int64{429, 429}))
}
