package suites

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/onsi/gomega"
	"pgregory.net/rapid"

	"github.com/podclock/podclock/harness/measure/delay"
	"github.com/podclock/podclock/harness/measure/judge"
	"github.com/podclock/podclock/harness/measure/timeline"
	"github.com/podclock/podclock/harness/measure/trial"
	"github.com/podclock/podclock/harness/rules/formula"
)

// played are the trials that the simulator's few hundred lines can play: one delete, or one probe that kills. The
// virtual lane plays the rest with a real kubelet.
var played = []string{
	"termination/grace-5",
	"termination/grace-2",
	"termination/grace-1",
	"termination/grace-0",
	"termination/exits-at-once",
	"termination/exits-after-2500ms",
	"termination/exec-hook-3500ms-of-10s",
	"termination/http-hook-4900ms-of-10s",
	"termination/http-hook-2400ms-of-6s",
	"termination/exec-hook-8500ms-of-10s",
	"termination/http-hook-9300ms-of-10s",
	"termination/hook-hangs",
	"termination/hook-fails",
	"termination/hook-binary-missing",
	"termination/sleep-hook-4s-of-10s",
	"termination/option-shorter",
	"termination/option-longer",
	"termination/force",
	"termination/force-hook-hangs",
	"termination/two-containers",
	"probes/liveness-timeouts",
	"probes/liveness-flapping",
	"probes/initial-delay",
	"probes/liveness-grace-shorter",
	"probes/liveness-grace-longer",
	"probes/liveness-hook",
	"probes/startup-fails",
	"probes/startup-grace",
	"probes/streak-survives-crash",
	"probes/liveness-http-three-lives",
	"probes/liveness-exec-three-lives",
	"probes/liveness-tcp-three-lives",
	"probes/liveness-grpc-three-lives",
}

func simulated(t *testing.T) []trial.Trial {
	var trials []trial.Trial
	for _, id := range played {
		tr, ok := byID[id]
		gomega.NewWithT(t).Expect(ok).To(gomega.BeTrue(), "there is no trial %s", id)
		trials = append(trials, tr)
	}
	return trials
}

// judged plays a trial on a kubelet and judges it.
func judged(k kubelet, tr trial.Trial) trial.Result {
	return judge.Judge(tr, timeline.Build(k.play(tr), delay.Record{}), delay.Record{}, newest)
}

// newest is the kubelet that the simulator models.
var newest = formula.Kubelet{Version: formula.NewestKnown}

func correct(n node) kubelet { return kubelet{node: n, run: func(int) int { return 0 }} }

// divergent are the trials in which a correct kubelet does not do what is documented.
var divergent = []string{
	"termination/grace-1",
	"termination/grace-0",
	"termination/http-hook-9300ms-of-10s",
	"probes/streak-survives-crash",
}

// chance are the trials whose verdict depends on the moment: the initial delay ends early only if a tick falls into
// the second that is cut off.
var chance = []string{"probes/initial-delay"}

// A correct kubelet on any node within the formulas' budget conforms, or has its known divergence, in every trial.
func TestCorrectKubelet(t *testing.T) {
	for _, tr := range simulated(t) {
		t.Run(tr.ID, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				want := trial.Conforms
				if slices.Contains(divergent, tr.ID) {
					want = trial.Divergent
				}
				r := judged(correct(anyNode(t)), tr)
				if r.Verdict == trial.Divergent && slices.Contains(chance, tr.ID) {
					return
				}
				if r.Verdict != want {
					t.Fatalf("%s, want %s\n%s", r.Verdict, want, explained(r))
				}
			})
		})
	}
}

func anyNode(t *rapid.T) node {
	ms := func(what string, from, to int) time.Duration {
		return time.Duration(rapid.IntRange(from, to).Draw(t, what)) * time.Millisecond
	}
	return node{
		begin:   ms("begin", 0, 999),
		phase:   ms("phase", 100, 5000),
		notice:  ms("notice", 5, 2300),
		signal:  ms("signal", 1, 60),
		exec:    ms("exec", 30, 300),
		request: ms("request", 1, 40),
		sync:    ms("sync", 5, 400),
		restart: ms("restart", 200, 1900),
	}
}

func explained(r trial.Result) string {
	lines := slices.Clone(r.Doubts)
	for _, f := range r.Findings {
		if f.Verdict == trial.Conforms {
			continue
		}
		line := fmt.Sprintf("%s %s: %s", f.Verdict, f.Claim, f.Why)
		if f.Diagnosis != nil {
			line += " (" + f.Diagnosis.Reference + ")"
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}

// undiagnosed marks a deviation without a known mistake.
const undiagnosed = ""

// mutants are kubelets with one wrong rule each, and the trials that must find them with the reference of the
// diagnosis. In every other trial the verdict must not change.
var mutants = map[string]struct {
	distort func(*kubelet)
	found   map[string]string
}{
	"hook not subtracted": {func(k *kubelet) { k.hookNotSubtracted = true }, map[string]string{
		"termination/exec-hook-3500ms-of-10s": "kubernetes#115817",
		"termination/http-hook-4900ms-of-10s": "kubernetes#115817",
		"termination/http-hook-2400ms-of-6s":  "kubernetes#115817",
		"termination/exec-hook-8500ms-of-10s": "kubernetes#115817",
		"termination/http-hook-9300ms-of-10s": "kubernetes#115817",
		"termination/hook-hangs":              "kubernetes#115817",
		"termination/sleep-hook-4s-of-10s":    "kubernetes#115817",
		"termination/two-containers":          "kubernetes#115817",
		"probes/liveness-hook":                "kubernetes#115817",
	}},
	"hook rounded up": {func(k *kubelet) { k.hookRoundedUp = true }, map[string]string{
		"termination/exec-hook-3500ms-of-10s": formula.HookRoundedUp.Reference,
		"termination/http-hook-4900ms-of-10s": formula.HookRoundedUp.Reference,
		"termination/http-hook-2400ms-of-6s":  formula.HookRoundedUp.Reference,
		"termination/hook-fails":              undiagnosed,
		"termination/hook-binary-missing":     undiagnosed,
		"termination/two-containers":          undiagnosed,
		"probes/liveness-hook":                undiagnosed,
	}},
	"hook subtracted exactly": {func(k *kubelet) { k.hookExact = true }, map[string]string{
		"termination/exec-hook-3500ms-of-10s": formula.HookSubtractedExactly.Reference,
		"termination/http-hook-4900ms-of-10s": formula.HookSubtractedExactly.Reference,
		"termination/http-hook-2400ms-of-6s":  formula.HookSubtractedExactly.Reference,
		"termination/two-containers":          undiagnosed,
		"probes/liveness-hook":                undiagnosed,
	}},
	"hook skipped": {func(k *kubelet) { k.hookSkipped = true }, map[string]string{
		"termination/exec-hook-3500ms-of-10s": formula.HookNotRun.Reference,
		"termination/http-hook-4900ms-of-10s": formula.HookNotRun.Reference,
		"termination/http-hook-2400ms-of-6s":  formula.HookNotRun.Reference,
		"termination/exec-hook-8500ms-of-10s": formula.HookNotRun.Reference,
		"termination/http-hook-9300ms-of-10s": formula.HookNotRun.Reference,
		"termination/hook-hangs":              formula.HookNotRun.Reference,
		"termination/hook-fails":              formula.HookNotRun.Reference,
		"termination/force-hook-hangs":        formula.HookNotRun.Reference,
		"termination/two-containers":          formula.HookNotRun.Reference,
		"probes/liveness-hook":                undiagnosed,
		// The kubelet's own sleep leaves no marks. That SIGTERM came at once excludes that it was not subtracted.
		"termination/sleep-hook-4s-of-10s": formula.SleepNotSlept.Reference,
	}},
	"hook waited for without bound": {func(k *kubelet) { k.hookUnbounded = true }, map[string]string{
		"termination/hook-hangs":       undiagnosed,
		"termination/force-hook-hangs": undiagnosed,
	}},
	"containers killed in turn": {func(k *kubelet) { k.inTurn = true }, map[string]string{
		"termination/two-containers": undiagnosed,
	}},
	"no minimum": {func(k *kubelet) { k.noMinimum = true }, map[string]string{
		"termination/grace-1": "minimumGracePeriodInSeconds",
		"termination/grace-0": "minimumGracePeriodInSeconds",
		"termination/force":   "minimumGracePeriodInSeconds",
		// This hook leaves one second.
		"termination/http-hook-9300ms-of-10s": "minimumGracePeriodInSeconds",
		// These hooks leave nothing: SIGKILL comes alone, without a SIGTERM to measure from.
		"termination/hook-hangs":       undiagnosed,
		"termination/force-hook-hangs": undiagnosed,
	}},
	"option ignored": {func(k *kubelet) { k.optionIgnored = true }, map[string]string{
		"termination/option-shorter": formula.SpecGrace.Reference,
		"termination/option-longer":  formula.SpecGrace.Reference,
		"termination/force":          formula.SpecGrace.Reference,
		// The hook hangs for all of it, so the time of SIGTERM is wrong, not the time after it. Kubelets up to 1.30 do
		// the same.
		"termination/force-hook-hangs": formula.ZeroGraceIsOne.Reference,
	}},
	"probe's grace ignored": {func(k *kubelet) { k.probeGraceIgnored = true }, map[string]string{
		"probes/liveness-grace-shorter": "kubernetes#119377",
		"probes/liveness-grace-longer":  "kubernetes#119377",
		"probes/startup-grace":          "kubernetes#119377",
	}},
	"resultRun = 1": {func(k *kubelet) { k.run = func(int) int { return 1 } }, map[string]string{
		"probes/liveness-http-three-lives": "kubernetes PR 62853",
		"probes/liveness-exec-three-lives": "kubernetes PR 62853",
		"probes/liveness-tcp-three-lives":  "kubernetes PR 62853",
		"probes/liveness-grpc-three-lives": "kubernetes PR 62853",
		"probes/startup-fails":             "kubernetes PR 62853",
		"probes/liveness-timeouts":         "kubernetes PR 62853",
	}},
	"resultRun never reset": {func(k *kubelet) { k.run = func(n int) int { return n } }, map[string]string{
		"probes/liveness-http-three-lives": "kubernetes#53530",
		"probes/liveness-exec-three-lives": "kubernetes#53530",
		"probes/liveness-tcp-three-lives":  "kubernetes#53530",
		"probes/liveness-grpc-three-lives": "kubernetes#53530",
		"probes/startup-fails":             "kubernetes#53530",
		// With a threshold of two, one failure is both one less and the first: the two bugs look alike.
		"probes/liveness-timeouts": "kubernetes PR 62853",
	}},
	"timeouts not counted": {func(k *kubelet) { k.timeoutsIgnored = true }, map[string]string{
		"probes/liveness-timeouts": undiagnosed,
	}},
	"success does not end a streak": {func(k *kubelet) { k.successIgnored = true }, map[string]string{
		"probes/liveness-flapping": undiagnosed,
	}},
	"initial delay ignored": {func(k *kubelet) { k.delayIgnored = true }, map[string]string{
		"probes/initial-delay": "worker.go doProbe",
	}},
}

func TestMutants(t *testing.T) {
	for name, m := range mutants {
		t.Run(name, func(t *testing.T) {
			for id := range m.found {
				_, ok := byID[id]
				gomega.NewWithT(t).Expect(ok).To(gomega.BeTrue(), "there is no trial %s", id)
			}
			for _, tr := range simulated(t) {
				t.Run(tr.ID, func(t *testing.T) {
					k := correct(ordinaryNode)
					m.distort(&k)
					r := judged(k, tr)
					reference, found := m.found[tr.ID]
					g := gomega.NewWithT(t)
					g.Expect(r.Verdict == trial.Deviates).To(gomega.Equal(found), explained(r))
					if !found {
						g.Expect(r.Verdict).To(gomega.Equal(judged(correct(ordinaryNode), tr).Verdict), explained(r))
						return
					}
					g.Expect(diagnoses(r)).To(gomega.Equal(reference), explained(r))
				})
			}
		})
	}
}

// diagnoses returns the references of a result's deviations.
func diagnoses(r trial.Result) string {
	var all []string
	for _, f := range r.Findings {
		if f.Diagnosis != nil && !slices.Contains(all, f.Diagnosis.Reference) {
			all = append(all, f.Diagnosis.Reference)
		}
	}
	return strings.Join(all, " and ")
}

// A trial must not be given up before the last moment that its claims allow: on the slowest node within the budget
// all facts arrive well before its bound, and Lasts is close to the real duration.
func TestBounds(t *testing.T) {
	slow := node{
		begin:   999 * time.Millisecond,
		phase:   10 * time.Millisecond,
		notice:  2300 * time.Millisecond,
		signal:  60 * time.Millisecond,
		exec:    300 * time.Millisecond,
		request: 40 * time.Millisecond,
		sync:    1200 * time.Millisecond,
		restart: 1900 * time.Millisecond,
	}
	for _, tr := range simulated(t) {
		t.Run(tr.ID, func(t *testing.T) {
			g := gomega.NewWithT(t)
			e := correct(slow).play(tr)
			g.Expect(trial.Missing(tr, timeline.Build(e, delay.Record{}), newest)).To(gomega.BeEmpty())
			var end int64
			for _, f := range judged(correct(slow), tr).Findings {
				g.Expect(f.Measured).NotTo(gomega.BeNil(), f.Claim)
				end = max(end, f.Measured.To)
				if f.Implemented.Unit == formula.Nanoseconds {
					latest := f.Measured.From + f.Implemented.Latest - zero
					// The judge counts a missing end as surely absent five seconds after the last allowed moment.
					g.Expect(time.Duration(latest)+5*time.Second).
						To(gomega.BeNumerically("<", tr.Bound()), "%s may end at %v", f.Claim, time.Duration(latest))
				}
			}
			lasts := time.Duration(end - zero)
			g.Expect(tr.Lasts).
				To(gomega.BeNumerically("~", lasts, max(7*time.Second, lasts*3/10)), "it lasts %v", lasts)
		})
	}
}
