package promises

import (
	"fmt"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/podclock/podclock/harness/measure/run"
	"github.com/podclock/podclock/harness/measure/trial"
	"github.com/podclock/podclock/harness/measure/victim"
	"github.com/podclock/podclock/harness/predict"
	"github.com/podclock/podclock/harness/predict/effective"
	"github.com/podclock/podclock/harness/rules/formula"
	"github.com/podclock/podclock/harness/rules/lifecycle"
	"github.com/podclock/podclock/harness/rules/podspec"
)

// player makes the trials of one workload.
type player struct {
	forecast
	id         string
	prediction predict.Prediction
	trials     []trial.Trial
	// played are the answers that a trial measures.
	played map[answer]bool
}

// The cases of a timeline's assumptions.
const (
	shortest, graceUsed, othersObey, longest = "shortest", "grace-used", "others-obey", "longest"
)

// quick is how long a crash loop's first trial takes at most.
const quick = 3 * time.Minute

// play makes all trials.
func (p *player) play() {
	for _, g := range groups(p.prediction) {
		switch g.cause {
		case formula.ByDelete:
			p.deletes(g)
		case formula.ByDeadline:
			p.wholePod(g, "", formula.ByDeadline, nil, []trial.Point{trial.PodStartTime})
		case formula.ByCompletion:
			p.completes(g)
		case formula.ByRestartAll:
			p.restartsAll(g)
		default:
			for _, c := range p.prediction.Containers {
				for _, l := range g.of(c) {
					p.container(c, l)
				}
			}
		}
	}
}

// group is the timelines of one cause and variant, over all containers.
type group struct {
	cause   formula.Cause
	variant string
}

func groups(p predict.Prediction) (all []group) {
	for _, c := range p.Containers {
		for _, l := range c.Timelines {
			if g := (group{l.Cause, l.Variant}); !slices.Contains(all, g) {
				all = append(all, g)
			}
		}
	}
	return all
}

func (g group) of(c predict.Container) (all []predict.Timeline) {
	for _, l := range c.Timelines {
		if l.Cause == g.cause && l.Variant == g.variant {
			all = append(all, l)
		}
	}
	return all
}

// under returns a container's timeline under a case, or nil. What hangs nowhere in a container is its longest case.
func (g group) under(c predict.Container, name string) *predict.Timeline {
	all := g.of(c)
	for _, name := range map[string][]string{
		shortest: {shortest}, graceUsed: {graceUsed, longest}, othersObey: {othersObey}, longest: {longest},
	}[name] {
		if i := slices.IndexFunc(all, func(l predict.Timeline) bool { return l.Assumes.Name == name }); i >= 0 {
			return &all[i]
		}
	}
	return nil
}

// cases returns the cases of a group that differ.
func (g group) cases(p predict.Prediction) []string {
	all := []string{shortest, longest}
	for _, c := range p.Containers {
		if c.Role != effective.Init && slices.ContainsFunc(g.of(c), func(l predict.Timeline) bool {
			return l.Assumes.Name == graceUsed
		}) {
			return []string{shortest, graceUsed, longest}
		}
	}
	return all
}

// running are the containers that run when init containers have ended.
func running(p predict.Prediction) (all []predict.Container) {
	return slices.DeleteFunc(slices.Clone(p.Containers), func(c predict.Container) bool {
		return c.Role == effective.Init
	})
}

// settling is how long a pod runs before it is deleted, so that its last sync is over.
const settling = 3 * time.Second

// deleted returns a delete or an eviction when a container has run for a while.
func (p *player) deleted(action trial.Action, options *int64, after string) trial.Fault {
	held := settling
	if l := podspec.Container(p.prediction.Pod, after).Lifecycle; l != nil && l.PostStart != nil {
		least, _ := effective.Takes(l.PostStart)
		held += least
	}
	fault := trial.Fault{Action: action, GracePeriodSeconds: options}
	return fault.At(trial.Started.Of(after), held)
}

// deletes plays a delete of the pod, and the eviction that kubectl drain asks for.
func (p *player) deletes(g group) {
	options, actions := option(g.variant), []trial.Action{trial.DeletePod, trial.EvictPod}
	if options != nil {
		actions = actions[:1] // kubectl drain has no option by default
	}
	spec := &p.prediction.Pod.Spec
	last := spec.Containers[len(spec.Containers)-1].Name
	for _, action := range actions {
		does := "drain"
		if action == trial.DeletePod {
			does = ""
		}
		fault := p.deleted(action, options, last)
		p.wholePod(g, does, "", []trial.Fault{fault}, []trial.Point{trial.Injected})
	}
	for _, c := range p.prediction.Containers {
		for _, l := range g.of(c) {
			if c.Role == effective.Init {
				s := newStage(p.prediction.Pod)
				s.assume(c.Name, l.Assumes)
				p.one(c, l, s, trial.Trial{
					Faults: []trial.Fault{p.deleted(trial.DeletePod, options, c.Name)},
				}, s.startsBy()+settling, trial.Injected)
			}
		}
	}
}

// option returns the grace period of a delete's variant, or nil.
func option(variant string) *int64 {
	var seconds int64
	if _, err := fmt.Sscanf(variant, strings.Replace(predict.WithGrace(0), "0", "%d", 1), &seconds); err != nil {
		return nil
	}
	return &seconds
}

// wholePod plays what ends all containers at once: one trial for each case, and one for each sidecar that lives longer
// than the others. does is the word for it, if the timeline has another.
func (p *player) wholePod(g group, does string, cause formula.Cause, faults []trial.Fault, zero []trial.Point) {
	for _, name := range g.cases(p.prediction) {
		s, b := newStage(p.prediction.Pod), p.begin(zero)
		var first *predict.Timeline
		for _, c := range running(p.prediction) {
			if l := g.under(c, name); l != nil {
				s.assume(c.Name, l.Assumes)
				if first == nil {
					first = l
				}
			}
		}
		if first == nil {
			return
		}
		b.pod(g, running(p.prediction), name, p.played)
		p.finish(b, s, trial.Trial{
			ID: p.trialID(*first, does, name, ""), About: about(*first, does), Faults: faults, KillCause: cause,
		}, s.startsBy()+settling)
	}
	for _, c := range running(p.prediction) {
		l := g.under(c, othersObey)
		if l == nil {
			continue
		}
		s, b := newStage(p.prediction.Pod), p.begin(zero)
		for _, other := range running(p.prediction) {
			if l := g.under(other, shortest); l != nil {
				s.assume(other.Name, l.Assumes)
			}
		}
		s.assume(c.Name, l.Assumes)
		b.container(c.Name, *l, nil)
		p.played[answer{c.Name, l.ID}] = true
		p.finish(b, s, trial.Trial{
			ID: p.trialID(*l, does, othersObey, c.Name), About: about(*l, does), Faults: faults, KillCause: cause,
		}, s.startsBy()+settling)
	}
}

// completes plays the end of all main containers, after which the sidecars end.
func (p *player) completes(g group) {
	spec := &p.prediction.Pod.Spec
	last := spec.Containers[len(spec.Containers)-1].Name
	before := len(p.trials)
	p.wholePod(g, "", formula.ByCompletion, nil, []trial.Point{trial.Gone.Of(last)})
	for i := range p.trials[before:] {
		t := &p.trials[before+i]
		for n := range t.Pod.Spec.Containers {
			ends := victim.Run{Term: victim.ExitNow, ExitAfter: []time.Duration{seconds(n + 2)}}
			rerun(&t.Pod.Spec.Containers[n], ends)
		}
	}
}

// restartsAll plays the end of a container that restarts all.
func (p *player) restartsAll(g group) {
	leader := strings.TrimPrefix(g.variant, predict.By(""))
	restartAll := corev1.ContainerRestartRuleActionRestartAllContainers
	code, found := codeFor(podspec.Container(p.prediction.Pod, leader), restartAll)
	if !found || isInit(p.prediction.Pod, leader) {
		return
	}
	before := len(p.trials)
	p.wholePod(g, "", formula.ByRestartAll, nil, []trial.Point{trial.Gone.Of(leader)})
	for i := range p.trials[before:] {
		s := stage{acts: map[string]*act{leader: {}}}
		s.ends(leader, 5*time.Second, 1, code)
		rerun(podspec.Container(p.trials[before+i].Pod, leader), s.acts[leader].run)
	}
}

// rerun makes a built victim end by itself. It keeps the ports and scripts.
func rerun(c *corev1.Container, ends victim.Run) {
	was, err := victim.ParseRun(c.Args)
	if err != nil {
		panic(err) // it was built from a run
	}
	was.Term, was.TermDelay, was.ExitAfter, was.ExitCode = ends.Term, 0, ends.ExitAfter, ends.ExitCode
	c.Args = was.Args()
}

// codeFor returns an exit code for which a container's rules have an action, or no rule if the action is empty. The
// first rule that matches counts (pkg/api/v1/pod/util.go FindMatchingContainerRestartRule).
func codeFor(c *corev1.Container, action corev1.ContainerRestartRuleAction) (code int, found bool) {
	for code := 1; code < victim.ExitUsage; code++ {
		var own corev1.ContainerRestartRuleAction
		for _, r := range c.RestartPolicyRules {
			if e := r.ExitCodes; e != nil && slices.Contains(e.Values, int32(code)) ==
				(e.Operator == corev1.ContainerRestartRuleOnExitCodesOpIn) {
				own = r.Action
				break
			}
		}
		if own == action {
			return code, true
		}
	}
	return 0, false
}

// healthy is how many probes succeed before one fails.
const healthy = 2

// container plays a timeline in which one container fails by itself, or starts.
func (p *player) container(c predict.Container, l predict.Timeline) {
	s, spec := newStage(p.prediction.Pod), podspec.Container(p.prediction.Pod, c.Name)
	started, starts := trial.Started.Of(c.Name), s.startsBy()
	fails := victim.Fail
	if l.Assumes.ProbeHangs {
		fails = victim.Hang
	}
	switch {
	case l.Cause == formula.ByLiveness && l.Variant == "once healthy":
		a := s.assume(c.Name, l.Assumes)
		a.probed = podspec.Liveness
		a.run.Liveness = victim.Scripts(strings.Repeat("S", healthy) + fails.String() + "/S")
		takes := starts + startupTakes(spec) + probesTake(spec.LivenessProbe, healthy)
		p.one(c, l, s, trial.Trial{KillCause: l.Cause}, takes,
			trial.NthProbe(podspec.Liveness, healthy).Of(c.Name),
			trial.NthProbe(podspec.Liveness, healthy+1).Of(c.Name))
	case l.Cause == formula.ByLiveness && l.Variant == "from its start", l.Cause == formula.ByStartup:
		s.assume(c.Name, l.Assumes).fail(string(l.Cause), fails)
		p.one(c, l, s, trial.Trial{KillCause: l.Cause}, starts, started)
	case l.Cause == predict.Looping:
		s.assume(c.Name, onceOf(c, l.Variant)).fail(l.Variant, fails)
		p.loop(c, l, trial.Trial{KillCause: formula.Cause(l.Variant)}, starts, started, func(int) stage { return s })
	case l.Cause == predict.Starting:
		p.starts(c, l, s)
	case l.Cause == predict.Unreadying:
		ready := max(healthy, podspec.Probe(spec.ReadinessProbe).SuccessThreshold+1)
		a := s.acts[c.Name]
		a.probed = podspec.Readiness
		a.run.Readiness = victim.Scripts(strings.Repeat("S", ready) + fails.String())
		p.one(c, l, s, trial.Trial{}, starts+startupTakes(spec)+probesTake(spec.ReadinessProbe, ready),
			trial.NthProbe(podspec.Readiness, ready).Of(c.Name), trial.NthProbe(podspec.Readiness, ready+1).Of(c.Name))
	case l.Cause == predict.Crashing:
		p.crashes(c, l, spec)
	case l.Cause == predict.Completing:
		life := time.Second
		if c.Role == effective.Init {
			life = 0
		}
		s.acts[c.Name].run = victim.Run{ExitAfter: []time.Duration{life}}
		p.one(c, l, s, trial.Trial{}, starts, trial.Gone.Of(c.Name))
	case l.Cause == formula.ByPostStart && spec.Lifecycle.PostStart.Exec != nil:
		s.assume(c.Name, l.Assumes).failsStart = true
		p.one(c, l, s, trial.Trial{KillCause: l.Cause}, starts, trial.PostStartEnded.Of(c.Name))
	}
}

// onceOf returns what the shortest kill by a probe from the container's start on assumes. A loop lies between it and
// the longest.
func onceOf(c predict.Container, kind string) predict.Assumption {
	i := slices.IndexFunc(c.Timelines, func(l predict.Timeline) bool {
		return string(l.Cause) == kind && l.Variant == "from its start"
	})
	return c.Timelines[i].Assumes
}

func (a *act) fail(kind string, how victim.Answer) {
	a.probed = kind
	if kind == podspec.Startup {
		a.run.Startup = victim.Scripts(how.String())
		return
	}
	a.run.Liveness = victim.Scripts(how.String())
}

// starts plays a container's start, whose startup probe succeeds the first time or the last.
func (p *player) starts(c predict.Container, l predict.Timeline, s stage) {
	a, takes := s.acts[c.Name], s.startsBy()
	a.probed = podspec.Startup
	if probe := podspec.Container(s.pod, c.Name).StartupProbe; l.Assumes.Name == longest && probe != nil {
		hangs := podspec.Probe(probe).FailureThreshold - 1
		a.run.Startup = victim.Scripts(strings.Repeat(victim.Hang.String(), hangs) + victim.Succeed.String())
	}
	p.one(c, l, s, trial.Trial{}, takes, trial.Started.Of(c.Name))
}

// crashes plays a container that ends by itself.
func (p *player) crashes(c predict.Container, l predict.Timeline, spec *corev1.Container) {
	var action corev1.ContainerRestartRuleAction
	if strings.HasPrefix(l.Variant, "with an exit code") {
		action = corev1.ContainerRestartRuleActionRestart
	}
	code, found := codeFor(spec, action)
	if !found {
		return
	}
	starts := newStage(p.prediction.Pod).startsBy()
	p.loop(c, l, trial.Trial{}, starts, trial.Gone.Of(c.Name), func(lives int) stage {
		s := newStage(p.prediction.Pod)
		s.ends(c.Name, 0, lives, code)
		return s
	})
}

// loop plays the restarts of a container that ends in every life: the first ones, and in another trial all. stage
// makes a pod whose container ends in so many lives.
func (p *player) loop(
	c predict.Container, l predict.Timeline, t trial.Trial, starts time.Duration, zero trial.Point,
	stage func(lives int) stage,
) {
	all := 0
	first := 0
	for _, step := range l.Steps {
		if step.Point != lifecycle.Started {
			continue
		}
		if all++; all == 1 || starts+step.At.Latest <= quick {
			first = all
		}
	}
	for _, restarts := range slices.Compact([]int{first, all}) {
		b, t, name := p.begin([]trial.Point{zero}), t, ""
		b.container(c.Name, l, func(s predict.Step) bool {
			return s.Life <= restarts || s.Life == restarts+1 && s.Point == lifecycle.Started
		})
		if restarts < all {
			name = "first"
			b.without("restart-count")
		}
		t.ID, t.About = p.trialID(l, "", name, c.Name), about(l, "")
		lives := restarts
		if all == 0 {
			lives = 1
		}
		p.played[answer{c.Name, l.ID}] = true
		p.finish(b, stage(lives), t, starts)
	}
}

// startupTakes returns how long a container takes from its start until its startup probe succeeds, if it has one.
func startupTakes(c *corev1.Container) time.Duration {
	if c.StartupProbe == nil {
		return 0
	}
	return probesTake(c.StartupProbe, 1)
}

// probesTake returns how long the first n probes take at most.
func probesTake(p *corev1.Probe, n int) time.Duration {
	read := podspec.Probe(p)
	return seconds(read.InitialDelaySeconds + (n+1)*read.PeriodSeconds)
}

// one plays a timeline of one container.
func (p *player) one(
	c predict.Container, l predict.Timeline, s stage, t trial.Trial, from time.Duration, zero ...trial.Point,
) {
	b := p.begin(zero)
	b.container(c.Name, l, nil)
	p.played[answer{c.Name, l.ID}] = true
	t.ID, t.About = p.trialID(l, "", l.Assumes.Name, c.Name), about(l, "")
	p.finish(b, s, t, from)
}

// trialID returns the ID of a timeline's trial. does stands for the timeline's cause, if it is not empty.
func (p *player) trialID(l predict.Timeline, does, name, container string) string {
	cause, _, _ := strings.Cut(l.ID, "/")
	if does != "" {
		cause = does
	}
	words := []string{slug(cause)}
	for _, w := range []string{name, container} {
		if w != "" {
			words = append(words, slug(w))
		}
	}
	return p.id + "/" + strings.Join(words, "-")
}

func about(l predict.Timeline, does string) string {
	begins := l.Begins
	if does == "drain" {
		begins = "an eviction through the API, as kubectl drain asks for"
	}
	if l.Assumes.Description == "" {
		return begins + "."
	}
	return begins + "; " + l.Assumes.Description + "."
}

// beginning is a trial under construction.
type beginning struct {
	claims
	pods *corev1.Pod
}

func (p *player) begin(zero []trial.Point) *beginning {
	return &beginning{claims: claims{forecast: p.forecast, zero: zero}, pods: p.prediction.Pod}
}

// container adds the claims of a container's timeline. covers leaves out steps; it may be nil.
func (b *beginning) container(name string, l predict.Timeline, covers func(predict.Step) bool) {
	a := answer{name, l.ID}
	for _, s := range l.Steps {
		at, shown := b.at(name, l, s)
		switch {
		case !shown || covers != nil && !covers(s):
		case s.ID == lifecycle.ObjectDeleted && !b.alone(name): // another container may live longer
		default:
			b.step([]answer{a}, l, s, at, terminalLast(l, s)...)
			ended := inLife(lifecycle.Gone, s.Life-1)
			if from := trial.Gone.Of(name).Life(s.Life - 1); s.Point == lifecycle.Started && s.After == ended {
				b.wait(a, s, from, at)
			}
		}
	}
	for _, v := range l.Values {
		b.measured(name, l, v)
	}
}

// alone reports whether no other container of the pod runs with this one.
func (b *beginning) alone(name string) bool {
	lives := func(c corev1.Container) bool { return c.Name != name && !isInit(b.pods, c.Name) }
	return !slices.ContainsFunc(b.pods.Spec.InitContainers, lives) &&
		(isInit(b.pods, name) || !slices.ContainsFunc(b.pods.Spec.Containers, lives))
}

func inLife(id string, life int) string {
	if life <= 1 {
		return id
	}
	return fmt.Sprintf("%s-%d", id, life)
}

// ofPod are the steps of a pod that the end of its last container decides.
var ofPod = []string{lifecycle.ObjectDeleted, lifecycle.Failed, lifecycle.Succeeded}

// terminalLast returns the change without which the kubelet shows a pod's end before its containers are dead.
func terminalLast(l predict.Timeline, s predict.Step) []formula.Change {
	if s.ID == lifecycle.Failed && l.Cause == formula.ByDeadline {
		return []formula.Change{formula.TerminalPhaseLast}
	}
	return nil
}

// at returns where a step is measured. A probe that fails after others has its number.
func (b *beginning) at(name string, l predict.Timeline, s predict.Step) (trial.Point, bool) {
	at, shown := Point(b.pods, name, l, s)
	if last := b.zero[len(b.zero)-1]; s.ID == lifecycle.FirstProbe && last.Event == lifecycle.NthProbe {
		at = last
	}
	switch {
	case s.ID == lifecycle.Ready && l.Cause == predict.Unreadying: // the probe fails on
		shown = false
	case s.Point == lifecycle.HookBegan && !marked(podspec.Container(b.pods, name)):
		shown = false
	}
	return at, shown
}

func (b *beginning) measured(name string, l predict.Timeline, v predict.Value) {
	m, shown := Measure(b.pods, name, v)
	ends := slices.ContainsFunc(l.Steps, func(s predict.Step) bool { return s.ID == lifecycle.Gone })
	forced := slices.ContainsFunc(l.Steps, func(s predict.Step) bool { return s.Formula == formula.ObjectForced.ID })
	c := podspec.Container(b.pods, name)
	switch {
	case v.ID == "ends":
		// After the last failure that counts, nothing else happens.
		m, shown = trial.EndsWithin(b.latest+probesTake(c.ReadinessProbe, healthy+2)).Of(name), true
	case v.ID == "exit-code" && (lostCode(l) || forced): // the API does not show it
		shown = false
	case v.ID == "hook-runs" && !marked(c):
		shown = false
	case v.ID == "held-back" && !ends, v.ID == "startup-successes" && c.LivenessProbe == nil:
		shown = false
	}
	if shown {
		b.value(answer{name, l.ID}, v, m)
	}
}

// marked reports whether a container's preStop hook makes marks.
func marked(c *corev1.Container) bool {
	kind, _ := podspec.Hook(c)
	return kind == formula.ExecHook || kind == formula.HTTPHook
}

// pod adds the claims of all containers under a case, and those of the pod.
func (b *beginning) pod(g group, all []predict.Container, name string, played map[answer]bool) {
	var answers []answer
	var last *predict.Timeline
	for _, c := range all {
		l := g.under(c, name)
		if l == nil {
			continue
		}
		answers, last = append(answers, answer{c.Name, l.ID}), l
		played[answer{c.Name, l.ID}] = true
		a := answer{c.Name, l.ID}
		for _, s := range l.Steps {
			if at, shown := b.at(c.Name, *l, s); shown && !slices.Contains(ofPod, s.ID) {
				b.step([]answer{a}, *l, s, at)
			}
		}
		for _, v := range l.Values {
			b.measured(c.Name, *l, v)
		}
	}
	if len(answers) < len(all) {
		return // a container without an answer may live longer
	}
	for _, s := range last.Steps {
		if at, shown := b.at(answers[0].container, *last, s); shown && slices.Contains(ofPod, s.ID) {
			b.step(answers, *last, s, at, terminalLast(*last, s)...)
		}
	}
}

// without removes the claims of a value.
func (b *beginning) without(id string) {
	b.all = slices.DeleteFunc(b.all, func(c trial.Claim) bool { return c.Formula.ID == run.Predicted+id })
}

// finish adds a trial whose timeline begins this long after the pod's creation.
func (p *player) finish(b *beginning, s stage, t trial.Trial, begins time.Duration) {
	if len(b.all) == 0 {
		return
	}
	t.Pod, t.Claims, t.Needs = s.build(), b.all, needs(&s.pod.Spec)
	t.About = strings.ToUpper(t.About[:1]) + t.About[1:]
	t.Lasts = (begins + b.latest + settled).Round(100 * time.Millisecond)
	p.trials = append(p.trials, t)
}
