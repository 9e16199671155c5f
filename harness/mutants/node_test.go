package mutants

import (
	"context"
	"errors"
	"io"
	"testing"
	"time"

	. "github.com/onsi/gomega"

	"github.com/podclock/podclock/harness/kubelets"
	"github.com/podclock/podclock/harness/kubelets/builder"
	"github.com/podclock/podclock/harness/kubelets/mutation"
	"github.com/podclock/podclock/harness/measure/run"
	"github.com/podclock/podclock/harness/measure/trial"
	"github.com/podclock/podclock/harness/mutants/mutationtest"
	"github.com/podclock/podclock/harness/rules/formula"
	"github.com/podclock/podclock/harness/session"
)

// lessons is a node lane whose waves are fakes. Every trial deviates on the subjects of deviates, is
// inconclusive on those of silent, and conforms on all others.
type lessons struct {
	deviates, silent map[string]bool
	unbuildable      map[string]bool
	lost             map[string]error
	trouble          func(wave int) error
	ran              []task
	kept             []mutationtest.LaneReport
	discarded        []string
}

func (l *lessons) newLane(mutations []mutation.Mutation, trials ...trial.Trial) *nodeLane {
	return &nodeLane{
		options: Options{Version: "v1.37.2", Mutations: mutations, Trials: trials, Program: Program{Log: io.Discard}},
		keep:    func(p mutationtest.LaneReport) { l.kept = append(l.kept, p) },
		build: func(_ context.Context, s kubelets.Subject) (builder.Binary, error) {
			if l.unbuildable[s.Mutation] {
				return builder.Binary{}, errors.New("it does not compile")
			}
			return builder.Binary{Path: s.Mutation}, nil
		},
		run:     l.run,
		discard: func(b builder.Binary) error { l.discarded = append(l.discarded, b.Path); return nil },
	}
}

func (l *lessons) run(_ context.Context, t task) result {
	l.ran = append(l.ran, t)
	r := result{lost: l.lost}
	if l.trouble != nil {
		r.trouble = l.trouble(len(l.ran))
	}
	for _, s := range t.selected() {
		o := trial.Outcome{Trial: s.Trial.ID, Subject: s.Subject, Verdict: trial.Conforms}
		switch {
		case r.trouble != nil, l.silent[s.Subject], l.lost[s.Subject] != nil:
			o.Verdict = trial.Inconclusive
		case l.deviates[s.Subject]:
			o.Verdict = trial.Deviates
		}
		if o.Verdict != trial.Inconclusive {
			value := trial.Measured{Value: 7, Unit: formula.Count}
			o.Attempts = []trial.Attempt{{Result: trial.Result{Verdict: o.Verdict, Findings: []trial.Finding{
				{
					Claim:       "claim",
					Formula:     "a/formula",
					Verdict:     o.Verdict,
					Measured:    &value,
					Implemented: formula.Window{Unit: formula.Count, Earliest: 1, Latest: 1},
				},
			}}}}
		}
		r.outcomes = append(r.outcomes, o)
	}
	return r
}

// about is a trial that measures the formula of every mutation here.
func about(id string) trial.Trial {
	t := aTrial(id, 10*time.Second, "")
	t.Claims = []trial.Claim{{Formula: formula.Formula{ID: "a/formula"}}}
	return t
}

func named(names ...string) (all []mutation.Mutation) {
	for _, name := range names {
		all = append(all, mutation.Mutation{Name: name, Component: mutation.Kubelet, Formula: "a/formula"})
	}
	return all
}

func verdicts(p mutationtest.LaneReport) map[string]mutationtest.Status {
	all := map[string]mutationtest.Status{}
	for _, m := range p.Mutants {
		all[m.Name] = m.Verdict
	}
	return all
}

func TestTheNodeLaneDistinguishesMutantsFromTheirReference(t *testing.T) {
	g := NewWithT(t)
	l := &lessons{deviates: map[string]bool{"v1.37.2+wrong": true}, silent: map[string]bool{"v1.37.2+noisy": true}}
	p := l.newLane(named("wrong", "right", "noisy"), about("a/one"), about("a/two")).
		play(t.Context(), Killers{}, room{3, 99, 2})
	g.Expect(verdicts(p)).
		To(Equal(map[string]mutationtest.Status{"wrong": mutationtest.Killed, "right": mutationtest.Survived,
			"noisy": mutationtest.Undecided}))
	g.Expect(l.ran).
		To(HaveLen(3), "three mutants, two with room beside a reference, and the undecided one again")
	g.Expect(l.ran[2].subjects()).To(Equal([]string{"v1.37.2", "v1.37.2+noisy"}))
	g.Expect(l.ran[0].subjects()).To(Equal([]string{"v1.37.2", "v1.37.2+wrong", "v1.37.2+right"}))
	g.Expect(l.ran[0].workers).To(Equal(3))
	g.Expect(l.ran[0].built).To(Equal(map[string]builder.Binary{
		"v1.37.2+wrong": {Path: "wrong"}, "v1.37.2+right": {Path: "right"},
	}))
	g.Expect(l.discarded).To(ConsistOf("wrong", "right", "noisy", "noisy"))
	g.Expect(p.References).
		To(HaveExactElements(HaveField("Subject", "v1.37.2, wave 1 of 2"), HaveField("Subject", "v1.37.2, wave 2 of 2"),
			HaveField("Subject", "v1.37.2, wave 1 of 1 of those that could not be judged before")))
	g.Expect(p.References[0].Trials).To(Equal(2))
	g.Expect(p.Trials).To(Equal(2))
	g.Expect(p.Mutants[0].Kills).To(HaveLen(2))
	g.Expect(p.Problems).To(BeEmpty())
	g.Expect(l.kept).To(HaveLen(3), "what is found is saved wave by wave")
	g.Expect(l.kept[0].Mutants).To(HaveLen(3), "the report lists later mutants as well")
}

// Those that busy workers could not judge run again with half of them.
func TestTheUndecidedRunAgainOnFewerWorkers(t *testing.T) {
	g := NewWithT(t)
	l := &lessons{silent: map[string]bool{"v1.37.2+one": true, "v1.37.2+two": true, "v1.37.2+three": true}}
	l.newLane(named("one", "two", "three"), about("a/one")).play(t.Context(), Killers{}, room{6, 99, 8})
	g.Expect(l.ran).To(HaveLen(2))
	g.Expect([]int{l.ran[0].workers, l.ran[1].workers}).To(Equal([]int{4, 3}))
	g.Expect(l.ran[1].mutants).To(HaveLen(3))
}

// A kill does not count if the reference deviates.
func TestNoKillCountsIfAReferenceDeviates(t *testing.T) {
	g := NewWithT(t)
	l := &lessons{deviates: map[string]bool{"v1.37.2+wrong": true, "v1.37.2": true}}
	p := l.newLane(named("wrong"), about("a/one")).play(t.Context(), Killers{}, room{3, 99, 2})
	g.Expect(verdicts(p)).To(Equal(map[string]mutationtest.Status{"wrong": mutationtest.Undecided}))
	g.Expect(p.References[0].FalseAlarms).To(HaveLen(1))
}

// A busy node leaves only the checks of the whole run: they judge no mutant, so it did not survive.
func TestChecksOfARunAreNoTrials(t *testing.T) {
	g := NewWithT(t)
	aboutAll := func(v trial.Verdict) trial.Outcome {
		return trial.Outcome{
			Trial: run.ValuesCheck, Verdict: v, Attempts: []trial.Attempt{{Result: trial.Result{Verdict: v}}},
		}
	}
	r := &record{mutation: named("busy")[0], trials: []trial.Trial{about("a/one")}, outcomes: []trial.Outcome{
		aboutAll(trial.Conforms), {Trial: "a/one", Verdict: trial.Inconclusive},
	}}
	all := references{}
	all.add([]trial.Outcome{aboutAll(trial.Conforms), {Trial: "a/one", Verdict: trial.Inconclusive}})
	m := r.judge("v1.37.2", all)
	g.Expect(m.Verdict).To(Equal(mutationtest.Undecided))
	g.Expect(r.again(all)).To(HaveLen(1), "another wave may decide it")
}

// A mutant that cannot be built or started costs its wave nothing, and is no kill.
func TestABrokenMutantFailsAlone(t *testing.T) {
	g := NewWithT(t)
	l := &lessons{
		deviates: map[string]bool{"v1.37.2+wrong": true}, unbuildable: map[string]bool{"unbuilt": true},
		lost: map[string]error{"v1.37.2+dead": errors.New("its kubelet ended 5 times")},
	}
	p := l.newLane(named("unbuilt", "dead", "wrong"), about("a/one")).play(t.Context(), Killers{}, room{9, 99, 8})
	g.Expect(verdicts(p)).
		To(Equal(map[string]mutationtest.Status{"unbuilt": mutationtest.Failed, "dead": mutationtest.Failed,
			"wrong": mutationtest.Killed}))
	g.Expect(l.ran[0].subjects()).To(Equal([]string{"v1.37.2", "v1.37.2+dead", "v1.37.2+wrong"}))
	g.Expect(p.Mutants[0].Why).To(Equal("it does not compile"))
	g.Expect(p.Mutants[1].Why).To(Equal("its kubelet ended 5 times"))
}

func TestAWaveThatFailsLeavesTheNext(t *testing.T) {
	g := NewWithT(t)
	l := &lessons{deviates: map[string]bool{"v1.37.2+one": true, "v1.37.2+two": true}, trouble: func(wave int) error {
		if wave != 2 {
			return errors.New("the cluster did not boot")
		}
		return nil
	}}
	p := l.newLane(named("one", "two"), about("a/one")).play(t.Context(), Killers{}, room{2, 99, 1})
	g.Expect(verdicts(p)).To(Equal(map[string]mutationtest.Status{"one": mutationtest.Undecided,
		"two": mutationtest.Killed}))
	g.Expect(p.Mutants[0].Why).To(Equal("the cluster did not boot"))
	g.Expect(p.Notes).To(ContainElements("wave 1 of 2: the cluster did not boot",
		"wave 1 of 1 of those that could not be judged before: the cluster did not boot"))
	g.Expect(p.Problems).To(Equal([]string{"one was not judged: the cluster did not boot"}))
}

// Another wave makes up for one that failed.
func TestAWaveThatFailedOnceIsMadeUpFor(t *testing.T) {
	g := NewWithT(t)
	l := &lessons{deviates: map[string]bool{"v1.37.2+one": true}, trouble: func(wave int) error {
		if wave == 1 {
			return errors.New("the cluster did not boot")
		}
		return nil
	}}
	p := l.newLane(named("one", "two"), about("a/one")).play(t.Context(), Killers{}, room{9, 99, 8})
	g.Expect(verdicts(p)).To(Equal(map[string]mutationtest.Status{"one": mutationtest.Killed,
		"two": mutationtest.Survived}))
	g.Expect(p.Notes).To(ContainElement("wave 1 of 1: the cluster did not boot"))
	g.Expect(p.Problems).To(BeEmpty())
}

// A failed wave of a reference alone is a problem: what it was for is a control plane's only reference.
func TestAFailedReferenceIsAProblem(t *testing.T) {
	g := NewWithT(t)
	server := named("server")
	server[0].Component = mutation.APIServer
	l := &lessons{trouble: func(wave int) error { return map[int]error{1: errors.New("no boot")}[wave] }}
	p := l.newLane(server, about("a/one")).play(t.Context(), Killers{}, room{9, 99, 8})
	g.Expect(p.Problems).To(Equal([]string{"wave 1 of 2: no boot"}))
}

// Delay in one wave does not affect another wave, and affects a mutant and its reference alike. For a reference that
// could not be judged, those of other waves speak.
func TestAKillIsJudgedByTheReferenceBesideIt(t *testing.T) {
	g := NewWithT(t)
	l := &lessons{deviates: map[string]bool{"v1.37.2+one": true, "v1.37.2+two": true, "v1.37.2+three": true}}
	alarm, silent := 2, 3
	l.trouble = func(wave int) error {
		l.deviates["v1.37.2"] = wave == alarm
		l.silent = map[string]bool{"v1.37.2": wave == silent}
		return nil
	}
	p := l.newLane(named("one", "two", "three"), about("a/one")).play(t.Context(), Killers{}, room{2, 99, 1})
	g.Expect(verdicts(p)).
		To(Equal(map[string]mutationtest.Status{"one": mutationtest.Killed, "two": mutationtest.Undecided,
			"three": mutationtest.Undecided}))
	for _, m := range p.Mutants[1:] {
		g.Expect(m.Disputed).To(HaveExactElements(HaveField("Why", HavePrefix("the reference deviates as well"))))
	}
	g.Expect(l.ran).To(HaveLen(3))

	alarm, l.ran = 0, nil
	p = l.newLane(named("one", "two", "three"), about("a/one")).play(t.Context(), Killers{}, room{2, 99, 1})
	g.Expect(verdicts(p)).To(HaveKeyWithValue("three", mutationtest.Killed))
	g.Expect(l.ran).To(HaveLen(3))

	alarm, silent, l.ran = 0, 1, nil
	p = l.newLane(named("one"), about("a/one")).play(t.Context(), Killers{}, room{2, 99, 1})
	g.Expect(l.kept[len(l.kept)-2].Mutants[0].Why).To(ContainSubstring("the reference could not be judged"))
	g.Expect(verdicts(p)).To(HaveKeyWithValue("one", mutationtest.Killed))
	g.Expect(l.ran).To(HaveLen(2), "the one reference is asked again")
}

// Only mutants without a verdict are played in another wave.
func TestOnlyOpenTrialsAreMetAgain(t *testing.T) {
	g := NewWithT(t)
	r := record{trials: []trial.Trial{about("a/judged"), about("a/open"), about("a/new"), about("a/never-here")}}
	r.take(
		[]trial.Outcome{
			{Trial: "a/judged", Verdict: trial.Conforms},
			{Trial: "a/open", Verdict: trial.Inconclusive},
			{Trial: "a/never-here", Verdict: trial.Unsupported},
		},
		references{},
	)
	all := references{}
	all.add([]trial.Outcome{{Trial: "a/judged", Verdict: trial.Conforms, Attempts: make([]trial.Attempt, 1)}})
	g.Expect(ids(r.again(all))).To(Equal([]string{"a/open", "a/new"}))
	g.Expect(ids(r.again(references{}))).
		To(Equal([]string{"a/judged", "a/open", "a/new"}), "nothing is judged without a reference")

	r.take(
		[]trial.Outcome{{Trial: "a/judged", Verdict: trial.Inconclusive}, {Trial: "a/open", Verdict: trial.Deviates}},
		references{})
	g.Expect(r.outcomes[0].Verdict).To(Equal(trial.Conforms), "what was judged stays")
	g.Expect(r.outcomes[1].Verdict).To(Equal(trial.Deviates))
}

// A busy node may be quiet the next time. Verdicts stay.
func TestWhatCouldNotBeJudgedIsTriedOnceMore(t *testing.T) {
	g := NewWithT(t)
	l := &lessons{deviates: map[string]bool{"v1.37.2+one": true, "v1.37.2+two": true}}
	l.trouble = func(wave int) error {
		l.silent = map[string]bool{"v1.37.2": wave == 1, "v1.37.2+two": wave == 1}
		return nil
	}
	p := l.newLane(named("one", "two"), about("a/one")).play(t.Context(), Killers{}, room{9, 99, 8})
	g.Expect(verdicts(p)).To(Equal(map[string]mutationtest.Status{"one": mutationtest.Killed,
		"two": mutationtest.Killed}))
	g.Expect(l.kept[0].Mutants[0]).To(HaveField("Why", ContainSubstring("the reference could not be judged")))
	g.Expect(l.kept[0].Mutants[1]).
		To(HaveField("Why", "neither it nor its reference could be judged, by a/one for one: nothing says why"))
	g.Expect(l.ran).To(HaveLen(2))
}

func TestAnInterruptLeavesWhatWasFound(t *testing.T) {
	g := NewWithT(t)
	ctx, cancel := context.WithCancelCause(t.Context())
	l := &lessons{
		deviates: map[string]bool{"v1.37.2+one": true},
		trouble:  func(int) error { cancel(errors.New("interrupted by hand")); return nil },
	}
	p := l.newLane(named("one", "two", "three"), about("a/one")).play(ctx, Killers{}, room{2, 99, 1})
	g.Expect(verdicts(p)).
		To(Equal(map[string]mutationtest.Status{"one": mutationtest.Killed, "two": mutationtest.Undecided,
			"three": mutationtest.Undecided}))
	g.Expect(l.ran).To(HaveLen(1))
	g.Expect(p.Problems).To(Equal([]string{"interrupted after 1 of 3 waves: interrupted by hand"}))
	g.Expect(p.Mutants[1].Why).To(Equal(neverRan))
}

// A mutant without trials meets none, and its report has the reason.
func TestMutantsWithoutATrial(t *testing.T) {
	g := NewWithT(t)
	all := named("unmeasured", "whole")
	all[0].Formula = "nobody/measures"
	l := &lessons{}
	lane := l.newLane(all, about("a/one"), aTrial("a/two", time.Second, ""))
	p := lane.play(t.Context(), Killers{}, room{9, 99, 8})
	g.Expect(verdicts(p)).
		To(Equal(map[string]mutationtest.Status{"unmeasured": mutationtest.Undecided, "whole": mutationtest.Survived}))
	g.Expect(p.Mutants[0].Why).To(Equal("no trial measures nobody/measures"))
}

// Trials for virtual nodes only meet no mutant in the node lane.
func TestMutantsThatOnlyTheVirtualLaneMeasures(t *testing.T) {
	g := NewWithT(t)
	slow := about("a/slow")
	slow.ContainerStart = time.Minute
	l := &lessons{}
	lane := l.newLane(named("race"), slow, aTrial("a/two", time.Second, ""))
	p := lane.play(t.Context(), Killers{"race": {{Trial: "a/slow"}}}, room{9, 99, 8})
	g.Expect(p.Mutants).To(BeEmpty())
	g.Expect(p.LeftOut).To(HaveExactElements(
		mutationtest.LeftOut{Name: "race", Why: "only trials of the virtual lane measure what it breaks"}))
}

// A cluster's control plane is that of the newest version, whatever its kubelets are.
func TestAnOlderControlPlaneIsLeftOut(t *testing.T) {
	g := NewWithT(t)
	all := named("kubelet", "server")
	all[1].Component = mutation.APIServer
	l := &lessons{}
	lane := l.newLane(all, about("a/one"))
	lane.options.Version = "v1.35.4"
	p := lane.play(t.Context(), Killers{}, room{9, 99, 8})
	g.Expect(verdicts(p)).To(Equal(map[string]mutationtest.Status{"kubelet": mutationtest.Survived}))
	g.Expect(p.LeftOut).
		To(HaveExactElements(HaveField("Why",
			HavePrefix("it changes the kube-apiserver, and a cluster has that of v1.37"))))

	lane.options.Version = formula.Versions()[0]
	l.ran = nil
	p = lane.play(t.Context(), Killers{}, room{9, 99, 8})
	g.Expect(p.LeftOut).To(BeEmpty())
	g.Expect(l.ran).To(HaveLen(2))
	g.Expect(l.ran[1].subjects()).To(Equal([]string{"v1.37.2+server"}), "nothing is beside it")
	g.Expect(l.ran[1].built).To(HaveKey("v1.37.2+server"))
	g.Expect([]int{l.ran[1].pool, l.ran[1].workers}).To(Equal([]int{1, 1}))
}

func TestAWavesSessionHasTheUsersCluster(t *testing.T) {
	g := NewWithT(t)
	o := Options{Out: "/out", Cluster: session.Config{
		KindBase: []byte("base"), NodeImage: "build", Keep: true, Subjects: "v1.23.1", Profile: "quick",
	}}
	w := task{wave: wave{pool: 1}, reference: "v1.37.2", mutants: []string{"v1.37.2+one"}}
	g.Expect(o.waveConfig(w)).To(Equal(session.Config{
		KindBase:  []byte("base"),
		NodeImage: "build",
		Cluster:   "mutants",
		Subjects:  "v1.37.2,v1.37.2+one",
		Lane:      run.NodeLane,
		Profile:   trial.Full,
		Out:       "/out/waves",
		Keep:      true,
		Pool:      1,
	}), "the next wave gets the cluster")
	o.Cluster.Cluster = "mine"
	g.Expect(o.waveConfig(task{mutants: []string{"v1.37.2+one"}})).
		To(And(HaveField("Cluster", "mine"), HaveField("Subjects", "v1.37.2+one"), HaveField("Keep", false)))
}

func TestAWaveAnnouncesItsDuration(t *testing.T) {
	g := NewWithT(t)
	w := plan([]candidate{aMutant("one", about("a/one")), aMutant("two", about("a/one"))}, room{9, 99, 8})
	g.Expect(w[0].describe()).
		To(HavePrefix("2 mutants beside a reference, 3 workers, 3 trials, the longest 10s: some "))
	server := wave{
		pool:       1,
		candidates: []candidate{{mutation.Mutation{Component: mutation.APIServer}, []trial.Trial{about("a/one")}}},
	}
	g.Expect(server.describe()).To(HavePrefix("1 mutant alone, 1 worker, 1 trial"))
	g.Expect(describePlan(append(w, server), room{9, 99, 8})).
		To(HavePrefix("3 mutants in 2 waves of at most 9 workers, some "))
}
