package suites

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/onsi/gomega"

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

// stories is how many pods are drawn.
const stories = 150

// shared are histories in which another claim is always outside, too.
var shared = []string{
	"below fault-to-hook-begin", // a kill before its cause has none
	"below start-2-to-sigterm-2", "one probe more", "one probe less",
}

// seed returns the fixed seed of the histories, or PODCLOCK_HISTORIES_SEED.
func seed(t *testing.T) uint64 {
	text := cmp.Or(os.Getenv("PODCLOCK_HISTORIES_SEED"), "1")
	n, err := strconv.ParseUint(text, 10, 64)
	gomega.NewWithT(t).Expect(err).NotTo(gomega.HaveOccurred())
	return n
}

// The judge finds what a history has outside its windows, and nothing else. Random pods have random histories: with
// everything on time, with one interval exactly at each end of its window, and with one a nanosecond beyond. Where
// intervals overlap, more than one can be outside, and the judge must find all of these.
func TestJudgeFindsExactlyWhatIsOutside(t *testing.T) {
	r, number := random{rand.New(rand.NewPCG(seed(t), 0))}, 0
	skipped, sole := 0, map[string]bool{}
	for range stories {
		p := r.pod()
		tr, k := p.trial()
		// check judges a story in which one claim should be outside, or none.
		check := func(what, claim string, s *story) {
			want, sharp := s.outside()
			if !sharp {
				skipped++
				return
			}
			sole[what] = sole[what] || strings.Join(want, " ") == claim
			if number++; !slices.Equal(s.deviating(tr, k), want) {
				found := explained(s.judge(tr, k))
				t.Errorf("%s of %+v\nthe model finds %v\nthe judge finds:\n%s", what, p, want, found)
			}
		}
		s := r.story(p)
		all, _ := s.intervals()
		checkClaims(t, s, tr, k, all)
		check("on time", "", s)
		for _, i := range all {
			check("upper end of "+i.claim, "", s.with(i, true, 0))
			check("above "+i.claim, i.claim, s.with(i, true, 1))
			if !i.late {
				check("lower end of "+i.claim, "", s.with(i, false, 0))
			}
			if !i.late && !i.ordered {
				check("below "+i.claim, i.claim, s.with(i, false, -1))
			}
		}
		for life := 1; life <= p.lives && p.lives > 1; life++ {
			check("one probe more", fmt.Sprint(life), s.more(life))
			if p.threshold > 1 {
				check("one probe less", fmt.Sprint(life), s.fewer(life))
			}
		}
	}
	t.Logf("%d stories, %d histories, %d skipped", stories, number, skipped)
	gomega.NewWithT(t).Expect(number).To(gomega.BeNumerically(">", 10*skipped), "few histories are skipped")
	for what, is := range sole {
		if !is && !slices.Contains(shared, what) && seed(t) == 1 { // others may draw too few with this number
			t.Errorf("%s: nowhere is nothing else outside", what)
		}
	}
}

// checkClaims checks that the trial is possible, that its claims on times are those of the model, and that the story
// is on time.
func checkClaims(t *testing.T, s *story, tr trial.Trial, k formula.Kubelet, all []interval) {
	g := gomega.NewWithT(t)
	_, err := victim.ParseRun(tr.Pod.Spec.Containers[0].Args)
	g.Expect(err).NotTo(gomega.HaveOccurred())
	g.Expect(tr.Check()).To(gomega.Succeed())
	outside, _ := s.outside()
	g.Expect(outside).To(gomega.BeEmpty())
	var times, known []string
	for _, f := range s.judge(tr, k).Findings {
		if f.Implemented.Unit == formula.Nanoseconds {
			times = append(times, f.Claim)
		}
	}
	for _, i := range all {
		known = append(known, i.claim)
	}
	g.Expect(times).To(gomega.ConsistOf(known), "%+v", s.pod)
}

func (s *story) judge(tr trial.Trial, k formula.Kubelet) trial.Result {
	return judge.Judge(tr, timeline.Build(s.evidence(tr), delay.Record{}), delay.Record{}, k)
}

// deviating returns the claims that deviate, in order. It also returns what a history must not have: a doubt, or a
// claim that is inconclusive.
func (s *story) deviating(tr trial.Trial, k formula.Kubelet) (all []string) {
	r := s.judge(tr, k)
	for _, f := range r.Findings {
		switch f.Verdict {
		case trial.Conforms, trial.Divergent:
		case trial.Deviates:
			all = append(all, f.Claim)
		default:
			all = append(all, f.Claim+" is "+string(f.Verdict))
		}
	}
	all = append(all, r.Doubts...)
	slices.Sort(all)
	return all
}

// claimsOf returns the claims of trials of the catalogue, each once, without some.
func claimsOf(ids []string, without ...string) (all []trial.Claim) {
	for _, id := range ids {
		for _, c := range byID[id].Claims {
			known := func(k trial.Claim) bool { return k.ID() == c.ID() }
			if !slices.Contains(without, c.ID()) && !slices.ContainsFunc(all, known) {
				all = append(all, c)
			}
		}
	}
	return all
}

// trial returns a trial with the drawn parameters, and with the catalogue's claims on such a pod.
func (p pod) trial() (trial.Trial, formula.Kubelet) {
	tr := trial.Trial{ID: "histories/" + strings.ReplaceAll(string(p.why), " ", "-"), About: "A history.",
		Pod: fixtures.Single(p.grace, p.run(), p.options()...), Lasts: 2 * time.Minute}
	config := map[string]any{}
	switch p.why {
	case byDelete, byEviction:
		tr.Faults = []trial.Fault{trial.Delete()}
		if p.option != nil {
			tr.Faults = []trial.Fault{trial.DeleteWithin(*p.option)}
		}
		if p.why == byEviction {
			tr.Faults = []trial.Fault{trial.Evict()}
		}
		tr.Claims = p.deleted()
	case byLiveness:
		tr.KillCause = formula.ByLiveness
		base := []string{"probes/liveness-http-three-lives", "probes/grid-http-p2-n3-t2-d0"}[max(0, 3-p.lives):]
		switch {
		case p.lives > 1:
		case !p.marked():
			base = []string{"probes/liveness-grace-shorter"}
		case p.hangs:
			base = []string{"probes/liveness-grace-hook-hangs"}
		default:
			base = []string{"probes/liveness-hook"}
		}
		if tr.Claims = claimsOf(base); p.hook != noHandler && !p.marked() {
			tr.Claims = append(tr.Claims, claims.New(trial.HookRuns(), formula.HookRuns))
		}
	case byStartup:
		tr.KillCause = formula.ByStartup
		tr.Claims = claimsOf([]string{"probes/startup-grace"})
		if p.marked() {
			tr.Claims = []trial.Claim{claims.New(trial.FailingProbes(victim.Startup, 1), formula.FailingProbes),
				claims.New(trial.HookRuns(), formula.HookRuns)}
			if p.hangs {
				tr.Claims = append(tr.Claims, claims.Between(trial.HookBegan, trial.SIGTERM, formula.HookBound))
			} else {
				tr.Claims = append(tr.Claims, claims.HookCompletes...)
			}
			tr.Claims = append(tr.Claims, claims.Death(trial.Main, formula.Remainder)...)
		}
	case byHard, bySoft:
		tr.KillCause = formula.ByHardEviction
		if p.why == bySoft {
			tr.KillCause = formula.BySoftEviction
		}
		config["evictionMaxPodGracePeriod"] = p.most
		base := "eviction/bytes-soft"
		if p.hook != noHandler {
			base = "eviction/pod-limit-hook-hangs"
		}
		tr.Claims = claimsOf([]string{base}, "filled-to-sigterm", "filled-to-hook-begin")
	case byItself:
		base := "restarts/crash-exit-1-to-300s"
		if slices.Max(p.lasts) > forgottenAt {
			base = "restarts/forgotten-while-waiting"
		}
		if p.killed {
			base, tr.KillCause = "restarts/liveness-to-300s", formula.ByLiveness
		}
		n := len(p.lasts)
		tr.Claims = slices.Clone(byID[base].Claims[:n-1])
		tr.Claims = append(tr.Claims, claims.New(trial.RestartCount(n), formula.RestartCount))
		config["crashLoopBackOff"] = map[string]any{"maxContainerRestartPeriod": p.longest.String()}
	}
	tr.Worker = &trial.Worker{Name: "histories", KubeletConfig: config}
	return tr, configured(tr)
}

// deleted returns the claims on a deleted pod.
func (p pod) deleted() []trial.Claim {
	base := map[handler]string{noHandler: "termination/grace-5", byMissing: "termination/hook-binary-missing",
		bySleep: "termination/sleep-hook-4s-of-10s", byExec: "termination/exec-hook-3500ms-of-10s",
		byHTTP: "termination/exec-hook-3500ms-of-10s"}[p.hook]
	if p.hangs {
		base = "termination/http-hook-hangs"
	}
	without := []string{"exit-code", "death-to-object-deleted"}
	graceful := claims.DeletedGracefully
	if p.obeys {
		without = append(without, "sigterm-to-death", "sigterms")
	}
	if p.ends() {
		without = append(without, "fault-to-death")
	}
	all := append(claimsOf([]string{base}, without...), claims.New(trial.DeletionGrace(1), formula.DeletionGrace))
	if p.obeys {
		all = append(all, claims.Death(trial.Main, formula.ObeyedSignal)...)
	}
	if p.forced() {
		return append(all, claims.DeletedAtOnce...)
	}
	return append(all, graceful...)
}

func (p pod) run() victim.Run {
	run := victim.Run{Term: victim.Ignore, ExitCode: 3}
	if p.lives > 1 || p.why == byItself {
		run.Term = victim.ExitNow
	}
	if p.obeys {
		run.Term, run.TermDelay = victim.ExitAfter, p.after
	}
	if p.why == byItself && !p.killed {
		run.ExitAfter = p.lasts
	}
	answer := victim.Scripts("F")
	if p.silent {
		answer = "H"
	}
	if p.byProbe() || p.killed {
		run.Liveness, run.Startup = answer, answer
	}
	if p.hook == byHTTP {
		run.HookSleep, run.HookHang = p.takes, p.hangs
	}
	return run
}

func (p pod) options() (all []fixtures.Option) {
	switch p.hook {
	case byExec:
		all = append(all, fixtures.ExecPreStop(victim.Hook{Sleep: p.takes, Hang: p.hangs}))
	case byHTTP:
		all = append(all, fixtures.HTTPPreStop())
	case bySleep:
		all = append(all, fixtures.SleepPreStop(int64(p.takes/time.Second)))
	case byMissing:
		all = append(all, fixtures.MissingPreStop())
	}
	probe := fixtures.Probe{Handler: fixtures.Handler(p.prober), InitialDelaySeconds: int32(p.initial),
		PeriodSeconds: int32(p.period), TimeoutSeconds: int32(p.limit), FailureThreshold: int32(p.threshold),
		TerminationGracePeriodSeconds: p.probeGrace}
	switch {
	case p.why == byLiveness:
		all = append(all, fixtures.Liveness(probe))
	case p.why == byStartup:
		all = append(all, fixtures.Startup(probe))
	case p.killed:
		all = append(all, fixtures.Liveness(fixtures.Probe{PeriodSeconds: 1, TimeoutSeconds: 1, FailureThreshold: 1}))
	}
	return all
}

// evidence returns what podclock records of a story.
func (s *story) evidence(tr trial.Trial) timeline.Evidence {
	e := timeline.Evidence{Pod: "ns/pod", UID: "uid"}
	id := mark.Identity{Pod: "ns/pod", UID: "uid", Container: trial.Main, Role: mark.Run}
	own, index := s.ownCode(), map[int]int{}
	show := func(at time.Duration, c timeline.Change) {
		c.At = instant(at)
		e.API = append(e.API, timeline.Shown(c)...)
	}
	for _, h := range s.all {
		note := func(kind mark.Kind, d mark.Detail) {
			r := mark.Record{At: zero + int64(h.at), Sent: zero + int64(h.at-h.early), Conn: uint64(h.life),
				Identity: id, Life: h.life, Kind: kind, Detail: d}
			if s.hook == byExec && (kind == mark.HookBegan || kind == mark.HookEnded) {
				r.Role, r.Conn = mark.Hook, 100
			}
			if kind == mark.Gone || kind == mark.Connected {
				r.Sent = 0
			}
			e.Marks = append(e.Marks, r)
		}
		status := timeline.ContainerStatus{Name: trial.Main, RestartCount: int32(h.life - 1), State: "running"}
		switch h.name {
		case "created":
			show(h.at, timeline.Change{Phase: "Pending"})
		case "start":
			note(mark.Connected, mark.Detail{})
			note(mark.Started, mark.Detail{})
			if h.life > 1 {
				show(h.at+5*ms, timeline.Change{Containers: []timeline.ContainerStatus{status}})
			}
		case "phase-running":
			show(h.at, timeline.Change{Phase: "Running", Containers: []timeline.ContainerStatus{
				{Name: trial.Main, State: "running"}}})
		case "fault":
			grace := s.accepted()
			e.Faults = []timeline.Fault{{What: string(tr.Faults[0].Action), At: instant(h.at)}}
			show(h.at+5*ms, timeline.Change{DeletionGracePeriodSeconds: &grace,
				DeletionTimestamp: (zero+int64(h.at))/int64(time.Second) + grace})
		case "event-evicted":
			e.Events = []timeline.Event{{At: instant(h.at), Reason: "Evicted", Count: 1}}
		case probed:
			answer := s.run().Script(s.probeKind()).At(h.life, index[h.life])
			note(mark.Probed, mark.Detail{Probe: &mark.ProbeDetail{For: s.probeKind(), Handler: string(s.prober),
				Index: index[h.life], Answer: answer.String()}})
			index[h.life]++
		case "hook-begin":
			note(mark.HookBegan, mark.Detail{})
		case "hook-end":
			note(mark.HookEnded, mark.Detail{})
		case "sigterm":
			note(mark.SIGTERM, mark.Detail{})
		case "death":
			code := int32(137)
			if own {
				exit := 3
				code = 3
				note(mark.Exiting, mark.Detail{ExitCode: &exit})
				e.Marks[len(e.Marks)-1].Sent = zero + int64(h.at)
			}
			note(mark.Gone, mark.Detail{})
			status.State, status.Ended = "terminated", &timeline.End{Life: h.life, ExitCode: code,
				FinishedAt: (zero + int64(h.at)) / int64(time.Second)}
			if !s.forced() && !s.evicted() {
				show(h.at+ms, timeline.Change{Containers: []timeline.ContainerStatus{status}})
			}
		case "object-deleted":
			show(h.at, timeline.Change{Deleted: true})
		case "phase-failed":
			dead := s.get("death", 1)
			ended := &timeline.End{Life: 1, ExitCode: 137, FinishedAt: (zero + int64(dead.at)) / int64(time.Second)}
			show(h.at, timeline.Change{Phase: "Failed", Reason: "Evicted", Conditions: []string{"DisruptionTarget"},
				Containers: []timeline.ContainerStatus{{Name: trial.Main, State: "terminated", Ended: ended}}})
		}
		e.Known = max(e.Known, zero+int64(h.at+time.Minute))
	}
	slices.SortStableFunc(e.Marks, func(a, b mark.Record) int { return cmp.Compare(a.At, b.At) })
	sent := map[uint64]int{}
	for i := range e.Marks {
		r := &e.Marks[i]
		if r.Seq = uint64(i + 1); r.Sent != 0 {
			sent[r.Conn]++
			r.N = sent[r.Conn]
		}
	}
	slices.SortStableFunc(e.API, func(a, b timeline.Version) int { return cmp.Compare(a.At.At, b.At.At) })
	return e
}

func (s *story) probeKind() string { return string(s.why) }

// ownCode reports whether the process ends by itself.
func (s *story) ownCode() bool {
	if s.why == byItself || s.lives > 1 {
		return true
	}
	return s.ends()
}
