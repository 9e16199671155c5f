package suites

import (
	"math/rand/v2"
	"os"
	"regexp"
	"slices"
	"testing"
	"time"

	"github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"

	"github.com/podclock/podclock/fixtures"
	"github.com/podclock/podclock/harness/measure/delay"
	"github.com/podclock/podclock/harness/measure/judge"
	"github.com/podclock/podclock/harness/measure/mark"
	"github.com/podclock/podclock/harness/measure/timeline"
	"github.com/podclock/podclock/harness/measure/trial"
	"github.com/podclock/podclock/harness/measure/victim"
	"github.com/podclock/podclock/harness/rules/formula"
	"github.com/podclock/podclock/suites/claims"
)

// history is all that the judge gets.
type history struct {
	trial   trial.Trial
	e       timeline.Evidence
	delays  delay.Record
	kubelet formula.Kubelet
	*story
}

func (h *history) result() trial.Result {
	return judge.Judge(h.trial, timeline.Build(h.e, h.delays), h.delays, h.kubelet)
}

// at returns when a moment of the first life came, on the recorder's clock.
func (h *history) at(name string) int64 { return zero + int64(h.get(name, 1).at) }

// paused adds a late tick of the recorder up to this long after a moment.
func (h *history) paused(name string, after, long time.Duration) {
	to := h.at(name) + int64(after)
	h.delays.LateTicks = append(h.delays.LateTicks, delay.Span{From: to - int64(long), To: to})
}

// unanswered adds an outage of the kubelet from a moment on.
func (h *history) unanswered(name string, long time.Duration) {
	from := h.at(name) + 1
	h.delays.Unanswered = []delay.Outage{{Component: mark.Kubelet, From: from, To: from + int64(long)}}
}

// longer moves a moment and all that follows from it, and records the story again.
func (h *history) longer(name string, by time.Duration) {
	h.story = h.moved(moment{name, 1}, by)
	h.e = h.evidence(h.trial)
}

func (h *history) without(kind mark.Kind) {
	h.e.Marks = slices.DeleteFunc(h.e.Marks, func(r mark.Record) bool { return r.Kind == kind })
	for i := range h.e.Marks {
		h.e.Marks[i].N = 0 // no gap shows
	}
}

// undeleted removes the end of the pod's object. Nothing is known any more so long after the death.
func (h *history) undeleted(known time.Duration) {
	h.e.API = slices.DeleteFunc(h.e.API, func(v timeline.Version) bool { return v.Deleted })
	h.e.Known = h.at("death") + int64(known)
}

// note adds a mark so long after the first life's start.
func (h *history) note(container string, life int, after time.Duration, kind mark.Kind, d mark.Detail) {
	r := h.e.Marks[1]
	r.At += int64(after)
	r.Sent, r.N, r.Kind, r.Detail, r.Life = r.At, 0, kind, d, life
	if r.Conn += uint64(life - 1); r.Container != container {
		r.Container, r.Conn = container, r.Conn+1
	}
	h.e.Marks = append(h.e.Marks, r)
}

func (h *history) probed(container string, life int, after time.Duration, kind, answer string) {
	h.note(container, life, after, mark.Probed,
		mark.Detail{Probe: &mark.ProbeDetail{For: kind, Handler: "http", Answer: answer}})
}

// claim leaves only this claim beside the standing ones.
func (h *history) claim(c ...trial.Claim) { h.trial.Claims = c }

// shown changes all ends that the API shows.
func (h *history) shown(change func(*timeline.Change, *timeline.End)) {
	changes := h.e.Changes()
	for i := range changes {
		if all := changes[i].Containers; len(all) > 0 && all[0].Ended != nil {
			change(&changes[i], all[0].Ended)
		}
	}
	h.e.API = timeline.Shown(changes...)
}

// The pods of these histories.
var (
	ignoring  = pod{why: byDelete, grace: 5}
	short     = pod{why: byDelete, grace: 1}
	withHook  = pod{why: byDelete, grace: 10, hook: byExec, takes: 3300 * ms}
	crashLoop = pod{why: byItself, grace: 5, longest: 300 * time.Second, lasts: []time.Duration{6 * time.Second,
		6 * time.Second, 6 * time.Second, 6 * time.Second}}
	failing = pod{why: byLiveness, grace: 5, prober: byHTTP, threshold: 2, period: 5, limit: 1, lives: 1}
)

const everything = "*"

// decisions has for each rule of the judge a history that only this rule decides: without the rule, the claims would
// have another verdict. All other claims conform. The standing claims are named by their measure.
var decisions = map[string]struct {
	pod    pod
	change func(h *history)
	want   trial.Verdict
	claims []string
}{
	"unknown version": {ignoring, func(h *history) { h.kubelet = formula.Kubelet{Version: "unknown"} },
		trial.Unsupported, nil},
	"missing feature": {ignoring, func(h *history) {
		h.trial.Needs = []formula.Change{formula.SleepAction}
		h.kubelet.Version = "v1.23.1"
	}, trial.Unsupported, nil},
	"second cause first": {failing, func(h *history) {
		c := claims.Between(trial.Event("Evicted"), trial.Gone, formula.ExceededGrace)
		c.KillCause = formula.ByStorageLimit
		h.claim(c)
		h.e.Events = []timeline.Event{{Reason: "Evicted", At: timeline.Instant{At: h.at("sigterm") - 2e8}, Count: 1}}
	}, trial.Inconclusive, []string{everything}},
	"deadline before start": {ignoring, func(h *history) {
		h.trial.KillCause, h.trial.Faults, h.e.Faults = formula.ByDeadline, nil, nil
		fixtures.ActiveDeadline(13)(h.trial.Pod)
		h.claim(claims.Between(trial.PodStartTime, trial.SIGTERM, formula.DeadlineKills))
		h.e.Marks, h.e.API = nil, timeline.Shown(
			timeline.Change{At: instant(0), Phase: "Pending", StartTime: zero / int64(time.Second)},
			timeline.Change{At: instant(15 * time.Second), Phase: "Failed"},
		)
	}, trial.Inconclusive, []string{everything}},
	"synced by a start": {ignoring, func(h *history) {
		h.trial.Faults, h.e.Faults = nil, nil
		probe := fixtures.Readiness(fixtures.Probe{InitialDelaySeconds: 4, PeriodSeconds: 16})
		h.trial.Pod = fixtures.Pod(5, fixtures.Victim(victim.Run{}, probe), fixtures.Named("other", victim.Run{}))
		h.claim(claims.Between(trial.Gone.Of("other"), trial.FirstProbe(victim.Readiness), formula.OutOfTurn))
		h.e.API, h.e.Marks = h.e.API[:2], h.e.Marks[:2]
		h.probed(trial.Main, 1, 4700*ms, victim.Readiness, "S")
		h.note("other", 1, 4800*ms, mark.Started, mark.Detail{})
		h.note("other", 1, 11800*ms, mark.Gone, mark.Detail{})
	}, trial.Inconclusive, []string{everything}},
	"killed dead": {ignoring, func(h *history) {
		h.trial.Faults, h.e.Faults, h.trial.KillCause = nil, nil, formula.ByLiveness
		probe := fixtures.Liveness(fixtures.Probe{PeriodSeconds: 3, FailureThreshold: 3})
		h.trial.Pod = fixtures.Single(5, victim.Run{}, probe)
		h.claim(claims.Between(trial.Gone.Life(2), trial.Started.Life(3), formula.RestartDelay))
		h.e.API, h.e.Marks = h.e.API[:2], h.e.Marks[:2]
		h.probed(trial.Main, 1, 605*ms, victim.Liveness, "F")
		h.note(trial.Main, 1, 866*ms, mark.Gone, mark.Detail{})
		h.note(trial.Main, 2, 8288*ms, mark.Started, mark.Detail{})
		h.probed(trial.Main, 2, 9602*ms, victim.Liveness, "F")
		h.note(trial.Main, 2, 9810*ms, mark.Gone, mark.Detail{})
		h.note(trial.Main, 3, 14443*ms, mark.Started, mark.Detail{})
		h.e.Events = []timeline.Event{{Reason: "Killing", Container: trial.Main, Count: 1,
			Message: "Container victim failed liveness probe, will be restarted",
			At:      timeline.Instant{At: h.e.Marks[1].At + int64(11876*ms)}}}
		h.paused("start", 6*time.Second, 4*time.Second)
	}, trial.Inconclusive, []string{everything}},
	"doubt": {ignoring, func(h *history) {
		h.e.Losses = []delay.Loss{{From: h.at("death") + 1, To: h.at("death") + 1e9, Why: "the recorder restarted"}}
	}, trial.Inconclusive, []string{"death-to-object-deleted"}},
	"skipped state": {crashLoop, func(h *history) {
		h.claim(claims.Between(trial.Gone, trial.Waiting("CrashLoopBackOff"), formula.ShownAsCrashLoop))
		h.paused("death", 200*ms, 150*ms)
	}, trial.Inconclusive, []string{"death-to-crashloopbackoff-waiting"}},
	"absent in outage": {ignoring, func(h *history) {
		h.undeleted(time.Minute)
		h.unanswered("death", 2*time.Second)
	}, trial.Inconclusive, []string{"death-to-object-deleted"}},
	"killed before its mark": {ignoring, func(h *history) {
		h.claim(claims.Between(trial.SIGTERM, trial.Gone, formula.Remainder))
		h.without(mark.SIGTERM)
		h.paused("death", -ms, time.Second)
	}, trial.Inconclusive, []string{"sigterm-to-death"}},
	"overdue": {ignoring, func(h *history) { h.undeleted(9*time.Second + ms) },
		trial.Deviates, []string{"death-to-object-deleted"}},
	"never came": {ignoring, func(h *history) { h.undeleted(9*time.Second - ms) },
		trial.Inconclusive, []string{"death-to-object-deleted"}},
	"outside implemented": {ignoring, func(h *history) { h.longer("death", 400*ms) },
		trial.Deviates, []string{"sigterm-to-death"}},
	"outside documented": {short, func(*history) {}, trial.Divergent, []string{"sigterm-to-death"}},
	"inside":             {ignoring, func(*history) {}, trial.Conforms, []string{everything}},
	"assumed configuration": {crashLoop, func(h *history) {
		h.kubelet = formula.Kubelet{Version: newest.Version, Assumed: true}
		h.story = h.moved(moment{"start", 3}, -10*time.Second)
		h.e = h.evidence(h.trial)
	}, trial.Inconclusive, []string{"death-2-to-start-3"}},
	"delayed work": {ignoring, func(h *history) {
		h.longer("sigterm", 2500*ms)
		h.paused("sigterm", 0, 1400*ms)
		h.paused("sigterm", -1500*ms, 1100*ms)
	}, trial.Inconclusive, []string{"fault-to-death", "fault-to-sigterm"}},
	"delayed input": {withHook, func(h *history) {
		h.longer("hook-begin", time.Second)
		h.longer("death", -time.Second)
		h.paused("hook-begin", -300*ms, 500*ms)
	}, trial.Inconclusive, []string{"sigterm-to-death"}},
	"unlikely delay": {ignoring, func(h *history) {
		h.longer("sigterm", 2500*ms)
		h.busy(h.at("sigterm")-int64(3*time.Second), h.at("sigterm"), 0.5)
	}, trial.Inconclusive, []string{"fault-to-death", "fault-to-sigterm"}},
	"outage doubt": {ignoring, func(h *history) {
		h.claim(claims.Between(trial.Gone, trial.ObjectDeleted, formula.ObjectDeleted))
		h.unanswered("death", 2*time.Second)
	}, trial.Inconclusive, []string{"death-to-object-deleted"}},
	"masked known mistake": {short, func(h *history) {
		h.claim(claims.Between(trial.SIGTERM, trial.Gone, formula.Remainder, formula.NoMinimum))
		h.paused("death", -300*ms, 1200*ms)
	}, trial.Inconclusive, []string{"sigterm-to-death"}},
}

// busy adds samples of PSI: in a share of a span, some task waited for a core.
func (h *history) busy(from, to int64, share float64) {
	const step = int64(250 * ms)
	waited := 0.0
	for at := from - int64(time.Minute); at < to+int64(time.Minute); at += step {
		if h.delays.PSI = append(h.delays.PSI, delay.Sample{At: at, CPUNS: int64(waited)}); at >= from && at < to {
			waited += share * float64(step)
		}
	}
}

// standing has for each standing claim a history in which only this claim deviates.
var standing = map[string]struct {
	pod    pod
	change func(h *history)
}{
	"created-to-start":       {ignoring, func(h *history) { h.longer("start", 10*time.Second) }},
	"start-to-phase-running": {ignoring, func(h *history) { h.e.API[1].At.At += int64(4 * time.Second) }},
	"kills-uncaused": {ignoring, func(h *history) {
		h.claim(claims.New(trial.StopSignals(), formula.StopSignals))
		h.e.Faults = nil
	}},
	"restarts-uncaused": {crashLoop, func(h *history) {
		fixtures.RestartPolicy(corev1.RestartPolicyNever)(h.trial.Pod)
		h.claim(claims.New(trial.DeathCode(), formula.DeathCode))
	}},
	"evictions-uncaused": {ignoring, func(h *history) {
		h.e.Events = []timeline.Event{{Reason: "Preempting", At: timeline.Instant{At: h.at("death")}, Count: 1}}
	}},
	"false-ends": {crashLoop, func(h *history) {
		h.shown(func(c *timeline.Change, _ *timeline.End) { c.At.At -= int64(2 * time.Second) })
	}},
	"false-end-times": {crashLoop, func(h *history) {
		h.shown(func(_ *timeline.Change, e *timeline.End) { e.FinishedAt -= 5 })
	}},
	"false-exit-codes": {crashLoop, func(h *history) {
		h.shown(func(_ *timeline.Change, e *timeline.End) { e.ExitCode = 1 })
	}},
	"false-lost-ends": {crashLoop, func(h *history) {
		h.shown(func(_ *timeline.Change, e *timeline.End) { e.Reason = "ContainerStatusUnknown" })
	}},
	"false-failures": {failing, func(h *history) {
		read := timeline.Instant{At: h.e.Known}
		h.e.Counters = &timeline.Counters{Asked: read, Answered: read,
			Failed: map[string]map[string]int{trial.Main: {victim.Liveness: 3}}}
	}},
}

func newHistory(p pod) *history {
	r := random{rand.New(rand.NewPCG(1, 0))}
	tr, k := p.trial()
	tr.Worker = nil
	s := r.story(p)
	return &history{tr, s.evidence(tr), delay.Record{}, k, s}
}

// decidedBy compares a result with a verdict of some claims by a rule. All others are inside.
func decidedBy(t *testing.T, r trial.Result, rule string, want trial.Verdict, of []string) {
	g, found := gomega.NewWithT(t), []string{}
	for _, f := range r.Findings {
		if f.Rule == "inside" && rule != "inside" {
			continue
		}
		found = append(found, f.Claim)
		g.Expect(f.Verdict).To(gomega.Equal(want), "%s by %s: %s", f.Claim, f.Rule, f.Why)
		g.Expect(f.Rule).To(gomega.Equal(rule), "%s: %s", f.Claim, f.Why)
	}
	slices.Sort(found)
	if slices.Equal(of, []string{everything}) {
		g.Expect(found).To(gomega.HaveLen(len(r.Findings)))
		return
	}
	g.Expect(found).To(gomega.HaveExactElements(of))
}

// ofTrials are the rules that judge a whole trial. One that casts doubt on it does so by the rule "doubt".
var ofTrials = map[string]string{
	"unknown version": "", "missing feature": "", "second cause first": "doubt", "deadline before start": "doubt",
	"synced by a start": "doubt", "killed dead": "doubt",
}

// Each rule of the judge has a history that only this rule decides.
func TestEachRuleDecides(t *testing.T) {
	for rule, c := range decisions {
		t.Run(rule, func(t *testing.T) {
			g, h := gomega.NewWithT(t), newHistory(c.pod)
			c.change(h)
			r := h.result()
			g.Expect(r.Verdict).To(gomega.Equal(c.want), explained(r))
			by, whole := ofTrials[rule]
			if whole {
				g.Expect(r.Doubts).To(gomega.HaveLen(1))
				decidedBy(t, r, by, trial.Inconclusive, c.claims)
				return
			}
			decidedBy(t, r, rule, c.want, c.claims)
		})
	}
	for claim, c := range standing {
		t.Run(claim, func(t *testing.T) {
			h := newHistory(c.pod)
			c.change(h)
			decidedBy(t, h.result(), "outside implemented", trial.Deviates, []string{claim})
		})
	}
	t.Run("pooled misses", func(t *testing.T) {
		c := decisions["unlikely delay"]
		h := newHistory(c.pod)
		c.change(h)
		p := judge.Pool([]trial.Result{h.result(), h.result()})
		gomega.NewWithT(t).Expect(p.Verdict).To(gomega.Equal(trial.Deviates))
		decidedBy(t, p.Results[0], "pooled misses", trial.Deviates, c.claims)
	})
}

// The table has every rule of the judge.
func TestEachRuleHasAHistory(t *testing.T) {
	g := gomega.NewWithT(t)
	text, err := os.ReadFile("../harness/measure/judge/judge.go")
	g.Expect(err).NotTo(gomega.HaveOccurred())
	names, err := os.ReadFile("../harness/measure/judge/case.go")
	g.Expect(err).NotTo(gomega.HaveOccurred())
	constants := map[string]string{}
	for _, m := range regexp.MustCompile(`(?m)^\t(\w+) += "(.*)"$`).FindAllSubmatch(names, -1) {
		constants[string(m[1])] = string(m[2])
	}
	var all, known []string
	for _, m := range regexp.MustCompile(`\bname: (?:"([^"]*)"|(\w+)),`).FindAllSubmatch(text, -1) {
		all = append(all, string(m[1])+constants[string(m[2])])
	}
	for rule := range decisions {
		known = append(known, rule)
	}
	g.Expect(known).To(gomega.ConsistOf(all))
}
