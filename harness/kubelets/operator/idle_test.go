package operator

import (
	"testing"

	. "github.com/onsi/gomega"
)

// because returns the reasons of one operator's mutants of a function's body.
func because(t *testing.T, body string, o Operator) (reasons []string) {
	t.Helper()
	all, err := Mutants([]byte("package p\n\nfunc f(p *pod, l []item, m map[string]int) int {\n" + body + "\n}\n\n" +
		"func logs(a, b string) { klog.Info(a, b) }\n\nfunc half(a, b string) { klog.Info(a); send(b) }\n"))
	NewWithT(t).Expect(err).NotTo(HaveOccurred())
	for _, m := range all {
		if m.Within == "f" && m.Operator == o {
			reasons = append(reasons, m.Because)
		}
	}
	return reasons
}

const (
	counted = "it only decides what is logged or counted"
	gated   = "the feature gate is locked on"
)

func TestMutantsThatNoPodNoticesHaveAReason(t *testing.T) {
	for name, tt := range map[string]struct {
		body     string
		operator Operator
		want     []string
	}{
		"a log": {`if p.ready { klog.Info("ready") }`, Negated, []string{counted}},
		"a log after a call, which stays": {
			`if err := p.stop(); err != nil { logger.Error(err, "failed") }`, AlwaysTrue, []string{counted},
		},
		"a log of what may be nil": {`if p != nil { klog.Info(p.name) }`, Negated, []string{""}},
		"a log beside what may be nil": {
			`if p.ready && p.next != nil { klog.Info(p.next.name) }`, AlwaysTrue, []string{"", counted, ""},
		},
		"a log of what may not be found": {
			`if v, ok := m[p.name]; ok { klog.Info(v.name) }`, Negated, []string{""},
		},
		"a log of what is found": {`if v, ok := m[p.name]; ok { klog.Info(v) }`, Negated, []string{counted}},
		"a log of an element":    {`if len(l) > 0 { klog.Info(l[0]) }`, Moved, []string{""}},
		"a log and a return":     {`if p.ready { klog.Info("ready"); return 1 }`, Negated, []string{""}},
		"a log after an answer":  {`if p.stop() { klog.Info("stopped") }`, Negated, []string{""}},
		"a log or an action":     {`if p.ready { klog.Info("ready") } else { p.stop() }`, Negated, []string{""}},
		"a loop that only counts": {
			`for _, i := range l { if i.IsNew() { continue }; metrics.Old.Inc() }`, NoJump, []string{counted},
		},
		"a loop that acts": {`for _, i := range l { if i.IsNew() { continue }; i.stop() }`, NoJump, []string{""}},

		"the same return": {
			`if p.ready { if p.stop() { return 1 } }; return 1`, NoJump,
			[]string{"the same return follows"},
		},
		"another return":     {`if p.ready { if p.stop() { return 1 } }; return 2`, NoJump, []string{""}},
		"a return before":    {`if p.ready { return 1 }; p.stop(); return 1`, NoJump, []string{""}},
		"a return of a name": {`if n := p.stop(); n > 1 { return n }; return n`, NoJump, []string{""}},

		"a search": {
			`for _, i := range l { if i.name == p.name { found = true; break } }`, NoJump,
			[]string{"the loop can only assign the same again"},
		},
		"a search for the first": {
			`for _, i := range l { if i.name == p.name { found = i; break } }`, NoJump, []string{""},
		},
		"a search that counts": {`for _, i := range l { if i.name == p.name { n += 1; break } }`, NoJump, []string{""}},

		"a capacity": {`x := make([]int, 0, 2)`, Doubled, []string{"it only reserves memory"}},
		"a length":   {`x := make([]int, 2)`, Doubled, []string{""}},
		"a buffer":   {`x := make(chan int, 2)`, Doubled, []string{""}},
		"a size":     {`x := make(map[string]int, 2)`, Doubled, []string{"it only reserves memory"}},

		"a bound":             {`if n < 1 { n = 1 }`, Moved, []string{"both sides are equal then"}},
		"a bound of the side": {`if p.n > n { n = p.n }`, Moved, []string{"both sides are equal then"}},
		"another value":       {`if n < 1 { n = 2 }`, Moved, []string{""}},
		"a bound or more":     {`if n < 1 { n = 1 } else { p.stop() }`, Moved, []string{""}},

		"a nil map that is asked": {
			`if p.ready && m != nil { if v, ok := m["a"]; ok { p.n = v } }`, AlwaysTrue,
			[]string{"", "", "nothing is found in nil", ""},
		},
		"a nil list": {
			`if l != nil { for _, i := range l { i.stop() } }`, AlwaysTrue,
			[]string{"nothing is found in nil"},
		},
		"a nil list and an action": {
			`if l != nil { for _, i := range l { i.stop() }; p.stop() }`, AlwaysTrue,
			[]string{""},
		},
		"what a nil map lacks": {
			`if m != nil { if _, ok := m["a"]; !ok { p.stop() } }`, AlwaysTrue,
			[]string{"", ""},
		},

		"names that are logged": {`logs("a", "b")`, Swapped, []string{"the function only logs them"}},
		"a name that is not":    {`half("a", "b")`, Swapped, []string{""}},
		"names of another's":    {`p.logs("a", "b")`, Swapped, []string{""}},
		"a gate that is locked": {
			`if g.Enabled(features.NodeSwap) && p.ready { p.stop() }`, AlwaysTrue,
			[]string{"", gated, ""},
		},
		"a gate that is not": {
			`if g.Enabled(features.MemoryQoS) && p.ready { p.stop() }`, AlwaysTrue,
			[]string{"", "", ""},
		},
		"the lack of a locked one": {`if !g.Enabled(features.NodeSwap) { p.stop() }`, AlwaysFalse, []string{gated}},
		"a locked gate, negated":   {`if !g.Enabled(features.NodeSwap) { p.stop() }`, Negated, []string{""}},
	} {
		t.Run(name, func(t *testing.T) {
			NewWithT(t).Expect(because(t, tt.body, tt.operator)).To(Equal(tt.want))
		})
	}
}

func TestCodeThatOnlyLogsHasNoMutants(t *testing.T) {
	for _, body := range []string{
		`p.logger.V(1).Info("ready", "a", 1)`, `ProberDuration.Delete(p.labels)`,
		`p.podInitContainerTimeRecorder.Record(p.id, 1)`, `updateRunningPodAndContainerMetrics(l)`,
		`x := options{UpdateType: kubetypes.SyncPodSync}`,
	} {
		for _, o := range []Operator{NoCall, Increased, Swapped, NoField} {
			NewWithT(t).Expect(because(t, body, o)).To(BeEmpty(), body)
		}
	}
	NewWithT(t).Expect(because(t, `p.logs.remove(1)`, NoCall)).To(HaveLen(1))
	NewWithT(t).Expect(because(t, `x := options{UpdateType: kubetypes.SyncPodKill}`, NoField)).To(HaveLen(1))
}
