package reports

import (
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/podclock/podclock/harness/delay"
	"github.com/podclock/podclock/harness/formula"
	"github.com/podclock/podclock/harness/judge"
	"github.com/podclock/podclock/harness/mark"
	"github.com/podclock/podclock/harness/timeline"
	"github.com/podclock/podclock/harness/trial"
)

// The fixture is a run of nine trials on two subjects, one of them with a mutated kubelet. Its evidence is
// made up, its verdicts are the judge's own: it has all five, a diagnosis, a deviation without one, doubts,
// a trial that was retried and one that never ran.

const (
	clean  = "v1.36.3"
	mutant = "v1.36.3+resultrun-one"
)

var began = time.Date(2026, time.March, 2, 10, 0, 0, 0, time.UTC)

// seenAt is an instant of the fixture, as the recorder would stamp it.
func seenAt(after time.Duration) int64 { return began.Add(after).UnixNano() }

// recording makes up the evidence of one pod: marks of one main process per life, and of its hook.
type recording struct {
	evidence timeline.Evidence
	lines    map[uint64]int
}

func record(pod string) *recording {
	return &recording{
		evidence: timeline.Evidence{Pod: "podclock/" + pod, UID: "uid-of-" + pod},
		lines:    map[uint64]int{},
	}
}

func (r *recording) mark(
	after time.Duration,
	conn uint64,
	role mark.Role,
	life int,
	kind mark.Kind,
	detail mark.Detail,
) *recording {
	m := mark.Record{
		Seq: uint64(len(r.evidence.Marks) + 1), At: seenAt(after), Conn: conn, Life: life, Kind: kind, Detail: detail,
		Identity: mark.Identity{Pod: r.evidence.Pod, UID: r.evidence.UID, Container: trial.Main, Role: role},
	}
	if kind != mark.Connected && kind != mark.Gone {
		r.lines[conn]++
		m.N, m.Sent = r.lines[conn], m.At-int64(200*time.Microsecond)
	}
	r.evidence.Marks = append(r.evidence.Marks, m)
	r.evidence.Known = max(r.evidence.Known, m.At)
	return r
}

// main is a mark of a life's main process, whose connection has the life's number.
func (r *recording) main(after time.Duration, life int, kind mark.Kind) *recording {
	return r.mark(after, uint64(life), mark.Run, life, kind, mark.Detail{})
}

func (r *recording) hook(after time.Duration, kind mark.Kind) *recording {
	return r.mark(after, 100, mark.Hook, 1, kind, mark.Detail{})
}

func (r *recording) probe(after time.Duration, life int, answer string) *recording {
	return r.mark(after, uint64(life), mark.Run, life, mark.Probed,
		mark.Detail{Probe: &mark.ProbeDetail{For: "liveness", Handler: "exec", Answer: answer}})
}

func (r *recording) deleted(after time.Duration) *recording {
	r.evidence.Cues = append(
		r.evidence.Cues,
		timeline.Cue{What: "delete", At: timeline.Instant{At: seenAt(after), Late: int64(3 * time.Millisecond)}},
	)
	return r
}

// lost leaves out a line of a connection, as a recorder does that ran out of memory.
func (r *recording) lost(conn uint64) *recording {
	r.lines[conn]++
	return r
}

func pod(grace int64, c corev1.Container) *corev1.Pod {
	c.Name = trial.Main
	return &corev1.Pod{Spec: corev1.PodSpec{TerminationGracePeriodSeconds: &grace, Containers: []corev1.Container{c}}}
}

func ignoring(id string, grace int64, c corev1.Container) trial.Trial {
	return trial.Trial{
		ID:    id,
		About: "A process that ignores SIGTERM is deleted.",
		Pod:   pod(grace, c),
		Cues:  []trial.Cue{trial.Delete()},
		Lasts: 8 * time.Second,
		Claims: []trial.Claim{
			{Measure: trial.Between(trial.SIGTERM, trial.Gone), Formula: remainder},
			{Measure: trial.Between(trial.Cued, trial.Gone), Formula: killLength},
		},
	}
}

// catalogue is the trials of the fixture.
func catalogue() map[string]trial.Trial {
	execHook := corev1.Container{
		Lifecycle: &corev1.Lifecycle{PreStop: &corev1.LifecycleHandler{Exec: &corev1.ExecAction{}}},
	}
	liveness := corev1.Container{LivenessProbe: &corev1.Probe{
		ProbeHandler: corev1.ProbeHandler{Exec: &corev1.ExecAction{}}, PeriodSeconds: 2, FailureThreshold: 3,
	}}
	list := []trial.Trial{
		ignoring("termination/ignored-sigterm", 5, corev1.Container{}),
		ignoring("termination/grace-of-one-second", 1, corev1.Container{}),
		ignoring("termination/hook-time-is-cut-to-whole-seconds", 10, execHook),
		ignoring("termination/hook-over-http", 10, corev1.Container{}),
		{
			ID:     "termination/exits-on-sigterm",
			About:  "A process that exits on SIGTERM is deleted.",
			Pod:    pod(5, corev1.Container{}),
			Cues:   []trial.Cue{trial.Delete()},
			Lasts:  4 * time.Second,
			Claims: []trial.Claim{{Measure: trial.Between(trial.SIGTERM, trial.Gone), Formula: obeyed}},
		},
		{
			ID:        "probes/exec-liveness-fails",
			About:     "A liveness probe fails from the first time on, in every life.",
			Pod:       pod(2, liveness),
			KillCause: formula.ByLiveness,
			Lasts:     20 * time.Second,
			Claims: []trial.Claim{
				{
					Measure: trial.FailingProbes("liveness", 1),
					Formula: failingProbes,
					Rivals:  []formula.Rival{resultRunOne},
				},
				{
					Measure: trial.FailingProbes("liveness", 2),
					Formula: failingProbes,
					Rivals:  []formula.Rival{resultRunOne},
				},
				{Measure: trial.Between(trial.SIGTERM, trial.SIGTERM.Life(2)), Formula: spacing},
			},
		},
		{
			ID:        "probes/streak-survives-a-crash",
			About:     "A container crashes after two failing probes; the third comes in its next life.",
			Pod:       pod(2, liveness),
			KillCause: formula.ByLiveness,
			Lasts:     12 * time.Second,
			Claims:    []trial.Claim{{Measure: trial.FailingProbes("liveness", 2), Formula: failingProbes}},
		},
		{
			ID:        "probes/flapping",
			About:     "A probe fails now and then, never often enough in a row.",
			Pod:       pod(2, liveness),
			KillCause: formula.ByLiveness,
			Lasts:     10 * time.Second,
			Claims:    []trial.Claim{{Measure: trial.StopSignals(), Formula: noKill}},
		},
	}
	trials := map[string]trial.Trial{}
	for _, t := range list {
		trials[t.ID] = t
	}
	return trials
}

func lookUp(id string) (trial.Trial, bool) {
	t, ok := catalogue()[id]
	return t, ok
}

// killed is the evidence of a process that ignores SIGTERM: signalled 1.2 s after the delete, dead some
// time after that.
func killed(pod string, left time.Duration) timeline.Evidence {
	return record(pod).main(0, 1, mark.Connected).main(time.Millisecond, 1, mark.Started).deleted(3*time.Second).
		main(4200*time.Millisecond, 1, mark.SIGTERM).main(4200*time.Millisecond+left, 1, mark.Gone).evidence
}

// failing is the evidence of a victim whose second life sees so many failing probes.
func failing(pod string, second int) timeline.Evidence {
	r := record(pod).main(0, 1, mark.Connected).main(time.Millisecond, 1, mark.Started)
	at := 1500 * time.Millisecond
	for range 3 {
		r.probe(at, 1, "F")
		at += 2 * time.Second
	}
	r.main(at-1950*time.Millisecond, 1, mark.SIGTERM).main(at+70*time.Millisecond, 1, mark.Gone)
	r.main(at+500*time.Millisecond, 2, mark.Connected).main(at+501*time.Millisecond, 2, mark.Started)
	at += 2 * time.Second
	for range second {
		r.probe(at, 2, "F")
		at += 2 * time.Second
	}
	return r.main(at-1950*time.Millisecond, 2, mark.SIGTERM).main(at+70*time.Millisecond, 2, mark.Gone).evidence
}

// noise is a stall that spoils the first attempt of the trial that is retried, and nothing else.
var noise = delay.Record{
	LateTicks: []delay.Span{{From: seenAt(64 * time.Second), To: seenAt(64600 * time.Millisecond)}},
}

// outcome judges a trial's evidence as a run does.
func outcome(subject, id string, took time.Duration, evidence ...timeline.Evidence) Outcome {
	t := catalogue()[id]
	o := Outcome{Trial: id, About: t.About, Subject: subject}
	for i, e := range evidence {
		o.Attempts = append(o.Attempts, Attempt{
			Started: began.Add(time.Duration(i) * took), Took: took, Evidence: e,
			Result: judge.Judge(t, timeline.Build(e, noise), noise, formula.Kubelet{Version: "v1.36.3"}),
		})
		o.Verdict = o.Last().Result.Verdict
	}
	return o
}

// fixture is the run.
func fixture() Run {
	r := Run{
		Schema:   Schema,
		ID:       "20260302-095800",
		Started:  began.Add(-2 * time.Minute),
		Ready:    began,
		Reported: began.Add(25 * time.Second),
		Environment: Environment{
			Podclock:  "0123456789ab",
			Go:        "go1.26.0",
			Kernel:    "6.12.1",
			CPUs:      2,
			Engine:    "docker 28.1.0",
			NodeImage: "localhost/podclock/node:0123456789ab",
		},
		Subjects: []Subject{
			{Name: clean, Node: "podclock-worker", Kubelet: formula.Kubelet{Version: "v1.36.3"}},
			{
				Name:     mutant,
				Node:     "podclock-worker2",
				Kubelet:  formula.Kubelet{Version: "v1.36.3"},
				Mutation: "resultrun-one",
			},
		},
		Nodes: []Node{
			{Name: "podclock-worker", Subject: clean, Delays: noise},
			{Name: "podclock-worker2", Subject: mutant, Delays: noise},
		},
	}
	hooked := record(
		"hooked",
	).main(0, 1, mark.Connected).
		main(time.Millisecond, 1, mark.Started).
		deleted(3*time.Second).
		hook(3500*time.Millisecond, mark.HookBegan).
		hook(8400*time.Millisecond, mark.HookEnded).
		main(8420*time.Millisecond, 1, mark.SIGTERM).
		main(14430*time.Millisecond, 1, mark.Gone).
		evidence
	// The node was stalled from 64 s to 64.6 s, before this process died 0.9 s after its signal.
	late := record(
		"late",
	).main(60*time.Second, 1, mark.Connected).
		main(60001*time.Millisecond, 1, mark.Started).
		deleted(63*time.Second).
		main(64100*time.Millisecond, 1, mark.SIGTERM).
		main(65*time.Second, 1, mark.Gone).
		evidence
	obeys := record("obeys").main(0, 1, mark.Connected).main(time.Millisecond, 1, mark.Started).deleted(3*time.Second).
		main(3600*time.Millisecond, 1, mark.SIGTERM).main(3612*time.Millisecond, 1, mark.Gone).evidence
	crash := record(
		"crash",
	).main(0, 1, mark.Connected).
		main(time.Millisecond, 1, mark.Started).
		probe(1500*time.Millisecond, 1, "F").
		probe(3500*time.Millisecond, 1, "F").
		main(3701*time.Millisecond, 1, mark.Gone).
		main(5*time.Second, 2, mark.Connected).
		main(5001*time.Millisecond, 2, mark.Started).
		probe(5500*time.Millisecond, 2, "F").
		main(5550*time.Millisecond, 2, mark.SIGTERM).
		main(7560*time.Millisecond, 2, mark.Gone).
		evidence
	flapping := record(
		"flapping",
	).main(0, 1, mark.Connected).
		main(time.Millisecond, 1, mark.Started).
		probe(1500*time.Millisecond, 1, "F").
		probe(3500*time.Millisecond, 1, "F").
		lost(1).
		probe(7500*time.Millisecond, 1, "F").
		main(12*time.Second, 1, mark.Gone).
		evidence
	for _, s := range []string{clean, mutant} {
		second := 3
		if s == mutant {
			second = 2
		}
		r.Outcomes = append(
			r.Outcomes,
			outcome(s, "termination/ignored-sigterm", 9*time.Second, killed("ignored", 5021*time.Millisecond)),
			outcome(s, "probes/exec-liveness-fails", 20*time.Second, failing("failing", second)),
			outcome(s, "termination/grace-of-one-second", 6*time.Second, killed("grace", 2034*time.Millisecond)),
			outcome(s, "termination/hook-time-is-cut-to-whole-seconds", 15*time.Second, hooked),
			outcome(s, "termination/exits-on-sigterm", 5*time.Second, late, obeys),
			outcome(s, "probes/streak-survives-a-crash", 8*time.Second, crash),
			Outcome{
				Trial:   "termination/sleep-of-zero",
				About:   "A hook sleeps for no time.",
				Subject: s,
				Verdict: trial.Unsupported,
				Why:     "the kubelet has no PodLifecycleSleepActionAllowZero",
			},
			outcome(s, "probes/flapping", 12*time.Second, flapping, flapping),
			Outcome{
				Trial:   "termination/hook-over-http",
				About:   "A hook is a request.",
				Subject: s,
				Verdict: trial.Inconclusive,
				Why:     "it never ran: the run was interrupted before its pod was created",
			},
		)
	}
	return r
}

// conforming is a run in which everything is well.
func conforming() Run {
	r := fixture()
	r.Subjects = r.Subjects[:1]
	r.Outcomes = r.Outcomes[:4]
	return r
}

// failedSetUp is a run whose cluster never got ready.
func failedSetUp() Run {
	r := fixture()
	r.Ready, r.Reported = time.Time{}, r.Started.Add(4*time.Minute)
	r.Problems = []string{
		"booting the cluster: node podclock-worker was not Ready within 3m0s: look at its kubelet's log",
	}
	for i := range r.Outcomes {
		r.Outcomes[i].Attempts = nil
		r.Outcomes[i].Verdict, r.Outcomes[i].Why = trial.Inconclusive, "it never ran: the cluster never got ready"
	}
	return r
}
