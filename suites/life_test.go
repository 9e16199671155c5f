package suites

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/podclock/podclock/harness/measure/victim"
)

// This file is a model of a pod's life. It is written from what Kubernetes' source says, as intervals between moments.
// It has nothing of package formula, so the judge's windows and the model's intervals check each other, to the
// nanosecond.
//
// A story is when each thing of one pod's life happened. The model knows for each pair of moments how far apart they
// may be. The rules give the greater part of each interval, and the rest are tolerances.

// The tolerances of an interval, all for a quiet node (docs/measurements.md, "Slack"). They belong to the judge's
// windows, too, which name each one as a term. A window is also wider by the observer's error: a mark's way to the
// recorder, or the stamp of a death. So a value is just outside if it is one nanosecond beyond all of these.
const (
	watchTakes   = time.Second             // an object's change reaches the kubelet
	relistTakes  = 1300 * time.Millisecond // a relist of PLEG, which begins a second after the last one
	runtimeTakes = 250 * time.Millisecond  // a request to the container runtime
	signalLate   = 100 * time.Millisecond  // a stop signal reaches the process after its timer has begun
	execTakes    = 400 * time.Millisecond  // a process in a container begins
	requestTakes = 50 * time.Millisecond   // a request of the kubelet reaches a process
	createTakes  = 2 * time.Second         // the runtime creates and starts a container
	queueTakes   = time.Second             // the work queue is polled
	syncTakes    = 1500 * time.Millisecond // from a probe's result to the stop signal
	statusTakes  = 2 * time.Second         // a status reaches the API
	tickMoves    = 250 * time.Millisecond  // a tick, or the mark of a start beside the runtime's stamp
	deathStamped = 2 * time.Millisecond    // the recorder stamps a death
	eventEarly   = 500 * time.Millisecond  // an event arrives after what it reports
	startShown   = 1200 * time.Millisecond // the kubelet sees a start
	forgottenAt  = 600 * time.Second       // a back-off expires after this time, counted from the last start
	leastLeft    = 2 * time.Second         // minimumGracePeriodInSeconds (kuberuntime_manager.go)
)

// handler is how a hook or a probe reaches the process.
type handler string

// The handlers. byMissing is a hook whose binary is missing.
const (
	noHandler handler = ""
	byExec    handler = "exec"
	byHTTP    handler = "http"
	bySleep   handler = "sleep"
	byMissing handler = "missing"
)

// takes returns how long after its beginning the first mark of a hook or probe may come.
func (h handler) takes() time.Duration {
	switch h {
	case byExec, byMissing:
		return execTakes
	case byHTTP:
		return requestTakes
	}
	return 0
}

// why is what ends a container.
type why string

const (
	byDelete   why = "delete"
	byEviction why = "eviction" // through the API
	byLiveness why = victim.Liveness
	byStartup  why = victim.Startup
	byHard     why = "hard eviction"
	bySoft     why = "soft eviction"
	byItself   why = "itself"
)

// pod is what is drawn of a pod and of what ends it.
type pod struct {
	why why
	// grace is terminationGracePeriodSeconds, option gracePeriodSeconds of the request, probeGrace the probe's own.
	grace              int64
	option, probeGrace *int64
	// most is evictionMaxPodGracePeriod.
	most int64
	// The hook ends after takes, or hangs.
	hook  handler
	takes time.Duration
	hangs bool
	// The process ends so long after the stop signal, or ignores it.
	obeys bool
	after time.Duration
	// The probe fails at once, or gets no answer.
	prober                            handler
	threshold, period, initial, limit int64
	silent                            bool
	lives                             int
	// lasts are how long the lives of a container last that ends by itself, or by a probe if it is killed.
	lasts  []time.Duration
	killed bool
	// longest is maxContainerRestartPeriod.
	longest time.Duration
}

// accepted is the deletionGracePeriodSeconds that the API server stores (CheckGracefulDelete).
func (p pod) accepted() int64 {
	g := p.grace
	if p.option != nil {
		g = *p.option
	}
	if g < 0 {
		g = 1
	}
	return g
}

// graceful is the grace period of a kill, in seconds, before the minimum.
func (p pod) graceful() time.Duration {
	g := p.grace
	switch p.why {
	case byDelete, byEviction:
		g = max(1, p.accepted())
	case byHard:
		g = 1
	case bySoft:
		g = max(1, min(p.most, p.grace))
	case byLiveness, byStartup:
		if p.probeGrace != nil {
			g = *p.probeGrace
		}
	}
	return time.Duration(g) * time.Second
}

// hookRuns reports whether the kill begins with the hook: without a grace period, there is none.
func (p pod) hookRuns() bool { return p.hook != noHandler && p.graceful() > 0 }

// marked reports whether the hook makes marks.
func (p pod) marked() bool { return p.hookRuns() && (p.hook == byExec || p.hook == byHTTP) }

func (p pod) forced() bool {
	return (p.why == byDelete || p.why == byEviction) && p.accepted() == 0
}

// left is what a hook leaves of the grace period: the kubelet subtracts whole seconds.
func (p pod) left(hook time.Duration) time.Duration {
	return max(leastLeft, p.graceful()-min(hook, p.graceful()).Truncate(time.Second))
}

// ends reports whether the process obeys the stop signal in time. The hook leaves as much as its own time does.
func (p pod) ends() bool {
	took := p.takes
	if !p.hookRuns() {
		took = 0
	} else if p.hangs {
		took = p.graceful()
	}
	return p.obeys && p.after < p.left(took)
}

func (p pod) byProbe() bool { return p.why == byLiveness || p.why == byStartup }

func (p pod) evicted() bool { return p.why == byHard || p.why == bySoft }

func (p pod) every() time.Duration { return time.Duration(p.period) * time.Second }

func (p pod) delayed() time.Duration { return time.Duration(p.initial) * time.Second }

// fails returns how long a failing probe takes.
func (p pod) fails() time.Duration {
	if p.silent {
		return time.Duration(p.limit) * time.Second
	}
	return 0
}

// moment is one thing that happens: of a life, from 1, or of the pod if it is 0. Its name is that of a claim's point.
type moment struct {
	name string
	life int
}

// happening is when a moment came: nanoseconds after a whole second.
type happening struct {
	moment
	at time.Duration
	// early is by how much it may have come before it was stamped.
	early time.Duration
	// leaf is a moment that nothing follows from.
	leaf bool
}

// story is one history of a pod. The happenings come in the order in which one follows from another.
type story struct {
	pod
	all []happening
}

const probed = "probed"

func (s *story) index(m moment) int {
	return slices.IndexFunc(s.all, func(h happening) bool { return h.moment == m })
}

func (s *story) get(name string, life int) happening {
	i := s.index(moment{name, life})
	if i < 0 {
		panic(fmt.Sprintf("a story without %s of life %d: %+v", name, life, s.pod))
	}
	return s.all[i]
}

func (s *story) has(name string, life int) bool { return s.index(moment{name, life}) >= 0 }

func (s *story) add(name string, life int, at, early time.Duration) {
	s.all = append(s.all, happening{moment{name, life}, at, early, false})
}

func (s *story) addLeaf(name string, at time.Duration) {
	s.all = append(s.all, happening{moment{name, 0}, at, 0, true})
}

// probesOf returns the probes of a life.
func (s *story) probesOf(life int) []happening {
	return slices.DeleteFunc(slices.Clone(s.all), func(h happening) bool {
		return h.life != life || h.name != probed
	})
}

// moved returns the story with a happening, and all that follows from it, at another time.
func (s *story) moved(m moment, by time.Duration) *story {
	c := &story{pod: s.pod, all: slices.Clone(s.all)}
	i := c.index(m)
	if m.name == firstProbe || m.name == lastProbe {
		i = c.probeAt(m)
	}
	for j := i; j < len(c.all); j++ {
		c.all[j].at += by
		if c.all[i].leaf {
			break
		}
	}
	return c
}

// The names of a life's first and last probe.
const (
	firstProbe = "first-probe"
	lastProbe  = "last-probe"
)

func (s *story) probeAt(m moment) int {
	found := -1
	for i, h := range s.all {
		if h.name == probed && h.life == m.life {
			if found = i; m.name == firstProbe {
				break
			}
		}
	}
	return found
}

// point returns a happening by the name of a claim's point.
func (s *story) point(m moment) happening {
	if m.name == firstProbe || m.name == lastProbe {
		return s.all[s.probeAt(m)]
	}
	return s.get(m.name, m.life)
}

// interval is how far apart two moments may be.
type interval struct {
	claim    string
	from, to moment
	// mover is the moment that moves with all that follows, if the interval shall be longer or shorter.
	mover moment
	// part is the end of another interval that has the same beginning, and is a part of this one, if it is not 0.
	part             moment
	earliest, latest time.Duration
	// ordered means that nothing can come below: the first moment comes first, or the second one is not what it is.
	// late means that only the upper end can be told: an object's first change is its creation.
	ordered, late bool
}

func (s *story) of(i interval) time.Duration { return s.point(i.to).at - s.point(i.from).at }

// pointName returns the name of a claim's point.
func (p pod) pointName(m moment) string {
	name := m.name
	if name == firstProbe || name == lastProbe {
		name = string(p.why) + "-" + name
	}
	if m.life > 1 {
		name = fmt.Sprintf("%s-%d", name, m.life)
	}
	return name
}

// between returns an interval. What may have come before it was stamped widens it.
func (s *story) between(from, to moment, earliest, latest time.Duration) interval {
	return interval{
		claim: s.pointName(from) + "-to-" + s.pointName(to), from: from, to: to, mover: to,
		earliest: earliest - s.point(from).early, latest: latest + s.point(to).early,
	}
}

// with returns the story in which an interval takes so much longer than its earliest or, if late, its latest value. A
// part of it then takes its longest, because one part alone can't be so late.
func (s *story) with(i interval, late bool, more time.Duration) *story {
	if !late {
		return s.moved(i.mover, i.earliest+more-s.of(i))
	}
	if i.part.name != "" {
		all, _ := s.intervals()
		part := slices.IndexFunc(all, func(p interval) bool { return p.from == i.from && p.to == i.part })
		s = s.moved(i.part, all[part].latest-s.of(all[part]))
		all, _ = s.intervals()
		i = all[slices.IndexFunc(all, func(whole interval) bool { return whole.claim == i.claim })]
	}
	return s.moved(i.mover, i.latest+more-s.of(i))
}

// outside returns the claims whose interval or count a story breaks. It returns false if it is too close to a point
// at which a rule has another branch.
func (s *story) outside() (claims []string, sharp bool) {
	for life := 1; s.has("sigterm", life); life++ {
		if s.get("sigterm", life).at <= s.get("start", life).at {
			return nil, false // no process gets a signal before it starts
		}
	}
	all, sharp := s.intervals()
	for _, i := range all {
		if d := s.of(i); d < i.earliest || d > i.latest {
			claims = append(claims, i.claim)
		}
	}
	for claim, values := range s.counts() {
		if values[0] != values[1] {
			claims = append(claims, claim)
		}
	}
	slices.Sort(claims)
	return claims, sharp
}

// intervals returns all intervals of a story, whose rules can depend on what happened before.
func (s *story) intervals() (all []interval, sharp bool) {
	created, start := moment{"created", 0}, moment{"start", 1}
	all = []interval{s.between(created, start, -10*time.Second, 10*time.Second)}
	all[0].late = true
	// A shorter life may not be shown at all. Up to 1.35, its sync waits for a relist.
	if s.get("death", 1).at-s.get("start", 1).at > relistTakes+syncTakes+statusTakes {
		all = append(all, s.between(start, moment{"phase-running", 0},
			-createTakes, statusTakes+relistTakes))
	}
	switch {
	case s.why == byItself:
		again, certain := s.restarts()
		return append(all, again...), certain
	case s.byProbe():
		all = append(all, s.probes()...)
	}
	if s.lives > 1 { // the process ends at once, and how it ends is not asked
		return all, true
	}
	return append(all, s.kill()...), true
}

// kill returns the intervals of the last life's kill.
func (s *story) kill() (all []interval) {
	term, dead := moment{"sigterm", 1}, moment{"death", 1}
	begin, cause := moment{"fault", 0}, s.why == byDelete || s.why == byEviction
	notice := watchTakes + relistTakes + runtimeTakes
	hook := s.hookTook()
	switch began := (moment{"hook-begin", 1}); {
	case s.marked():
		if cause {
			all = append(all, s.between(begin, began, 0, notice+s.hook.takes()))
		}
		if s.hangs {
			all = append(all, s.between(began, term, s.graceful()-s.hook.takes(), s.graceful()+runtimeTakes))
		} else {
			all = append(all, s.between(moment{"hook-end", 1}, term, 0, runtimeTakes))
		}
	case cause:
		all = append(all, s.between(begin, term, hook[0], notice+hook[1]))
	case s.evicted():
		all = append(all, s.between(moment{"event-evicted", 0}, term, -eventEarly, relistTakes+runtimeTakes))
	}
	least, most := s.left(hook[1]), s.left(hook[0])
	if s.ends() {
		all = append(all, s.between(term, dead, s.after, s.after+runtimeTakes))
	} else {
		all = append(all, s.between(term, dead, least-signalLate, most+runtimeTakes))
	}
	switch {
	case cause:
		if !s.ends() {
			whole := s.between(begin, dead, hook[0]+least, notice+hook[1]+most)
			whole.part = all[0].to
			all = append(all, whole)
		}
		gone := moment{"object-deleted", 0}
		if s.forced() {
			all = append(all, s.between(begin, gone, 0, watchTakes))
		} else {
			all = append(all, s.between(dead, gone, 0, 4*time.Second))
		}
	case s.evicted():
		all = append(all, s.between(dead, moment{"phase-failed", 0}, 0, runtimeTakes+time.Second+statusTakes))
	}
	return all
}

// hookTook returns the least and the longest time that the kubelet can have measured for the hook: it begins before the
// hook's first mark, but not before its reason, and ends between the hook's last mark and the stop signal.
func (s *story) hookTook() (took [2]time.Duration) {
	term := s.get("sigterm", 1)
	since := time.Duration(1 << 62)
	reason, known := s.reason()
	if known {
		since = term.at - reason.at + reason.early
	}
	switch {
	case !s.hookRuns():
		return took
	case s.hook == bySleep:
		slept := min(s.takes, s.graceful())
		return [2]time.Duration{slept, slept}
	case s.hook == byMissing:
		took[1] = min(execTakes, since)
		return took
	}
	began := s.get("hook-begin", 1)
	if known && reason.at-reason.early > began.at {
		since = 1 << 62 // the hook can't answer to what came after it
	}
	took[1] = min(term.at-began.at+began.early+s.hook.takes(), since)
	if s.hangs {
		took[1] = min(took[1], s.graceful())
		return [2]time.Duration{took[1], took[1]}
	}
	ended := s.get("hook-end", 1)
	if took[0] = min(ended.at-ended.early-began.at, took[1]); ended.at-ended.early > term.at {
		took[0] = took[1] // the kubelet gave up
	}
	took[0], took[1] = min(took[0], s.graceful()), min(took[1], s.graceful())
	return took
}

// reason is what the kill answers to.
func (s *story) reason() (happening, bool) {
	switch s.why {
	case byDelete, byEviction:
		return s.get("fault", 0), true
	case byLiveness, byStartup:
		return s.point(moment{lastProbe, 1}), true
	}
	return happening{}, false
}

// probes returns the intervals of the lives that a probe kills.
func (s *story) probes() (all []interval) {
	way, more := s.prober.takes(), time.Duration(s.threshold-1)*s.every()
	fails, known := s.fails(), time.Duration(0) // the probe's way is a part of its timeout
	if s.silent {
		known = way
	}
	for life := 1; life <= s.lives; life++ {
		start, first, last := moment{"start", life}, moment{firstProbe, life}, moment{lastProbe, life}
		term := moment{"sigterm", life}
		hooked := s.marked()
		if !hooked {
			killed := s.between(last, term, fails-known, fails+syncTakes)
			if killed.ordered = !s.silent; killed.ordered { // the last probe is the last one before the signal
				killed.earliest = 0
			}
			all = append(all, killed)
		}
		if life == 1 {
			// The kubelet counts from a start that is cut to a whole second.
			soonest, latest := max(0, s.delayed()-time.Second-tickMoves), max(startShown, s.delayed())+s.every()
			if s.lives > 1 {
				all = append(all, s.between(start, first, soonest, latest+way))
			}
			if !hooked {
				killed := s.between(start, term, soonest+more+fails, latest+more+fails+syncTakes)
				killed.mover = first // no sync comes before its probe
				all = append(all, killed)
			}
			continue
		}
		before, dead := moment{lastProbe, life - 1}, moment{"death", life - 1}
		all = append(all, s.between(dead, start, 0, runtimeTakes+createTakes))
		// The worker's ticks go on. The first one that finds the container running and its delay over probes.
		// The tick of the probe before came up to that probe's way before its mark.
		restart := s.point(start).at - s.point(before).at
		least := s.ticks(restart + max(0, s.delayed()-time.Second-tickMoves))
		most := s.ticks(restart + way + max(startShown, s.delayed()))
		apart := s.between(moment{"sigterm", life - 1}, term, least+more-syncTakes, most+more+syncTakes)
		apart.mover = first
		all = append(all, apart, s.between(before, last, least+more-way-tickMoves, most+more+way+tickMoves))
		all[len(all)-1].mover = first
		if life == 2 {
			killed := s.between(start, term,
				least-restart+more+fails-way-tickMoves, most-restart+more+fails+tickMoves+syncTakes)
			killed.mover = first
			all = append(all, killed,
				s.between(start, first, least-restart-way-tickMoves, most-restart+way+tickMoves))
		}
	}
	return all
}

// ticks returns the first tick that comes no sooner than this after another one.
func (p pod) ticks(after time.Duration) time.Duration {
	return max(1, (after+p.every()-1)/p.every()) * p.every()
}

// restarts returns the intervals from the end of a life to the next start. If a probe kills the container, the sync
// that kills it decides by the end of the instance before it.
func (s *story) restarts() (all []interval, sharp bool) {
	entry, updated := time.Duration(0), time.Duration(0)
	sharp = true
	for life := 1; s.has("start", life+1); life++ {
		dead, next := s.get("death", life).at, s.get("start", life+1).at
		since, wait := dead-updated, entry
		near := func(a, b time.Duration) bool { return (a - b).Abs() < 5*time.Second }
		switch {
		case s.killed && life == 1:
			wait = 0
		case s.killed && entry > 0:
			ended := dead - s.get("death", life-1).at
			sharp = sharp && !near(ended, entry)
			if ended >= entry {
				wait = 0
			}
		case entry > 0:
			// A back-off that expires while the container waits for it is another rule, which is not in the model.
			sharp = sharp && !near(since, forgottenAt)
			sharp = sharp && (since > forgottenAt || since+entry+35*time.Second < forgottenAt)
			if since > forgottenAt {
				wait, entry = 0, 0
			}
		}
		at, from := moment{"death", life}, moment{"start", life + 1}
		switch {
		case wait > 0:
			late := min(wait/2, 30*time.Second) + queueTakes
			all = append(all, s.between(at, from, wait, wait+late+createTakes))
		case s.killed:
			all = append(all, s.between(at, from, 0, runtimeTakes+createTakes))
		default:
			all = append(all, s.between(at, from, 0, relistTakes+createTakes))
		}
		if s.killed && life == 1 {
			continue // the first kill leaves no back-off behind
		}
		if entry == 0 {
			entry = min(10*time.Second, s.longest)
		} else {
			entry = min(2*entry, s.longest)
		}
		updated = next
	}
	return all, sharp
}

// counts returns what is counted in a story, and what it has to be.
func (s *story) counts() map[string][2]int64 {
	all := map[string][2]int64{}
	if s.why == byDelete || s.why == byEviction {
		sign := s.get("sigterm", 1)
		if s.marked() {
			sign = s.get("hook-begin", 1)
		}
		uncaused := int64(0)
		if sign.at < s.get("fault", 0).at {
			uncaused = 1
		}
		all["kills-uncaused"] = [2]int64{uncaused, 0}
	}
	for life := 1; life <= s.lives; life++ {
		name := s.pointName(moment{string(s.why) + "-failing-probes", life})
		all[name] = [2]int64{int64(len(s.probesOf(life))), s.threshold}
	}
	return all
}

// fewer returns the story of a kubelet that counts one failing probe too many in a life, and kills a period too early.
func (s *story) fewer(life int) *story {
	i := s.probeAt(moment{lastProbe, life})
	c := s.moved(moment{"sigterm", life}, -s.every())
	c.all = slices.Delete(c.all, i, i+1)
	return c
}

// more returns the story of a kubelet that counts one failing probe too few.
func (s *story) more(life int) *story {
	i := s.probeAt(moment{lastProbe, life})
	c := s.moved(moment{"sigterm", life}, s.every())
	last := c.all[i]
	last.at += s.every()
	c.all = slices.Insert(c.all, i+1, last)
	return c
}

// random draws pods and their stories.
type random struct{ *rand.Rand }

func (r random) span(from, to time.Duration) time.Duration {
	return from + time.Duration(r.Int64N(int64(to-from)+1))
}

func (r random) seconds(from, to int64) int64 { return from + r.Int64N(to-from+1) }

func oneOf[T any](r random, all ...T) T { return all[r.IntN(len(all))] }

const ms = time.Millisecond

// way returns how long a mark was on its way to the recorder.
func (r random) way() time.Duration { return r.span(0, ms) }

// story draws a story in which everything is on time.
func (r random) story(p pod) *story {
	s := &story{pod: p}
	at := r.span(0, 999*ms)
	s.add("created", 0, at, 0)
	at += r.span(createTakes+ms, 5*time.Second)
	s.add("start", 1, at, r.way())
	s.addLeaf("phase-running", at+r.span(0, 2*time.Second))
	switch {
	case p.why == byItself:
		r.crash(s, at)
	case p.byProbe():
		r.fail(s, at)
	case p.evicted():
		s.add("event-evicted", 0, at+r.span(5*time.Second, 20*time.Second), 0)
		r.kill(s, s.get("event-evicted", 0).at+r.span(0, 900*ms))
		s.addLeaf("phase-failed", s.get("death", 1).at+r.span(10*ms, 2*time.Second))
	default:
		at += r.span(3*time.Second, 5*time.Second)
		s.add("fault", 0, at, 0)
		if p.forced() {
			s.addLeaf("object-deleted", at+r.span(10*ms, 900*ms))
		}
		r.kill(s, at+r.span(10*ms, 1200*ms))
		if !p.forced() {
			s.addLeaf("object-deleted", s.get("death", 1).at+r.span(20*ms, 2*time.Second))
		}
	}
	return s
}

// kill draws a kill of the first life that begins at a time.
func (r random) kill(s *story, at time.Duration) {
	begin, way := at, r.span(5*ms, 45*ms)
	if s.hook == byExec {
		way = r.span(40*ms, 350*ms)
	}
	switch {
	case !s.hookRuns() || s.hook == byMissing:
	case s.hook == bySleep:
		at += min(s.takes, s.graceful())
	case s.hangs:
		s.add("hook-begin", 1, at+way, r.way())
		at += s.graceful()
	default:
		s.add("hook-begin", 1, at+way, r.way())
		at += way + s.takes
		s.add("hook-end", 1, at, r.way())
		at += r.span(2*ms, 20*ms)
	}
	left := s.left(at - begin)
	if s.ends() {
		left = s.after
	}
	at += r.span(2*ms, 20*ms)
	s.add("sigterm", 1, at, r.way())
	s.add("death", 1, at+left+r.span(0, 80*ms), deathStamped)
}

// fail draws lives that a probe kills.
func (r random) fail(s *story, start time.Duration) {
	first := start + max(200*ms, s.delayed()) + r.span(50*ms, s.every())
	for life := 1; ; life++ {
		at := first
		for n := range s.threshold {
			if n > 0 {
				at += s.every()
			}
			s.add(probed, life, at, r.way())
		}
		last := at
		if s.lives == 1 {
			r.kill(s, at+s.fails()+r.span(5*ms, 400*ms))
			return
		}
		at += s.fails() + oneOf(r, 0, syncTakes, r.span(5*ms, 400*ms))
		s.add("sigterm", life, at, r.way())
		at += r.span(ms, 60*ms)
		s.add("death", life, at, deathStamped)
		if life == s.lives {
			return
		}
		at += r.span(60*ms, 1500*ms)
		s.add("start", life+1, at, r.way())
		first = last + oneOf(r, s.ticks(at-last+max(0, s.delayed()-time.Second-tickMoves)),
			s.ticks(at-last+max(startShown, s.delayed())))
	}
}

// crash draws lives that end by themselves, or by a probe, again and again.
func (r random) crash(s *story, at time.Duration) {
	for life := 1; ; life++ {
		at += s.lasts[life-1]
		if s.killed {
			s.add("sigterm", life, at-20*ms, r.way())
		}
		s.add("death", life, at, deathStamped)
		if life == len(s.lasts) {
			return
		}
		s.add("start", life+1, at, r.way())
		all, _ := s.restarts()
		window := all[len(all)-1]
		at += max(0, window.earliest) + r.span(40*ms, (window.latest-window.earliest)/2)
		s.all[len(s.all)-1].at = at
	}
}

// pod draws what a pod and its end are.
func (r random) pod() pod {
	p := pod{
		why:   oneOf(r, byDelete, byDelete, byEviction, byLiveness, byLiveness, byStartup, byHard, bySoft, byItself),
		grace: oneOf(r, 0, 1, 2, r.seconds(3, 40)), longest: 300 * time.Second,
	}
	seconds := func(from, to int64) *int64 { n := r.seconds(from, to); return &n }
	switch p.why {
	case byItself:
		r.lasting(&p)
		return p
	case byDelete:
		if r.IntN(2) == 0 {
			p.option = oneOf(r, seconds(0, 0), seconds(1, 1), seconds(-5, -1), seconds(2, 60))
		}
	case bySoft:
		p.most = oneOf(r, 0, -1, r.seconds(1, 60))
	case byLiveness, byStartup:
		if r.IntN(2) == 0 {
			p.probeGrace = seconds(1, 40)
		}
		r.probing(&p)
	}
	if p.lives > 1 {
		return p
	}
	if p.obeys = !p.byProbe() && !p.evicted() && r.IntN(3) == 0; p.obeys {
		p.after = oneOf(r, r.span(0, time.Second), r.span(0, 45*time.Second))
	}
	r.hooking(&p)
	return p
}

// hooking draws a preStop hook.
func (r random) hooking(p *pod) {
	if p.hook = oneOf(r, noHandler, noHandler, byExec, byHTTP); !p.byProbe() && !p.evicted() {
		p.hook = oneOf(r, noHandler, noHandler, byExec, byHTTP, bySleep, byMissing)
	}
	p.hangs = (p.hook == byExec || p.hook == byHTTP) && (p.evicted() || r.IntN(3) == 0) // evictions have no other hooks
	switch {
	case p.hangs:
	case p.hook == bySleep:
		p.takes = time.Duration(r.seconds(0, p.grace)) * time.Second
	case p.hook == byExec, p.hook == byHTTP:
		whole := r.Int64N(max(1, int64(p.graceful()/time.Second)))
		p.takes = time.Duration(whole)*time.Second + r.span(20*ms, 999*ms)
	}
}

// probing draws a probe that always fails.
func (r random) probing(p *pod) {
	p.prober = oneOf(r, byHTTP, byExec)
	p.threshold, p.period, p.initial, p.limit = r.seconds(1, 4), r.seconds(2, 9), oneOf(r, 0, r.seconds(1, 12)), 1
	p.silent = r.IntN(3) == 0
	p.lives = oneOf(r, 1, 2, 3)
	if p.why == byStartup {
		p.lives = 1
	}
}

// lasting draws lives that end by themselves or by a probe.
func (r random) lasting(p *pod) {
	p.killed = r.IntN(3) == 0
	for range r.seconds(4, 8) {
		p.lasts = append(p.lasts, r.span(900*ms, 12*time.Second))
	}
	if p.killed {
		return
	}
	if p.longest = oneOf(r, 300*time.Second, time.Duration(r.seconds(1, 300))*time.Second); r.IntN(2) == 0 {
		p.lasts[r.IntN(len(p.lasts))] = r.span(607*time.Second, 900*time.Second)
	}
}
