package virtual

import (
	"context"
	"errors"
	"io"
	"os"
	"strings"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"

	"github.com/podclock/podclock/fixtures"
	"github.com/podclock/podclock/harness/measure/delay"
	"github.com/podclock/podclock/harness/measure/run"
	"github.com/podclock/podclock/harness/measure/runner"
	"github.com/podclock/podclock/harness/measure/timeline"
	"github.com/podclock/podclock/harness/measure/trial"
	"github.com/podclock/podclock/harness/measure/victim"
	"github.com/podclock/podclock/harness/rules/formula"
	"github.com/podclock/podclock/harness/virtual/trace"
	"github.com/podclock/podclock/harness/virtual/wire"
)

// deletion is a trial that deletes a pod with a grace period in seconds and claims that it dies when that is over.
func deletion(grace int64, containers ...string) trial.Trial {
	pod := fixtures.Pod(grace, fixtures.Victim(victim.Run{Term: victim.Ignore}))
	for _, name := range containers {
		pod.Spec.Containers = append(pod.Spec.Containers, fixtures.Named(name, victim.Run{Term: victim.Ignore}))
	}
	return trial.Trial{
		ID:     "test/deletion",
		About:  "It is deleted.",
		Pod:    pod,
		Faults: []trial.Fault{trial.Delete()},
		Lasts:  time.Duration(grace+4) * time.Second,
		Claims: []trial.Claim{{Measure: trial.Between(trial.SIGTERM, trial.Gone), Formula: formula.Formula{
			ID: "test/grace",
			Implemented: func(in formula.Input) formula.Window {
				d := in.Kill.TerminationGracePeriodSeconds * int64(time.Second)
				return formula.Window{Unit: formula.Nanoseconds, Earliest: d, Latest: d}
			},
		}}},
	}
}

// played plays one trial. The error is the failure of the virtual node.
func played(ctx context.Context, s Program, t trial.Trial) (trial.Outcome, error) {
	at := &place{ctx: ctx}
	defer at.leave()
	a := playOnce(ctx, at, s, t, attemptOptions{replyTimeout: replyTimeout}, func() {})
	o := trial.Outcome{Trial: t.ID, About: t.About, Subject: s.Name, Verdict: a.Skipped, Why: a.Why}
	if a.Skipped == "" {
		o.Verdict, o.Attempts = a.Result.Verdict, []trial.Attempt{a.Attempt}
	}
	return o, a.broken
}

// outcome runs one trial on a fake node.
func outcome(t *testing.T, s Program, tr trial.Trial) trial.Outcome {
	t.Helper()
	o, err := played(t.Context(), s, tr)
	NewWithT(t).Expect(err).NotTo(HaveOccurred())
	return o
}

func TestTrialFromItsNodesStartToItsVerdict(t *testing.T) {
	g := NewWithT(t)
	s, requests := play(t, "obeys")
	tr := deletion(20, "second")
	tr.Worker = &trial.Worker{
		Name:          "own",
		KubeletConfig: map[string]any{"evictionMaxPodGracePeriod": 7},
		NodeFSMiB:     64,
		NodeFSInodes:  20_000,
	}
	o := outcome(t, s, tr)
	g.Expect(o.Verdict).To(Equal(trial.Conforms), o.Reason())
	g.Expect(o.Attempts).To(HaveLen(1))
	a := o.Last()
	g.Expect(a.Evidence.Pod).To(Equal("podclock/test-deletion-virtual-1"))
	g.Expect(a.Evidence.Events).To(HaveLen(1))
	g.Expect(a.Evidence.Node).To(HaveLen(1))
	g.Expect(a.Kubelet.EvictionMaxPodGracePeriod).To(BeNumerically("==", 7))
	g.Expect(a.Took).To(And(BeNumerically(">", 0), BeNumerically("<", 10*time.Second)), "in real time")
	g.Expect(a.Node).To(Equal(wire.NodeName))

	all := requests()
	g.Expect(kinds(all)).To(Equal([]string{"start", "create", "delete", "trace"}))
	start := all[0].Request.Start
	g.Expect(start.KubeletConfig).To(HaveKeyWithValue("evictionMaxPodGracePeriod", 7.0))
	g.Expect(start.NodeFSBytes).To(BeNumerically("==", 64<<20))
	g.Expect(start.NodeFSInodes).To(BeNumerically("==", 20_000))
	g.Expect(start.PriorityClasses).To(HaveKeyWithValue(fixtures.Important, int32(1000)))
	g.Expect(start.Images).
		To(Equal(map[string]string{images.Fault: "", images.FaultOther: "", images.FaultStopSignal: victim.StopSignal}))
	created := find(t, all, "create", 1)
	g.Expect(created.Request.Create.Spec.NodeName).To(Equal(wire.NodeName))
	for _, what := range []string{"create", "delete"} {
		g.Expect(find(t, all, what, 1).Clock%int64(time.Second)).
			To(BeNumerically("==", wire.Tick), "the harness avoids the kubelet's ticks")
	}
	g.Expect(created.Clock - booted).To(BeNumerically(">=", settle))
	g.Expect(a.Virtual).
		To(Equal(time.Duration(a.Evidence.Known-created.Clock)), "without the boot, as in the node lane")
	g.Expect(a.Virtual).To(BeNumerically("~", 30*time.Second, 5*time.Second))
	// The second container starts after two seconds, and the fault comes three seconds later.
	g.Expect(find(t, all, "delete", 1).Clock - created.Clock).To(BeNumerically("==", 5*time.Second))
	_, err := os.Stat(all[0].Folder)
	g.Expect(os.IsNotExist(err)).To(BeTrue(), "the node's folder is removed")
}

func TestTrialWaitsUntilTheKubeletIsOldEnough(t *testing.T) {
	s, requests := play(t, "obeys")
	tr := deletion(2)
	tr.Pod.Spec.Containers[0].LivenessProbe = &corev1.Probe{PeriodSeconds: 60}
	outcome(t, s, tr)
	NewWithT(t).Expect(find(t, requests(), "create", 1).Clock - booted).To(BeNumerically(">", 61*time.Second))
}

func TestTrialsHaveTracesAndSeeds(t *testing.T) {
	g := NewWithT(t)
	s, requests := play(t, "obeys")
	var traces []trace.Trace
	lab, err := Open(t.Context(), Options{
		Programs: []Program{s}, Seed: 7, Trace: func(t trace.Trace) { traces = append(traces, t) },
	})
	g.Expect(err).NotTo(HaveOccurred())
	tr := deletion(20, "second")
	lab.Start([]runner.Selection{{Trial: tr, Subject: s.Name}})
	_, err = lab.Await(t.Context(), tr.ID, s.Name)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(lab.Close(t.Context())).To(Succeed())
	g.Expect(requests()[0].Request.Start.Seed).To(Equal(seedOf(7, tr.ID)))
	g.Expect(seedOf(7, "other")).NotTo(Equal(seedOf(7, tr.ID)), "each trial has random numbers of its own")
	g.Expect(traces).To(HaveLen(1))
	g.Expect(traces[0].Trial).To(Equal(tr.ID))
	g.Expect(traces[0].Seed).To(BeNumerically("==", 7))
	fault := traces[0].Fault
	g.Expect(traces[0].Entries).To(Equal([]trace.Entry{
		{At: fault, Kind: wire.KindLane, Pod: "pod", What: "DELETE pods"},
		{At: fault + int64(time.Second), Kind: wire.KindCRI, Pod: "pod-second", What: "StopContainer"},
	}))
}

func TestBrokenNodes(t *testing.T) {
	for script, why := range map[string]string{
		"freezes":    "the virtual node froze: these goroutines hold it: | goroutine 7 [sync.Mutex.Lock]:",
		"crashes":    "the virtual node died: exit status 2; it wrote: panic: out of its mind",
		"ends":       "the virtual node died",
		"talks":      `the virtual node answered what is no answer`,
		"hesitates":  "the virtual node was ended: did not answer within 2s",
		"goes-back":  "the virtual node has a clock that goes back",
		"stops-time": "the virtual node let no time pass",
	} {
		t.Run(script, func(t *testing.T) {
			g := NewWithT(t)
			s, _ := play(t, script)
			var log strings.Builder
			o := Options{Programs: []Program{s}, Log: &log}
			if script == "hesitates" {
				o.ReplyTimeout = 2 * time.Second
			}
			l, err := Open(t.Context(), o)
			g.Expect(err).NotTo(HaveOccurred())
			tr := deletion(2)
			l.Start([]runner.Selection{{Trial: tr, Subject: s.Name}})
			came, err := l.Await(t.Context(), tr.ID, s.Name)
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(came.Verdict).To(Equal(trial.Inconclusive), "a node that fails gives no verdict")
			g.Expect(came.Why).To(ContainSubstring(why))
			g.Expect(came.Why).NotTo(ContainSubstring("\n"))
			g.Expect(came.Last().Evidence.Cut).To(Equal(came.Why))
			g.Expect(l.Close(t.Context())).To(Succeed())
			g.Expect(log.String()).To(ContainSubstring(why))
			if script == "crashes" {
				g.Expect(log.String()).To(ContainSubstring("kubelet.go:1] started"))
			}
		})
	}
}

func TestNodeThatCannotBeStarted(t *testing.T) {
	g := NewWithT(t)
	none := Program{Name: "s", Binary: t.TempDir() + "/none"}
	o, err := played(t.Context(), none, deletion(2))
	g.Expect(err).To(MatchError(ContainSubstring("could not be started")))
	g.Expect(o.Verdict).To(Equal(trial.Inconclusive))
	g.Expect(o.Attempts).To(BeEmpty())
	ended, end := context.WithCancelCause(t.Context())
	end(errors.New("interrupted"))
	_, err = launch(ended, none, time.Second)
	g.Expect(err).To(MatchError(ContainSubstring("was ended: interrupted")), "not that it lacks a program")
	_, err = Open(t.Context(), Options{Programs: []Program{{Name: "s"}}})
	g.Expect(err).To(MatchError(ContainSubstring("subject s has no virtual node program")))
}

func TestInterruptKillsTheNode(t *testing.T) {
	g := NewWithT(t)
	s, _ := play(t, "hesitates")
	ctx, cancel := context.WithCancelCause(t.Context())
	time.AfterFunc(200*time.Millisecond, func() { cancel(errors.New("interrupted")) })
	begun := time.Now()
	o, err := played(ctx, s, deletion(2))
	g.Expect(err).To(MatchError(ContainSubstring("was ended: interrupted")))
	g.Expect(o.Verdict).To(Equal(trial.Inconclusive))
	g.Expect(time.Since(begun)).To(BeNumerically("<", 5*time.Second))
}

func TestStopEndsWhatRunsAndWhatWaits(t *testing.T) {
	g := NewWithT(t)
	s, _ := play(t, "hesitates")
	l, err := Open(t.Context(), Options{Programs: []Program{s}, AtOnce: 1})
	g.Expect(err).NotTo(HaveOccurred())
	long, short := deletion(9), deletion(2)
	short.ID = "test/short"
	l.Start([]runner.Selection{{Trial: short, Subject: s.Name}, {Trial: long, Subject: s.Name}})
	phase := func(id string) func() runner.Phase {
		return func() runner.Phase {
			for _, state := range l.States() {
				if state.Trial.ID == id {
					return state.Phase
				}
			}
			return ""
		}
	}
	g.Eventually(phase(long.ID)).Should(Equal(runner.Starting), "the longest comes first")
	g.Expect(phase(short.ID)()).To(Equal(runner.Waiting))
	l.Stop()
	for _, o := range l.Outcomes() {
		g.Expect(o.Verdict).To(Equal(trial.Inconclusive))
		g.Expect(o.Why).To(ContainSubstring("the lab is closed"))
	}
	g.Expect(l.Err()).NotTo(HaveOccurred())
}

// A process plays one trial after another of its subject, until one deviates or breaks it.
func TestProcessPlaysManyTrials(t *testing.T) {
	for script, c := range map[string]struct{ trials, processes int }{
		"obeys":       {mostTrials + 1, 2},
		"kills-early": {3, 3},
		"crashes":     {3, 3},
	} {
		t.Run(script, func(t *testing.T) {
			g := NewWithT(t)
			s, requests := play(t, script)
			l, err := Open(t.Context(), Options{Programs: []Program{s}, AtOnce: 1})
			g.Expect(err).NotTo(HaveOccurred())
			var selections []runner.Selection
			for i := range c.trials {
				tr := deletion(5)
				tr.ID += strings.Repeat("x", i+1)
				selections = append(selections, runner.Selection{Trial: tr, Subject: s.Name})
			}
			l.Start(selections)
			for _, one := range selections {
				_, err := l.Await(t.Context(), one.Trial.ID, s.Name)
				g.Expect(err).NotTo(HaveOccurred())
			}
			g.Expect(l.Close(t.Context())).To(Succeed())
			folders, starts := map[string]bool{}, 0
			for _, r := range requests() {
				folders[r.Folder] = true
				if r.Request.Start != nil {
					starts++
				}
			}
			g.Expect(folders).To(HaveLen(c.processes))
			g.Expect(starts).To(Equal(c.trials))
			for folder := range folders {
				g.Expect(folder).NotTo(BeADirectory())
			}
		})
	}
}

// A place prefers a trial of the subject whose process it keeps.
func TestQueuePrefersTheKeptProcess(t *testing.T) {
	g := NewWithT(t)
	q := &queue{}
	for _, subject := range []string{"a", "b", "a"} {
		q.add(&runner.Attempts{Selection: runner.Selection{Subject: subject}})
	}
	g.Expect(q.places(2)).To(Equal(2))
	g.Expect(q.places(2)).To(BeZero())
	at := &place{}
	g.Expect(q.next(at).Subject).To(Equal("a"))
	at.kept = &node{subject: "a", ctx: t.Context()}
	g.Expect(q.next(at).Subject).To(Equal("a"))
	g.Expect(q.next(at).Subject).To(Equal("b"))
	g.Expect(q.next(at)).To(BeNil())
	q.add(&runner.Attempts{})
	g.Expect(q.places(2)).To(Equal(1), "one place serves still")
}

func TestLogIsThatOfTheNewestNode(t *testing.T) {
	g := NewWithT(t)
	log := &tail{}
	_, _ = log.Write([]byte("before\n" + wire.LogBegins + "\nfirst\n"))
	g.Expect(log.lines()).To(Equal([]string{"first"}))
	_, _ = log.Write([]byte(wire.LogBegins + "\n"))
	g.Expect(log.lines()).To(BeEmpty())
	_, _ = log.Write([]byte("second\n"))
	g.Expect(log.lines()).To(Equal([]string{"second"}))
}

func TestCloseEndsAllNodes(t *testing.T) {
	g := NewWithT(t)
	s, _ := play(t, "obeys")
	ctx, cancel := context.WithCancelCause(t.Context())
	l, err := Open(ctx, Options{Programs: []Program{s}, Log: io.Discard})
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(l.Err()).NotTo(HaveOccurred())
	l.Start([]runner.Selection{{Trial: deletion(2), Subject: s.Name}, {Trial: deletion(2), Subject: "another"}})
	o, err := l.Await(t.Context(), "test/deletion", s.Name)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(o.Verdict).To(Equal(trial.Conforms), o.Reason())
	other, err := l.Await(t.Context(), "test/deletion", "another")
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(other.Why).To(Equal("the lab has no subject of this name"))
	g.Expect(l.Nodes()).To(Equal([]run.Node{{Name: wire.NodeName, Subject: s.Name, Watched: true}}))
	cancel(errors.New("interrupted"))
	g.Expect(l.Err()).To(MatchError("interrupted"))
	g.Expect(l.Close(context.Background())).To(Succeed())
}

func TestDeviationShowsThePods(t *testing.T) {
	g := NewWithT(t)
	s, _ := play(t, "kills-early")
	o := outcome(t, s, deletion(8))
	g.Expect(o.Verdict).To(Equal(trial.Deviates))
	g.Expect(o.Last().Deviation.Pods).To(HaveLen(1))
	g.Expect(string(o.Last().Deviation.Pods[0])).To(ContainSubstring("test-deletion-virtual-1"))
}

func TestUnsupported(t *testing.T) {
	later := formula.Change{Name: "it can fly", Reference: "KEP-1", Since: "v1.99.0"}
	for name, c := range map[string]struct {
		change func(*trial.Trial)
		why    string
	}{
		"the lane": {func(t *trial.Trial) { t.NodeOnly = "it needs a kernel" }, "it needs a kernel"},
		"a change": {func(t *trial.Trial) { t.Needs = []formula.Change{later} }, "kubelet v1.36.3 lacks this change"},
		"a change of the API server": {
			func(t *trial.Trial) { t.ServerNeeds = []formula.Change{later} }, "kubelet v1.36.3 lacks this change",
		},
		"a configuration": {
			func(t *trial.Trial) { t.Worker = &trial.Worker{KubeletConfig: map[string]any{"tomorrow": true}} },
			"the kubelet's version does not know a part of the configuration: " +
				"strict decoding error: unknown field tomorrow",
		},
		"a configuration that a fault brings": {
			func(t *trial.Trial) {
				t.Faults = []trial.Fault{{Action: trial.TuneKubelet, Patch: map[string]any{"tomorrow": true}}}
			}, "unknown field tomorrow",
		},
	} {
		t.Run(name, func(t *testing.T) {
			s, _ := play(t, "obeys")
			tr := deletion(2)
			c.change(&tr)
			o := outcome(t, s, tr)
			NewWithT(t).Expect(o.Verdict).To(Equal(trial.Unsupported))
			NewWithT(t).Expect(o.Why).To(ContainSubstring(c.why))
			NewWithT(t).Expect(o.Attempts).To(BeEmpty())
		})
	}
}

func TestInspect(t *testing.T) {
	g := NewWithT(t)
	s, _ := play(t, "obeys")
	k, raw, err := Inspect(t.Context(), s)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(k.Version).To(Equal("v1.36.3"))
	g.Expect(k.SyncFrequency).To(Equal(time.Minute))
	g.Expect(k.Gates).To(HaveKeyWithValue("SidecarContainers", true))
	g.Expect(string(raw)).To(ContainSubstring("syncFrequency"))
	_, _, err = Inspect(t.Context(), Program{Name: "s", Binary: "/none"})
	g.Expect(err).To(MatchError(ContainSubstring("inspect subject s: the virtual node could not be started")))
}

func TestPodThatDoesNotStart(t *testing.T) {
	for script, why := range map[string]string{
		"starts-nothing": "waited for the start of container victim: it did not come within 1m30s " +
			"(phase Pending, container victim waits: ImagePullBackOff)",
		"refuses": "the kubelet does not take it (phase Failed OutOfpods: too many)",
	} {
		t.Run(script, func(t *testing.T) {
			g := NewWithT(t)
			s, _ := play(t, script)
			tr := deletion(2)
			tr.Pod.Status.Phase = corev1.PodPending
			o := outcome(t, s, tr)
			g.Expect(o.Verdict).To(Equal(trial.Inconclusive))
			g.Expect(o.Why).To(Equal("pod test-deletion-virtual-1 on node virtual: " + why))
		})
	}
}

// A trial with a slow container runtime gets one, and waits longer for it.
func TestSlowRuntime(t *testing.T) {
	for slow, within := range map[time.Duration]string{0: "1m30s", 65 * time.Second: "2m35s"} {
		s, log := play(t, "starts-nothing")
		tr := deletion(2)
		tr.ContainerStart = slow
		o := outcome(t, s, tr)
		g := NewWithT(t)
		g.Expect(find(t, log(), "start", 1).Request.Start.ContainerStart).To(Equal(slow))
		g.Expect(o.Why).To(ContainSubstring("it did not come within " + within))
	}
}

// A value that never came is judged after the trial's bound of virtual time.
func TestBoundIsOver(t *testing.T) {
	g := NewWithT(t)
	s, _ := play(t, "obeys")
	tr := deletion(2)
	tr.Claims[0].Measure = trial.Between(trial.SIGTERM, trial.HookBegan)
	o := outcome(t, s, tr)
	g.Expect(o.Verdict).To(Equal(trial.Deviates), o.Reason())
	g.Expect(o.Reason()).To(ContainSubstring("hook-begin did not come"))
	begun := time.Duration(timeline.Build(o.Last().Evidence, delay.Record{}).Life(trial.Main, 1).Started.At)
	g.Expect(time.Duration(o.Last().Evidence.Known) - begun).To(Equal(tr.Bound()))
}
