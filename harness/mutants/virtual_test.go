package mutants

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"
	"testing"
	"time"

	. "github.com/onsi/gomega"

	"github.com/podclock/podclock/harness/kubelets"
	"github.com/podclock/podclock/harness/kubelets/mutation"
	"github.com/podclock/podclock/harness/measure/run"
	"github.com/podclock/podclock/harness/measure/trial"
	"github.com/podclock/podclock/harness/mutants/mutationtest"
	"github.com/podclock/podclock/harness/rules/formula"
	"github.com/podclock/podclock/harness/virtual/trace"
	"github.com/podclock/podclock/harness/virtual/wire"
)

// fakeBench is a host on which a mutant deviates by its trial by default.
type fakeBench struct {
	mu                    sync.Mutex
	built, met, discarded []string
	unbuildable, unusual  string
	unstarted             string // its node cannot be started, interrupted or not
	meeting               func(name string)
	cleanRuns, alarmOnRun int
	held, most            int // programs that were built and not discarded
	turns                 []time.Duration
	harmless              string // conforms in all trials
	unsteady              bool   // the second reference has other traces
	fuzzed                []string
}

func (b *fakeBench) build(ctx context.Context, s kubelets.Subject, _ io.Writer) (program, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if ctx.Err() != nil || s.Mutation != "" && s.Mutation == b.unbuildable {
		return program{}, errors.New("compiling: exit status 1")
	}
	b.built = append(b.built, s.Mutation)
	b.held++
	b.most = max(b.most, b.held)
	return program{subject: s}, nil
}

func (b *fakeBench) discard(p program) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.held--
	b.discarded = append(b.discarded, p.subject.Mutation)
	return nil
}

func (b *fakeBench) meet(ctx context.Context, m meeting) (met, error) {
	name := m.program.subject.Mutation
	b.mu.Lock()
	b.met, b.turns = append(b.met, name), append(b.turns, m.turn)
	if name == "" {
		b.cleanRuns++
	}
	alarm := name == "" && b.cleanRuns == b.alarmOnRun
	b.mu.Unlock()
	if b.meeting != nil {
		b.meeting(name)
	}
	m.progress(1)
	switch {
	case name != "" && name == b.unstarted:
		return met{}, errors.New("its node could not be started: context canceled")
	case ctx.Err() != nil:
		return met{run: run.Run{Outcomes: []trial.Outcome{lost("a", "it never ran")}}}, nil
	case name != "" && name == b.unusual:
		return met{}, errors.New("its node could not be started")
	}
	wrong := name != "" && name != b.harmless || alarm
	got := met{}
	for _, batch := range m.batches {
		for _, t := range batch {
			o, phase := came(t.ID, finding("x", "f", 1, trial.Conforms)), "Running"
			if wrong {
				o, phase = came(t.ID, finding("x", "f", 5, trial.Deviates)), "Failed"
			}
			if b.unsteady && b.cleanRuns == 2 {
				phase = "Pending"
			}
			got.run.Outcomes = append(got.run.Outcomes, o)
			got.traces = append(got.traces, trace.Trace{
				Trial: t.ID, Entries: []trace.Entry{{Kind: wire.KindAPI, What: "patch pods/status", Text: phase}},
			})
		}
		got.batches++
		if m.enough(got) {
			break
		}
	}
	return got, nil
}

func (b *fakeBench) fuzz(_ context.Context, s kubelets.Subject, ran func(scenarios, kinds int)) mutationtest.Fuzz {
	b.fuzzed = append(b.fuzzed, s.Mutation)
	ran(7, 1)
	return mutationtest.Fuzz{Scenarios: 7, Violations: []string{"a/b above in delete"}}
}

// three are mutations that a virtual node can have.
func three(t *testing.T) []mutation.Mutation {
	t.Helper()
	some, err := mutations("resultrun-one,resultrun-kept,hook-not-subtracted", "v1.36.3")
	NewWithT(t).Expect(err).NotTo(HaveOccurred())
	return some
}

type unseen struct{ io.Writer }

func (unseen) Building(string)                {}
func (unseen) Testing(string, int, int)       {}
func (unseen) Judged(mutationtest.Mutant)     {}
func (unseen) Alarmed(mutationtest.Reference) {}
func (unseen) Stop()                          {}

func laneOn(t *testing.T, b *fakeBench, mutations []mutation.Mutation, saved *[]mutationtest.LaneReport) *virtualLane {
	l := &virtualLane{
		Options: Options{
			Out:       t.TempDir(),
			Version:   "v1.36.3",
			Mutations: mutations,
			Trials:    []trial.Trial{{ID: "a"}},
			Program:   Program{Show: func(run.Lane, int) Display { return unseen{io.Discard} }},
		},
		bench:      b,
		references: references{},
		keep: func(p mutationtest.LaneReport) {
			p.Mutants = slices.Clone(p.Mutants)
			*saved = append(*saved, p)
		},
	}
	l.report = mutationtest.LaneReport{Lane: run.VirtualLane, Started: time.Now()}
	return l
}

func TestEveryMutantMeetsTheTrialsBetweenTwoReferences(t *testing.T) {
	g := NewWithT(t)
	b, saved := &fakeBench{}, []mutationtest.LaneReport{}
	report := laneOn(t, b, three(t), &saved).play(t.Context())
	some := three(t)
	g.Expect(b.met).To(Equal([]string{"", some[0].Name, some[1].Name, some[2].Name, ""}))
	g.Expect(b.discarded).
		To(Equal([]string{some[0].Name, some[1].Name, some[2].Name}),
			"every build is deleted except the reference")
	g.Expect(b.most).To(BeNumerically("<=", 4), "the reference, one under test, one that waits, one being built")
	g.Expect(report.Problems).To(BeEmpty())
	g.Expect(report.Figures().Killed).To(Equal(3))
	g.Expect(report.References).To(HaveLen(2))
	g.Expect(b.turns[1]).To(Equal(shortestTurn), "the reference took no time")
	killed := []int{}
	for _, p := range saved {
		killed = append(killed, p.Figures().Killed)
	}
	g.Expect(killed).To(Equal([]int{0, 0, 1, 2, 3, 3}), "saved as it goes")
}

// A mutant that no trial kills meets random scenarios. What they find is no kill.
func TestSurvivorsMeetRandomScenarios(t *testing.T) {
	g := NewWithT(t)
	some := three(t)
	b, saved := &fakeBench{harmless: some[1].Name}, []mutationtest.LaneReport{}
	report := laneOn(t, b, some, &saved).play(t.Context())
	g.Expect(b.fuzzed).To(Equal([]string{some[1].Name}))
	g.Expect(report.Mutants[0].Fuzz).To(BeNil())
	g.Expect(report.Mutants[1].Verdict).To(Equal(mutationtest.Survived))
	g.Expect(report.Mutants[1].Fuzz.Violations).To(Equal([]string{"a/b above in delete"}))
	g.Expect(saved[len(saved)-1].Mutants[1].Fuzz).NotTo(BeNil(), "saved as it goes")
}

// A mutant meets no more trials than are needed to kill it, and one that nothing kills meets all.
func TestAKilledMutantMeetsNoMoreTrials(t *testing.T) {
	g := NewWithT(t)
	some := three(t)
	b, saved := &fakeBench{harmless: some[1].Name}, []mutationtest.LaneReport{}
	l := laneOn(t, b, some, &saved)
	l.Trials = nil
	for i := range 100 {
		l.Trials = append(l.Trials, trial.Trial{ID: fmt.Sprintf("other/%d", i)})
	}
	formulas := []trial.Claim{{Formula: formula.Formula{ID: some[0].Formula}}}
	l.Trials[50].Claims, l.Trials[60].Claims = formulas, formulas
	l.killers = Killers{some[2].Name: {{Trial: "other/70"}}}
	report := l.play(t.Context())
	g.Expect(report.Mutants[0].Trials).To(Equal(2), "two likely trials killed it")
	g.Expect(report.Mutants[1].Trials).To(Equal(100))
	g.Expect(report.Mutants[2].Trials).To(Equal(1), "the one that killed it before is the only likely one")
}

func TestMutantsAreComparedWithTheReference(t *testing.T) {
	g := NewWithT(t)
	some := three(t)
	b, saved := &fakeBench{harmless: some[1].Name}, []mutationtest.LaneReport{}
	report := laneOn(t, b, some, &saved).play(t.Context())
	g.Expect(report.Mutants[0].Comparison).To(Equal(&mutationtest.Comparison{
		Trials: 1, Different: 1, First: "altered request patch pods/status in a: Running → Failed",
	}))
	g.Expect(report.Mutants[1].Comparison).To(Equal(&mutationtest.Comparison{Trials: 1}))
	g.Expect(report.References[0].Comparison).To(BeNil())
	g.Expect(report.References[1].Comparison).To(Equal(&mutationtest.Comparison{Trials: 1}))
	f := report.Figures()
	g.Expect([]int{f.Compared, f.Different}).To(Equal([]int{3, 2}))
	c := report.Conclude(0.5)
	g.Expect(c.Code).To(Equal(run.ExitDeviates))
	g.Expect(c.Why).To(ContainSubstring("2 of 3 compared mutants differ from the reference (66.6 %), 99 % required"))

	b = &fakeBench{unsteady: true}
	c = laneOn(t, b, some, &saved).play(t.Context()).Conclude(0.5)
	g.Expect(c.Code).To(Equal(run.ExitDeviates))
	g.Expect(c.Why).To(ContainSubstring("the traces of virtual:v1.36.3 differ from those of the same kubelet before"))
}

func TestWhatCannotBeBuiltHasFailed(t *testing.T) {
	g := NewWithT(t)
	some := three(t)
	b, saved := &fakeBench{unbuildable: some[0].Name, unusual: some[1].Name}, []mutationtest.LaneReport{}
	report := laneOn(t, b, some, &saved).play(t.Context())
	g.Expect([]mutationtest.Status{report.Mutants[0].Verdict, report.Mutants[1].Verdict, report.Mutants[2].Verdict}).
		To(Equal(
			[]mutationtest.Status{mutationtest.Failed, mutationtest.Failed, mutationtest.Killed}))
	g.Expect(report.Mutants[0].Why).To(ContainSubstring("compiling"))
	g.Expect(report.Mutants[1].Why).To(ContainSubstring("could not be started"))
	g.Expect(b.discarded).To(ConsistOf(some[1].Name, some[2].Name))
}

func TestAnAlarmOfTheSecondReferenceTakesTheKills(t *testing.T) {
	g := NewWithT(t)
	b, saved := &fakeBench{alarmOnRun: 2}, []mutationtest.LaneReport{}
	report := laneOn(t, b, three(t), &saved).play(t.Context())
	g.Expect(report.Figures().FalseAlarms).To(Equal(1))
	g.Expect(report.Figures().Killed).To(BeZero())
	g.Expect(report.Mutants[0].Verdict).To(Equal(mutationtest.Undecided))
}

// An interrupted start of a node is no result of the mutant.
func TestAnInterruptedStartIsNoFailure(t *testing.T) {
	g := NewWithT(t)
	some := three(t)
	ctx, interrupt := context.WithCancelCause(t.Context())
	b, saved := &fakeBench{unstarted: some[0].Name}, []mutationtest.LaneReport{}
	b.meeting = func(name string) {
		if name == some[0].Name {
			interrupt(errors.New("Ctrl-C"))
		}
	}
	report := laneOn(t, b, some, &saved).play(ctx)
	g.Expect(report.Mutants[0].Verdict).To(Equal(mutationtest.Undecided))
	g.Expect(report.Mutants[0].Why).To(Equal(neverRan))
}

func TestAnInterruptOfTheVirtualLaneLeavesWhatWasFound(t *testing.T) {
	g := NewWithT(t)
	some := three(t)
	ctx, interrupt := context.WithCancelCause(t.Context())
	b, saved := &fakeBench{}, []mutationtest.LaneReport{}
	b.meeting = func(name string) {
		if name == some[1].Name {
			interrupt(errors.New("Ctrl-C"))
		}
	}
	report := laneOn(t, b, some, &saved).play(ctx)
	g.Expect(report.Mutants[0].Verdict).To(Equal(mutationtest.Killed))
	g.Expect(report.Ended).To(BeZero(), "it did not end")
	g.Expect(report.Mutants[1].Verdict).To(Equal(mutationtest.Undecided))
	g.Expect(report.Mutants[2].Why).To(Equal(neverRan))
	g.Expect(report.Problems).To(ConsistOf(ContainSubstring("Ctrl-C")))
	g.Expect(b.held).To(Equal(1), "only the reference's program is left")
}

func TestWithoutAReferenceNoMutantIsTested(t *testing.T) {
	g := NewWithT(t)
	b, saved := &fakeBench{}, []mutationtest.LaneReport{}
	l := laneOn(t, b, three(t), &saved)
	ctx, interrupt := context.WithCancelCause(t.Context())
	interrupt(errors.New("Ctrl-C"))
	report := l.play(ctx)
	g.Expect(b.met).To(BeEmpty())
	g.Expect(report.Problems).NotTo(BeEmpty())
	g.Expect(report.Mutants).To(HaveLen(3))
}

// What a mutant's code needs decides, not the trials of its formula.
func TestTheLaneLeavesOutWhatItCantHave(t *testing.T) {
	g := NewWithT(t)
	b, saved := &fakeBench{}, []mutationtest.LaneReport{}
	some := three(t)
	client, _ := mutation.Find("exec-never-times-out")
	l := laneOn(t, b, append(some, client, mutation.Mutation{Name: "no-such-mutation"}), &saved)
	l.Trials = []trial.Trial{{ID: "a", NodeOnly: "real files", Claims: []trial.Claim{{
		Formula: formula.Formula{ID: some[0].Formula},
	}}}}
	l.choose()
	g.Expect(l.mutants).To(HaveLen(len(some)))
	g.Expect(l.report.LeftOut).To(HaveExactElements(
		HaveField("Why", ContainSubstring("cri-client")), HaveField("Why", ContainSubstring("no-such-mutation")),
	))
}
