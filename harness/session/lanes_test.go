package session

import (
	"context"
	"errors"
	"io"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	. "github.com/onsi/gomega"

	"github.com/podclock/podclock/harness/measure/run"
	"github.com/podclock/podclock/harness/measure/runner"
	"github.com/podclock/podclock/harness/measure/trial"
	"github.com/podclock/podclock/harness/rules/formula"
	"github.com/podclock/podclock/reports/view"
)

// fakeLab is a lane's lab in which every trial conforms on request.
type fakeLab struct {
	lane     run.Lane
	say      func(string)
	trials   []runner.Selection
	conclude chan struct{}
}

func (l *fakeLab) Start(selections []runner.Selection) {
	l.trials = selections
	l.say("start")
}

func (l *fakeLab) Await(ctx context.Context, id, subject string) (trial.Outcome, error) {
	select {
	case <-l.conclude:
		l.say("end")
		return trial.Outcome{Trial: id, Subject: subject, Verdict: trial.Conforms, Why: string(l.lane)}, nil
	case <-ctx.Done():
		return trial.Outcome{}, context.Cause(ctx)
	}
}

func (l *fakeLab) Outcomes() (all []trial.Outcome) {
	for _, s := range l.trials {
		all = append(all, trial.Outcome{
			Trial: s.Trial.ID, Subject: s.Subject, Verdict: trial.Conforms, Why: string(l.lane),
			Attempts: []trial.Attempt{{Node: "of-" + s.Subject, Kubelet: formula.Kubelet{Version: "v1.36.3"}}},
		})
	}
	return all
}

func (l *fakeLab) States() []runner.State { return nil }
func (l *fakeLab) Nodes() (all []run.Node) {
	for _, s := range l.trials {
		all = append(all, run.Node{Name: "of-" + s.Subject, Subject: s.Subject})
	}
	return all
}
func (l *fakeLab) Err() error                  { return nil }
func (l *fakeLab) Stop()                       { l.say("stop") }
func (l *fakeLab) Close(context.Context) error { l.say("close"); return nil }

// rehearsed is a session whose lanes are fakes. It records their calls in order.
func rehearsed(t *testing.T, subjects string) (s *Session, happened func() []string, conclude func()) {
	t.Helper()
	g := NewWithT(t)
	c, err := parsed(map[string]string{"OUT": filepath.Join(t.TempDir(), "out"), "SUBJECTS": subjects})
	g.Expect(err).NotTo(HaveOccurred())
	var selected []runner.Selection
	for _, name := range c.SubjectNames() {
		selected = append(selected, runner.Selection{Trial: trial.Trial{ID: "a/b", Lasts: time.Second}, Subject: name})
	}
	s, err = New(c, selected, Program{Log: io.Discard})
	g.Expect(err).NotTo(HaveOccurred())
	var mu sync.Mutex
	var said []string
	say := func(what string) {
		mu.Lock()
		defer mu.Unlock()
		said = append(said, what)
	}
	concluded := make(chan struct{})
	fake := func(lane run.Lane) func(ctx, life context.Context) (laboratory, error) {
		return func(context.Context, context.Context) (laboratory, error) {
			say("open " + string(lane))
			return &fakeLab{
				lane:     lane,
				conclude: concluded,
				say:      func(what string) { say(what + " " + string(lane)) },
			}, nil
		}
	}
	s.steps = steps{
		engine: func(context.Context) error { say("engine"); return nil },
		nodes:  fake(run.NodeLane), virtual: fake(run.VirtualLane),
	}
	happened = func() []string {
		mu.Lock()
		defer mu.Unlock()
		return append([]string(nil), said...)
	}
	return s, happened, func() { close(concluded) }
}

func TestARunOfVirtualSubjectsNeedsNothingOfANode(t *testing.T) {
	g := NewWithT(t)
	s, happened, conclude := rehearsed(t, "virtual:v1.36.3,virtual:v1.35.4")
	g.Expect(s.SetUp(t.Context(), t.Context(), SettingUp)).To(Succeed())
	g.Expect(happened()).
		To(Equal([]string{"open virtual", "start virtual"}), "its specs wait for it, the set-up does not")
	conclude()
	g.Expect(s.Await(t.Context(), "a/b", "virtual:v1.35.4")).To(HaveField("Why", "virtual"))
	r, err := s.Finish(t.Context())
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(happened()).NotTo(ContainElement(Or(Equal("engine"), ContainSubstring("node"))))
	g.Expect(r.Ready.IsZero()).To(BeTrue(), "there is no cluster")
	g.Expect(r.ExitCode()).To(Equal(run.ExitConforms))
}

func TestARunOfNodesOpensNoVirtualLane(t *testing.T) {
	g := NewWithT(t)
	s, happened, _ := rehearsed(t, "v1.36.3")
	g.Expect(s.SetUp(t.Context(), t.Context(), SettingUp)).To(Succeed())
	g.Expect(happened()).To(Equal([]string{"engine", "open node", "start node"}))
	_, err := s.Finish(t.Context())
	g.Expect(err).NotTo(HaveOccurred())
}

// The virtual lane's trials keep every core busy. They end before the cluster starts, because they would delay
// its trials.
func TestTheVirtualLaneIsOverBeforeACluster(t *testing.T) {
	g := NewWithT(t)
	s, happened, conclude := rehearsed(t, "v1.36.3,virtual:v1.36.3")
	done := make(chan error)
	go func() { done <- s.SetUp(t.Context(), t.Context(), SettingUp) }()
	g.Eventually(happened).Should(HaveLen(3))
	g.Consistently(happened, "100ms").Should(Equal([]string{"engine", "open virtual", "start virtual"}))
	conclude()
	g.Eventually(done).Should(Receive(Succeed()))
	g.Expect(happened()).
		To(Equal([]string{"engine", "open virtual", "start virtual", "end virtual", "open node", "start node"}))
	g.Expect(s.Await(t.Context(), "a/b", "v1.36.3")).To(HaveField("Why", "node"))
	g.Expect(s.Await(t.Context(), "a/b", "virtual:v1.36.3")).To(HaveField("Why", "virtual"))

	r, err := s.Finish(t.Context())
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(happened()).To(ContainElements("stop virtual", "stop node", "close virtual", "close node"))
	g.Expect(r.Outcomes).To(HaveExactElements(HaveField("Subject", "v1.36.3"), HaveField("Subject", "virtual:v1.36.3")))
	g.Expect(view.AgreementOf(r).Trials).To(Equal(view.AgreementCount{Judged: 1, Agree: 1}))
	g.Expect(r.Subjects[1].Lane).To(Equal(run.VirtualLane))
	g.Expect(r.Nodes).To(HaveExactElements(HaveField("Name", "of-v1.36.3"), HaveField("Name", "of-virtual:v1.36.3")))
}

// Each lane's measurements are kept, whatever happens in the other lane.
func TestAFailedClusterLeavesTheVirtualVerdicts(t *testing.T) {
	g := NewWithT(t)
	s, _, conclude := rehearsed(t, "v1.36.3,virtual:v1.36.3")
	s.steps.nodes = func(context.Context, context.Context) (laboratory, error) { return nil, errors.New("no cluster") }
	conclude()
	g.Expect(s.SetUp(t.Context(), t.Context(), SettingUp)).To(MatchError("no cluster"))
	r, err := s.Finish(t.Context())
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(r.Problems).To(Equal([]string{"set-up failed: no cluster"}))
	g.Expect(r.Outcomes).To(HaveExactElements(
		And(HaveField("Subject", "v1.36.3"), HaveField("Why", "it never ran")),
		And(HaveField("Subject", "virtual:v1.36.3"), HaveField("Verdict", trial.Conforms))))
}

// The reverse: the node lane runs its trials if kubelets do not compile for the virtual lane, or report other
// versions.
func TestAFailedVirtualLaneLeavesTheNodeLaneItsTrials(t *testing.T) {
	g := NewWithT(t)
	s, happened, _ := rehearsed(t, "v1.36.3,virtual:v1.36.3,virtual:v1.35.4")
	var log strings.Builder
	s.log.through(&log)
	s.steps.virtual = func(context.Context, context.Context) (laboratory, error) {
		return nil, errors.New("it does not compile")
	}
	g.Expect(s.SetUp(t.Context(), t.Context(), SettingUp)).To(Succeed())
	g.Expect(happened()).To(Equal([]string{"engine", "open node", "start node"}))
	g.Expect(log.String()).
		To(Equal("set-up of the virtual lane failed: it does not compile; the node lane continues\n"),
			"it is printed at once")

	never := trial.Outcome{Trial: "a/b", Subject: "virtual:v1.35.4", Verdict: trial.Inconclusive, Why: "it never ran"}
	g.Expect(s.Await(t.Context(), "a/b", "virtual:v1.35.4")).To(Equal(never), "the spec reports no second problem")
	_, err := s.Await(t.Context(), "a/other", "virtual:v1.35.4")
	g.Expect(err).To(MatchError("trial a/other was not selected on virtual:v1.35.4"))

	r, err := s.Finish(t.Context())
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(r.Problems).To(Equal([]string{"set-up of the virtual lane failed: it does not compile"}))
	g.Expect(r.ExitCode()).To(Equal(run.ExitUnjudged))
	g.Expect(r.Outcomes).To(ConsistOf(
		And(HaveField("Subject", "v1.36.3"), HaveField("Verdict", trial.Conforms)),
		HaveField("Subject", "virtual:v1.36.3"), Equal(never)))
}

func TestARunOfVirtualSubjectsEndsIfTheyCantBeBuilt(t *testing.T) {
	g := NewWithT(t)
	s, happened, _ := rehearsed(t, "virtual:v1.36.3")
	s.steps.virtual = func(context.Context, context.Context) (laboratory, error) {
		return nil, errors.New("it does not compile")
	}
	g.Expect(s.SetUp(t.Context(), t.Context(), SettingUp)).To(MatchError("it does not compile"))
	g.Expect(happened()).To(BeEmpty())
	r, err := s.Finish(t.Context())
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(r.Problems).To(Equal([]string{"set-up failed: it does not compile"}))
}

func TestTheEngineIsFoundFirst(t *testing.T) {
	g := NewWithT(t)
	s, happened, _ := rehearsed(t, "v1.36.3,virtual:v1.36.3")
	s.steps.engine = func(context.Context) error { return errors.New("no engine") }
	g.Expect(s.SetUp(t.Context(), t.Context(), SettingUp)).To(MatchError("no engine"))
	g.Expect(happened()).To(BeEmpty())
	_, err := s.Finish(t.Context())
	g.Expect(err).NotTo(HaveOccurred())
}

func TestAnInterruptWhileVirtualNodesAreBuiltEndsTheSetUp(t *testing.T) {
	for name, whose := range map[string]func(ended, lasting context.Context) (ctx, life context.Context){
		"the step's": func(ended, lasting context.Context) (context.Context, context.Context) {
			return ended,
				lasting
		},
		"the suite's": func(ended, lasting context.Context) (context.Context, context.Context) {
			return lasting,
				ended
		},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			s, happened, _ := rehearsed(t, "v1.36.3,virtual:v1.36.3")
			ended, end := context.WithCancelCause(t.Context())
			s.steps.virtual = func(context.Context, context.Context) (laboratory, error) {
				end(errors.New("interrupted"))
				return nil, context.Cause(ended)
			}
			ctx, life := whose(ended, t.Context())
			g.Expect(s.SetUp(ctx, life, SettingUp)).To(MatchError("interrupted"))
			g.Expect(happened()).To(Equal([]string{"engine"}))
			r, err := s.Finish(t.Context())
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(r.Problems).To(Equal([]string{"set-up failed: interrupted"}))
		})
	}
}

func TestAnInterruptEndsTheWaitForTheVirtualLane(t *testing.T) {
	g := NewWithT(t)
	s, happened, _ := rehearsed(t, "v1.36.3,virtual:v1.36.3")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(errors.New("interrupted"))
	g.Expect(s.SetUp(ctx, t.Context(), SettingUp)).To(MatchError("interrupted"))
	g.Expect(happened()).NotTo(ContainElement("open node"))
	_, err := s.Finish(t.Context())
	g.Expect(err).NotTo(HaveOccurred())
}

// The other kubelets run their trials if one does not start.
func TestALostSubjectLeavesTheOthersTheirTrials(t *testing.T) {
	g := NewWithT(t)
	s, _, conclude := rehearsed(t, "v1.36.3,v1.36.3+resultrun-one")
	var log strings.Builder
	s.log.through(&log)
	open := s.steps.nodes
	s.steps.nodes = func(ctx, life context.Context) (laboratory, error) {
		broken := s.config.subjects[1]
		g.Expect(s.lose(ctx, broken, errors.New("it is not Ready"))).To(Succeed())
		g.Expect(s.lose(ctx, broken, errors.New("its spare worker neither"))).To(Succeed())
		g.Expect(s.allLost()).To(Succeed())
		return open(ctx, life)
	}
	conclude()
	g.Expect(s.SetUp(t.Context(), t.Context(), SettingUp)).To(Succeed())
	g.Expect(log.String()).
		To(Equal("v1.36.3+resultrun-one can't be put under test: it is not Ready\n"), "it is printed at once, and once")
	g.Expect(s.Lost()).To(HaveLen(1))

	never := trial.Outcome{
		Trial:   "a/b",
		Subject: "v1.36.3+resultrun-one",
		Verdict: trial.Inconclusive,
		Why:     "it is not Ready",
	}
	g.Expect(s.Await(t.Context(), "a/b", "v1.36.3+resultrun-one")).To(Equal(never))
	r, err := s.Finish(t.Context())
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(r.Problems).To(Equal([]string{"v1.36.3+resultrun-one could not be put under test: it is not Ready"}))
	g.Expect(r.ExitCode()).To(Equal(run.ExitUnjudged))
	g.Expect(r.Outcomes).
		To(ConsistOf(never, And(HaveField("Subject", "v1.36.3"), HaveField("Verdict", trial.Conforms))))
}

// A run needs at least one subject. An interrupt is not a subject's problem.
func TestARunWithoutSubjectsFails(t *testing.T) {
	g := NewWithT(t)
	s, _, _ := rehearsed(t, "v1.36.3")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	g.Expect(s.lose(ctx, s.config.subjects[0], errors.New("interrupted"))).To(MatchError("interrupted"))
	g.Expect(s.Lost()).To(BeEmpty())
	g.Expect(s.lose(t.Context(), s.config.subjects[0], nil)).To(Succeed())
	g.Expect(s.allLost()).To(Succeed())
	g.Expect(s.lose(t.Context(), s.config.subjects[0], errors.New("it is not Ready"))).To(Succeed())
	g.Expect(s.allLost()).To(MatchError("it is not Ready"))
}
