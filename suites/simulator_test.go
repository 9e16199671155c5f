package suites

import (
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/podclock/podclock/harness/measure/mark"
	"github.com/podclock/podclock/harness/measure/timeline"
	"github.com/podclock/podclock/harness/measure/trial"
	"github.com/podclock/podclock/harness/measure/victim"
)

// kubelet is a kubelet of a few dozen lines, written from the rules in Kubernetes' source and not from package
// formula, so that the two check each other. It reads a trial's pod like a node and writes the marks of its victims.
// Each field but node breaks one rule.
type kubelet struct {
	node node
	// late returns the delay of one step that would begin at a time on an idle node, nil for none.
	late func(at time.Duration) time.Duration
	// hookNotSubtracted gives the full grace period again after a preStop hook (1.22 to 1.27).
	hookNotSubtracted bool
	// hookRoundedUp counts the hook's last, incomplete second as a whole one; hookExact subtracts its fraction.
	hookRoundedUp, hookExact bool
	// hookSkipped runs no hook; hookUnbounded waits for one that hangs, whatever the grace period.
	hookSkipped, hookUnbounded bool
	// inTurn kills a pod's containers one after another.
	inTurn bool
	// noMinimum lets a container have less than two seconds.
	noMinimum bool
	// optionIgnored ignores the delete request's grace period, probeGraceIgnored the probe's.
	optionIgnored, probeGraceIgnored bool
	// delayIgnored probes from the start on.
	delayIgnored bool
	// timeoutsIgnored does not count a probe without an answer; successIgnored counts failures on after a success.
	timeoutsIgnored, successIgnored bool
	// run returns the count of failures after a kill by a probe: 0, with PR 46371 one, and before it the old count.
	run func(int) int
}

// node is how fast things happen, all within the windows of the formulas.
type node struct {
	// begin is the fraction of a second at which the first container starts.
	begin time.Duration
	// phase is how long before the first start the probe workers' tickers began.
	phase time.Duration
	// notice is the time from a delete to the kill, signal the way of a signal or mark, exec and request the start of
	// a process or request, sync the time from a probe's result to the kill, restart the time from a death to the
	// next start.
	notice, signal, exec, request, sync, restart time.Duration
}

var ordinaryNode = node{
	begin:   300 * time.Millisecond,
	phase:   700 * time.Millisecond,
	notice:  200 * time.Millisecond,
	signal:  3 * time.Millisecond,
	exec:    80 * time.Millisecond,
	request: 4 * time.Millisecond,
	sync:    20 * time.Millisecond,
	restart: 600 * time.Millisecond,
}

// world is one run of one trial's pod. Times count from zero, a whole second.
type world struct {
	kubelet
	trial trial.Trial
	marks []mark.Record
	api   []timeline.Change
	// failed counts what the kubelet's own metric would, by container and kind.
	failed map[string]map[string]int
	conns  uint64
}

// after returns when a step ends that begins at a time and takes this long on an idle node.
func (k kubelet) after(at, step time.Duration) time.Duration {
	if k.late == nil {
		return at + step
	}
	return at + step + k.late(at)
}

const zero = int64(1_700_000_000) * int64(time.Second)

// play runs a trial's pod.
func (k kubelet) play(t trial.Trial) timeline.Evidence {
	w := &world{kubelet: k, trial: t, failed: map[string]map[string]int{}}
	e := timeline.Evidence{Pod: "ns/pod", UID: "uid", Known: zero + int64(t.Bound())}
	if len(t.Faults) > 0 {
		e.Faults = w.delete(t.Faults[0])
	} else {
		for _, c := range t.Pod.Spec.Containers {
			w.probe(c)
		}
		read := timeline.Instant{At: e.Known}
		e.Counters = &timeline.Counters{Asked: read, Answered: read, Failed: w.failed}
	}
	// the trial was given up by then
	w.marks = slices.DeleteFunc(w.marks, func(r mark.Record) bool { return r.At > e.Known })
	slices.SortStableFunc(w.marks, func(a, b mark.Record) int { return int(a.At - b.At) })
	sent := map[uint64]int{}
	for i := range w.marks {
		r := &w.marks[i]
		if r.Seq = uint64(i + 1); r.Sent != 0 {
			sent[r.Conn]++
			r.N = sent[r.Conn]
		}
	}
	e.Marks, e.API = w.marks, timeline.Shown(slices.Insert(w.api, 0,
		timeline.Change{At: instant(0), Phase: "Pending"})...)
	return e
}

// delete starts all containers, deletes the pod and kills them side by side.
func (w *world) delete(c trial.Fault) []timeline.Fault {
	spec := *w.trial.Pod.Spec.TerminationGracePeriodSeconds
	grace := spec
	if c.GracePeriodSeconds != nil {
		grace = *c.GracePeriodSeconds
	}
	forced := grace == 0 // the API server removes the object at once
	if w.optionIgnored {
		grace = spec
	}
	grace = max(1, grace)

	injected := w.node.begin + c.After
	begin, dead := w.after(injected, w.node.notice), time.Duration(0)
	for _, spec := range w.trial.Pod.Spec.Containers {
		dead = max(dead, w.start(spec, 1, w.node.begin).kill(begin, grace, !forced))
		if w.inTurn {
			begin = dead
		}
	}
	gone := w.after(dead, 700*time.Millisecond)
	if forced {
		gone = injected + 30*time.Millisecond
	}
	w.api = append(w.api, timeline.Change{At: instant(gone), Deleted: true})
	return []timeline.Fault{{What: string(c.Action), At: instant(injected)}}
}

// probe runs the worker of the container's one probe that matters, over at most three lives. A startup probe that
// never succeeds blocks the liveness probe for good.
func (w *world) probe(c corev1.Container) {
	kind, spec := victim.Liveness, c.LivenessProbe
	if c.StartupProbe != nil {
		kind, spec = victim.Startup, c.StartupProbe
	}
	grace := *w.trial.Pod.Spec.TerminationGracePeriodSeconds
	if spec.TerminationGracePeriodSeconds != nil && !w.probeGraceIgnored {
		grace = *spec.TerminationGracePeriodSeconds
	}
	period := time.Duration(spec.PeriodSeconds) * time.Second
	var wait time.Duration // how long the probe takes the worker
	l := w.start(c, 1, w.node.begin)
	streak, lastFailed := 0, false
	next := w.node.begin - w.node.phase
	for tick := next; l.number <= 3 && tick < w.trial.Bound(); tick = w.after(max(next, tick+wait), 0) {
		for next <= tick { // the ticker keeps one tick
			next += period
		}
		wait = 0
		if tick < l.started+310*time.Millisecond { // not running yet, or its status not seen yet
			continue
		}
		age := tick - l.started.Truncate(time.Second) // the API's start time has whole seconds
		if age.Truncate(time.Second) < time.Duration(spec.InitialDelaySeconds)*time.Second && !w.delayIgnored {
			continue
		}
		answer, way, seen := l.probed(tick, kind, spec)
		timeout := time.Duration(spec.TimeoutSeconds) * time.Second
		if wait = way; answer == victim.Hang || way > timeout {
			wait = timeout
		}
		failed := w.fails(answer) || way > timeout || !seen
		if failed {
			l.count(kind)
		}
		if failed != lastFailed && !w.successIgnored {
			streak = 0
		}
		if lastFailed = failed; failed || !w.successIgnored {
			streak++
		}
		own := l.run.ExitAfterProbesIn(l.number)
		switch {
		case failed && streak >= int(spec.FailureThreshold):
			dead := l.kill(w.after(tick+wait, w.node.sync), grace, true)
			streak = w.run(streak)
			l = w.start(c, l.number+1, w.after(dead, w.node.restart))
		case own > 0 && l.probes == own: // it ends by itself, and the count stays
			dead := l.exit(w.after(tick+way, victim.AnswerSettle))
			l = w.start(c, l.number+1, w.after(dead, w.node.restart))
		}
	}
}

// simulatedLife is one life of a container.
type simulatedLife struct {
	*world
	spec   corev1.Container
	run    victim.Run
	number int
	conn   uint64
	// started is when it runs for the kubelet, listens when its process does.
	started, listens time.Duration
	probes           int
}

func (w *world) start(c corev1.Container, number int, at time.Duration) *simulatedLife {
	run, err := victim.ParseRun(c.Args)
	if err != nil {
		panic(err)
	}
	w.conns++
	listens := w.after(at, w.node.signal)
	l := &simulatedLife{world: w, spec: c, run: run, number: number, conn: w.conns, started: at, listens: listens}
	l.mark(l.conn, mark.Run, listens, mark.Started, mark.Detail{})
	if number == 1 {
		w.api = append(w.api, timeline.Change{At: instant(w.after(at, w.node.signal+w.node.request)), Phase: "Running"})
	}
	return l
}

// mark writes a mark of a process of this life. The recorder's own mark, of a death, has no sender.
func (l *simulatedLife) mark(conn uint64, role mark.Role, at time.Duration, kind mark.Kind, d mark.Detail) {
	r := mark.Record{At: zero + int64(at), Conn: conn, Life: l.number, Kind: kind, Detail: d,
		Identity: mark.Identity{Pod: "ns/pod", UID: "uid", Container: l.spec.Name, Role: role}}
	if kind != mark.Gone {
		r.Sent = r.At - int64(100*time.Microsecond)
	}
	l.marks = append(l.marks, r)
}

// probed is one probe that begins at a tick and needs some time to arrive. The kubelet counts it if it fails.
func (l *simulatedLife) probed(
	tick time.Duration, kind string, spec *corev1.Probe,
) (answer victim.Answer, way time.Duration, seen bool) {
	handler, step := "http", l.node.request
	if spec.Exec != nil {
		handler, step = "exec", l.node.exec
	}
	way = l.after(tick, step) - tick
	if tick+way < l.listens || spec.Exec != nil && way > time.Duration(spec.TimeoutSeconds)*time.Second {
		return victim.Fail, way, false // it does not listen yet, or the probe's process is killed before its first mark
	}
	answer = l.run.Script(kind).At(l.number, l.probes)
	l.probes++
	l.mark(
		l.conn,
		mark.Run,
		tick+way,
		mark.Probed,
		mark.Detail{
			Probe: &mark.ProbeDetail{For: kind, Handler: handler, Index: l.probes - 1, Answer: answer.String()},
		},
	)
	return answer, way, true
}

// count counts a failure as the kubelet's own metric does.
func (l *simulatedLife) count(kind string) {
	if l.failed[l.spec.Name] == nil {
		l.failed[l.spec.Name] = map[string]int{}
	}
	l.failed[l.spec.Name][kind]++
}

func (k kubelet) fails(a victim.Answer) bool {
	return a == victim.Fail || a == victim.Hang && !k.timeoutsIgnored
}

// kill is killContainer: the hook, the rest of the grace period but at least two seconds, the stop signal, SIGKILL.
// It returns the death.
func (l *simulatedLife) kill(at time.Duration, grace int64, shown bool) time.Duration {
	left, fraction := grace, time.Duration(0)
	if l.spec.Lifecycle != nil && grace > 0 && !l.hookSkipped {
		took := l.hook(at, time.Duration(grace)*time.Second)
		at += took
		if !l.hookNotSubtracted {
			left -= int64(took / time.Second)
		}
		if l.hookRoundedUp && took%time.Second > 0 {
			left--
		}
		if l.hookExact {
			fraction = took % time.Second
		}
	}
	rest := time.Duration(left)*time.Second - fraction
	if !l.noMinimum {
		rest = max(2*time.Second, rest)
	}
	at = l.after(at, 0)
	dead, code := l.after(at+rest, 0), 137
	if signal := l.after(at, l.node.signal); rest > 0 && signal < dead { // without time the runtime sends SIGKILL alone
		l.mark(l.conn, mark.Run, signal, mark.SIGTERM, mark.Detail{})
		if own := l.after(signal, l.run.TermDelay); l.run.Term != victim.Ignore && own < dead {
			dead, code = own, l.run.ExitCode
			l.mark(l.conn, mark.Run, own, mark.Exiting, mark.Detail{ExitCode: &code})
		}
	}
	l.die(dead, code, shown)
	return dead
}

// hook runs the preStop hook and returns how long the kubelet waited for it, at most all.
func (l *simulatedLife) hook(at, all time.Duration) time.Duration {
	h := l.spec.Lifecycle.PreStop
	conn, role, way, behaviour := l.conn, mark.Run, l.node.request, victim.Hook{
		Sleep: l.run.HookSleep,
		Hang:  l.run.HookHang,
	}
	switch {
	case h.Sleep != nil:
		return l.after(at+min(all, time.Duration(h.Sleep.Seconds)*time.Second), 0) - at
	case h.Exec != nil && h.Exec.Command[0] != victim.Program:
		return l.after(at, min(all, l.node.exec)) - at // no such binary
	case h.Exec != nil:
		parsed, err := victim.ParseHook(h.Exec.Command[1:])
		if err != nil {
			panic(err)
		}
		l.conns++
		conn, role, way, behaviour = l.conns, mark.Hook, l.node.exec, parsed
	}
	if way = l.after(at, way) - at; way < all {
		l.mark(conn, role, at+way, mark.HookBegan, mark.Detail{})
	}
	if behaviour.Hang && l.hookUnbounded {
		return l.trial.Bound()
	}
	took := l.after(at+way, behaviour.Sleep) - at
	if behaviour.Hang || took >= all {
		return l.after(at+all, 0) - at
	}
	l.mark(conn, role, at+took, mark.HookEnded, mark.Detail{})
	return l.after(at+took, l.node.request) - at
}

// exit is an end by the process itself.
func (l *simulatedLife) exit(at time.Duration) time.Duration {
	l.mark(l.conn, mark.Run, at, mark.Exiting, mark.Detail{ExitCode: &l.run.ExitCode})
	l.die(at, l.run.ExitCode, true)
	return at
}

// die is the end of a life. The recorder sees it a little late, and the API shows it in whole seconds while the
// object exists.
func (l *simulatedLife) die(at time.Duration, code int, shown bool) {
	l.marks = slices.DeleteFunc(l.marks, func(r mark.Record) bool { // what the process did not live to send
		return r.Container == l.spec.Name && r.Life == l.number && r.At > zero+int64(at)
	})
	l.mark(l.conn, mark.Run, l.after(at, time.Millisecond), mark.Gone, mark.Detail{})
	if !shown {
		return
	}
	l.api = append(
		l.api,
		timeline.Change{At: instant(l.after(at, 100*time.Millisecond)), Containers: []timeline.ContainerStatus{
			{
				Name:         l.spec.Name,
				RestartCount: int32(l.number - 1),
				State:        "terminated",
				Ended: &timeline.End{
					Life:       l.number,
					ExitCode:   int32(code),
					FinishedAt: (zero + int64(l.after(at, 0))) / int64(time.Second),
				},
			},
		}},
	)
}

func instant(at time.Duration) timeline.Instant { return timeline.Instant{At: zero + int64(at)} }
