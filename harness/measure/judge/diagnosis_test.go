package judge

import (
	"strings"
	"testing"
	"time"

	"github.com/onsi/gomega"

	"github.com/podclock/podclock/harness/measure/delay"
	"github.com/podclock/podclock/harness/measure/timeline"
	"github.com/podclock/podclock/harness/measure/trial"
	"github.com/podclock/podclock/harness/rules/formula"
)

func TestDiagnosis(t *testing.T) {
	wide, narrow := mistake("wide", 8*time.Second, 12*time.Second), mistake("narrow", 9*time.Second, 10*time.Second)
	elsewhere := mistake("elsewhere", 20*time.Second, 20*time.Second)
	for name, c := range map[string]struct {
		after    time.Duration
		mistakes []formula.Mistake
		want     string
	}{
		"the narrowest of two":     {9500 * time.Millisecond, []formula.Mistake{wide, narrow, elsewhere}, "narrow"},
		"in any order":             {9500 * time.Millisecond, []formula.Mistake{elsewhere, narrow, wide}, "narrow"},
		"the only one that fits":   {11 * time.Second, []formula.Mistake{narrow, wide}, "wide"},
		"none fits":                {15 * time.Second, []formula.Mistake{narrow, wide, elsewhere}, ""},
		"no known mistakes":        {9500 * time.Millisecond, nil, ""},
		"none without a deviation": {5800 * time.Millisecond, []formula.Mistake{mistake("any", 0, time.Hour)}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			f := judgeOne(dying(narrowPromise, c.mistakes...), lifeOf(c.after), delay.Record{})
			got := ""
			if f.Diagnosis != nil {
				got = f.Diagnosis.Name
				gomega.NewWithT(t).Expect(f.Diagnosis.Would.Contains(int64(c.after))).To(gomega.BeTrue())
			}
			gomega.NewWithT(t).Expect(got).To(gomega.Equal(c.want))
		})
	}
}

// The observer's error widens the windows of known mistakes as well.
func TestObserverErrorWidensMistakes(t *testing.T) {
	tl := lifeOf(10*time.Second + 2*time.Millisecond)
	tl.Life(trial.Main, 1).Gone.Early = int64(2 * time.Millisecond)
	f := judgeOne(dying(narrowPromise, mistake("ten", 9*time.Second, 10*time.Second)), tl, delay.Record{})
	gomega.NewWithT(t).Expect(f.Verdict).To(gomega.Equal(trial.Deviates))
	gomega.NewWithT(t).Expect(f.Diagnosis).NotTo(gomega.BeNil())
}

// A value that never came is diagnosed only by a known mistake that never has one.
func TestDiagnosisOfAbsence(t *testing.T) {
	g := gomega.NewWithT(t)
	never := formula.Mistake{Name: "it never does", Reference: "an issue", Never: true}
	late := formula.Mistake{Name: "it is late", Reference: "another", Would: func(formula.Input) formula.Window {
		return formula.Window{Unit: formula.Nanoseconds}.With(formula.Term{Name: "late", Latest: int64(time.Hour)})
	}}
	tr := dying(predicts(0, 5*time.Second, 0, 0), late, never)
	tl := lifeOf(0)
	tl.Life(trial.Main, 1).Gone = nil
	f := judgeOne(tr, tl, delay.Record{})
	g.Expect(f.Verdict).To(gomega.Equal(trial.Deviates), f.Why)
	g.Expect(f.Diagnosis).To(gomega.Equal(&trial.Diagnosis{Name: never.Name, Reference: never.Reference, Never: true}))

	g.Expect(judgeOne(tr, lifeOf(8*time.Second), delay.Record{}).Diagnosis.Name).To(gomega.Equal(late.Name))
	tl.Doubts = []timeline.Doubt{{Why: "a doubt"}}
	g.Expect(judgeOne(tr, tl, delay.Record{})).
		To(gomega.And(gomega.HaveField("Verdict", trial.Inconclusive), gomega.HaveField("Diagnosis", gomega.BeNil())))
}

// A value that left the implemented window for the documented one is diagnosed, if no known mistake explains it and the
// windows differ.
func TestDivergenceGone(t *testing.T) {
	const s = time.Second
	slower := formula.Mistake{Name: "slower", Reference: "a change", Would: predicts(9*s, 11*s, 0, 0).Implemented}
	const gone = "the code does as documented: the known divergence is gone"
	for name, c := range map[string]struct {
		formula  formula.Formula
		mistakes []formula.Mistake
		after    time.Duration
		want     string
	}{
		"as documented":                    {predicts(5*s, 6*s, 10*s, 11*s), nil, 10 * s, gone},
		"as documented, windows overlap":   {predicts(5*s, 6*s, 6*s, 11*s), nil, 10 * s, gone},
		"as neither":                       {predicts(5*s, 6*s, 10*s, 11*s), nil, 8 * s, ""},
		"the code keeps the documentation": {predicts(5*s, 6*s, 5*s, 11*s), nil, 10 * s, ""},
		"nothing documented":               {predicts(5*s, 6*s, 0, 0), nil, 10 * s, ""},
		"a known mistake comes before the documentation": {
			predicts(5*s, 6*s, 10*s, 11*s), []formula.Mistake{slower}, 10 * s, "slower",
		},
		"a known mistake of something else": {
			predicts(5*s, 6*s, 12*s, 13*s), []formula.Mistake{slower}, 12 * s, gone,
		},
		"as the code computes": {predicts(5*s, 6*s, 10*s, 11*s), nil, 5 * s, ""},
	} {
		t.Run(name, func(t *testing.T) {
			g := gomega.NewWithT(t)
			f := judgeOne(dying(c.formula, c.mistakes...), lifeOf(c.after), delay.Record{})
			if c.want == "" {
				g.Expect(f.Diagnosis).To(gomega.BeNil())
				return
			}
			g.Expect(f.Diagnosis).NotTo(gomega.BeNil())
			g.Expect(f.Diagnosis.Name).To(gomega.Equal(c.want))
			g.Expect(f.Diagnosis.Reference).To(gomega.Or(gomega.Equal("a page"), gomega.Equal("a change")))
		})
	}
}

// says is a finding with what known mistakes say of it: "+" fits, "-" is excluded, anything else neither. A known
// mistake in capitals is the rule of another release.
func says(v trial.Verdict, mistakes ...string) trial.Finding {
	f := trial.Finding{Verdict: v}
	for _, r := range mistakes {
		one := trial.Mistake{Diagnosis: trial.Diagnosis{Name: r[1:]}, Fits: r[0] == '+', Excluded: r[0] == '-'}
		if one.Name == strings.ToUpper(one.Name) {
			one.Kind = trial.OtherRelease
		}
		f.Mistakes = append(f.Mistakes, one)
	}
	return f
}

// A known mistake is the diagnosis of the trials that it explains as a whole. One good claim of any trial excludes it.
func TestDiagnose(t *testing.T) {
	bad := func(mistakes ...string) trial.Finding { return says(trial.Deviates, mistakes...) }
	good := func(mistakes ...string) trial.Finding { return says(trial.Conforms, mistakes...) }
	report := trial.Finding{Verdict: trial.Deviates, Follows: true}
	type of []trial.Finding
	for name, c := range map[string]struct {
		trials []of
		want   []string // of each trial
	}{
		"all claims of a trial":           {[]of{{bad("+a", "+b"), bad("+b")}}, []string{"b"}},
		"a claim that it does not fit":    {[]of{{bad("+a"), bad("-a")}}, []string{""}},
		"a claim that it says nothing of": {[]of{{bad("+a"), bad()}}, []string{""}},
		"not the trial of another":        {[]of{{bad("+a")}, {bad("+b")}}, []string{"a", "b"}},
		"not every trial":                 {[]of{{bad("+a")}, {bad("+a")}, {bad("-a")}}, []string{"a", "a", ""}},
		"another release, everywhere":     {[]of{{bad("+A")}, {bad("+A")}, {bad("-A")}}, []string{"", "", ""}},
		"by chance":                       {[]of{{bad("+a")}, {bad("-a")}}, []string{"", ""}},
		"the one of most trials":          {[]of{{bad("+a", "+b")}, {bad("-a", "+b")}}, []string{"b", "b"}},
		"a good claim of the trial":       {[]of{{bad("+a"), good("-a")}}, []string{""}},
		"a good claim elsewhere":          {[]of{{bad("+a", "+b")}, {good("-a")}}, []string{"b", ""}},
		"a good claim that fits":          {[]of{{bad("+a"), good("+a")}, {good("?a")}}, []string{"a", ""}},
		"a report that contradicts":       {[]of{{bad("+a"), report}}, []string{"a"}},
		"a report, and one that fits not": {[]of{{bad("+a"), bad("-a"), report}}, []string{""}},
		"only a report elsewhere":         {[]of{{bad("+a")}, {report}}, []string{"a", ""}},
		"an excused claim":                {[]of{{bad("+a"), says(trial.Inconclusive, "-a")}}, []string{"a"}},
	} {
		t.Run(name, func(t *testing.T) {
			var trials [][]trial.Result
			for _, findings := range c.trials {
				trials = append(trials, []trial.Result{{}, {Findings: findings}})
			}
			Diagnose(trials)
			for i, attempts := range trials {
				for _, f := range attempts[1].Findings {
					got := ""
					if f.Diagnosis != nil {
						got = f.Diagnosis.Name
					}
					want := c.want[i]
					if f.Verdict != trial.Deviates {
						want = ""
					}
					gomega.NewWithT(t).Expect(got).To(gomega.Equal(want))
				}
			}
		})
	}
}

// Another release explains a trial if every value fits a kubelet that answers one change differently.
func TestDiagnosisOfANeighbour(t *testing.T) {
	asks := func(c formula.Change, with, without time.Duration) formula.Formula {
		f := predicts(0, 0, 0, 0)
		f.Implemented = func(in formula.Input) formula.Window {
			at := without
			if in.Kubelet.Has(c) {
				at = with
			}
			return predicts(at, at, 0, 0).Implemented(in)
		}
		return f
	}
	holds, forced := formula.StartupHolds, formula.ZeroGraceIsOne
	const five, six, seven = 5 * time.Second, 6 * time.Second, 7 * time.Second
	for name, c := range map[string]struct {
		formulas []formula.Formula
		mistakes []formula.Mistake
		version  string
		want     string
	}{
		"an older release": {
			[]formula.Formula{asks(holds, six, five)}, nil, "v1.36.3",
			"the kubelet lacks this change of v1.32.0: " + holds.Name,
		},
		"a newer release": {
			[]formula.Formula{asks(holds, five, six)}, nil, "v1.31.14",
			"the kubelet has this change of v1.32.0: " + holds.Name,
		},
		"not with a value that still deviates": {
			[]formula.Formula{asks(holds, six, five), asks(forced, six, seven)}, nil, "v1.36.3", "",
		},
		"not with a value that would deviate": {
			[]formula.Formula{asks(holds, six, five), asks(holds, five, six)}, nil, "v1.36.3", "",
		},
		"not with two changes": {
			[]formula.Formula{asks(holds, six, five), asks(forced, six, five)}, nil, "v1.36.3", "",
		},
		"not before a known mistake": {
			[]formula.Formula{asks(holds, six, five)}, []formula.Mistake{mistake("a known mistake", five,
				five)}, "v1.36.3",
			"a known mistake",
		},
	} {
		t.Run(name, func(t *testing.T) {
			var claims []trial.Claim
			for _, f := range c.formulas {
				claims = append(claims, dying(f, c.mistakes...).Claims...)
			}
			r := Judge(claiming(claims...), lifeOf(five), delay.Record{}, formula.Kubelet{Version: c.version})
			g, got := gomega.NewWithT(t), ""
			g.Expect(r.Verdict).To(gomega.Equal(trial.Deviates))
			if d := r.Findings[0].Diagnosis; d != nil {
				got = d.Name
				g.Expect(d.Would.Contains(int64(five))).To(gomega.BeTrue())
			}
			g.Expect(got).To(gomega.Equal(c.want))
		})
	}
}

// An excused miss keeps the known mistakes beyond its window, for the judgement of all misses together. A miss that
// another branch explains keeps none, because a branch can lie where a known mistake lies.
func TestMistakesOfExcusedMisses(t *testing.T) {
	g := gomega.NewWithT(t)
	mistakes := []formula.Mistake{
		mistake("above", 9*time.Second, 10*time.Second), mistake("below", 3*time.Second, 4*time.Second),
		mistake("overlapping", 5*time.Second, 10*time.Second),
	}
	names := func(f trial.Finding) (names []string) {
		for _, r := range f.Mistakes {
			if r.Beyond {
				names = append(names, r.Name)
			}
		}
		return names
	}
	late := lifeOf(9500 * time.Millisecond)
	excused := judgeOne(dying(narrowPromise, mistakes...), late, busyFor(time.Minute))
	g.Expect(excused.Verdict).To(gomega.Equal(trial.Inconclusive))
	g.Expect(names(excused)).To(gomega.Equal([]string{"above"}))
	g.Expect(names(judgeOne(dying(narrowPromise, mistakes...), late, delay.Record{}))).
		To(gomega.BeEmpty(), "a deviation needs no other miss")

	branching := narrowPromise
	branching.Implemented = func(in formula.Input) formula.Window {
		if in.Delay > 0 {
			return formula.Window{Unit: formula.Nanoseconds}.With(formula.Term{Name: "a", Latest: int64(time.Minute)})
		}
		return narrowPromise.Implemented(in)
	}
	branch := judgeOne(dying(branching, mistakes...), late, lateTick(10*time.Second, 600*time.Millisecond))
	g.Expect(branch.Rule).To(gomega.Equal("delayed input"), branch.Why)
	g.Expect(names(branch)).To(gomega.BeEmpty())
}

// A kubelet whose default is not its release's is judged by the release's, and its own default explains the value.
func TestDiagnosisOfOwnDefaults(t *testing.T) {
	syncs := formula.Formula{ID: "test/syncs", Implemented: func(in formula.Input) formula.Window {
		return fixed(in.Kubelet.SyncFrequency, in.Kubelet.SyncFrequency)
	}}
	k := newest
	k.Set, k.SyncFrequency = []string{}, 10*time.Second
	r := Judge(dying(syncs), lifeOf(10*time.Second), delay.Record{}, k)
	g := gomega.NewWithT(t)
	g.Expect(r.Verdict).To(gomega.Equal(trial.Deviates))
	g.Expect(r.Findings[0].Diagnosis).NotTo(gomega.BeNil())
	g.Expect(r.Findings[0].Diagnosis.Name).To(gomega.Equal(OwnDefaults))
}
