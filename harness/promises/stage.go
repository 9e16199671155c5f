package promises

import (
	"fmt"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/podclock/podclock/fixtures"
	"github.com/podclock/podclock/harness/measure/victim"
	"github.com/podclock/podclock/harness/predict"
	"github.com/podclock/podclock/harness/predict/effective"
	"github.com/podclock/podclock/harness/rules/formula"
	"github.com/podclock/podclock/harness/rules/podspec"
)

// stage is a pod of a manifest whose containers are victims. It keeps what decides times: grace periods, hooks, probes,
// sidecars, restart policies and rules, the stop signal, activeDeadlineSeconds, shareProcessNamespace.
type stage struct {
	pod *corev1.Pod
	// acts is what each container does.
	acts map[string]*act
}

// act is what the victim does that takes a container's place.
type act struct {
	run victim.Run
	// The preStop hook, if it is an exec or http one, takes this long, or hangs.
	hook  time.Duration
	hangs bool
	// failsStart makes the postStart hook fail.
	failsStart bool
	// probed is the kind of probe that the trial is about. The victim's one TCP port serves it.
	probed string
}

// exitsBy143 is what a shell reports of a process that SIGTERM ended. With restartPolicy OnFailure, 0 would end a
// container for good.
const exitsBy143 = 143

// newStage returns a pod whose init containers end at once, and whose other containers live and obey SIGTERM.
func newStage(pod *corev1.Pod) stage {
	s := stage{pod: pod, acts: map[string]*act{}}
	for _, name := range order(pod) {
		a := &act{run: victim.Run{Term: victim.ExitNow, ExitCode: exitsBy143}}
		if isInit(pod, name) {
			a.run = victim.Run{ExitAfter: []time.Duration{0}}
		}
		s.acts[name] = a
	}
	return s
}

// isInit reports whether a container is an init container, but no sidecar.
func isInit(pod *corev1.Pod, name string) bool {
	return slices.ContainsFunc(pod.Spec.InitContainers, func(c corev1.Container) bool { return c.Name == name }) &&
		!podspec.IsSidecar(pod, name)
}

// assume makes a container do what a timeline assumes.
func (s stage) assume(container string, a predict.Assumption) *act {
	own := s.acts[container]
	own.run.ExitAfter, own.run.ExitCodes = nil, nil
	own.run.Term, own.run.ExitCode = victim.Ignore, 0
	if a.Obeys {
		own.run.Term, own.run.ExitCode = victim.ExitNow, exitsBy143
	}
	own.hook, own.hangs = a.HookTakes, a.HookHangs
	return own
}

// ends makes a container end by itself after each of its starts, with a code, and then live.
func (s stage) ends(container string, after time.Duration, lives, code int) {
	own := s.acts[container]
	own.run = victim.Run{Term: victim.ExitNow, ExitCode: code}
	for range lives {
		own.run.ExitAfter = append(own.run.ExitAfter, after)
	}
	own.run.ExitAfter = append(own.run.ExitAfter, never)
}

// never is the life of a container that does not end by itself.
const never = -time.Second

// build returns the pod.
func (s stage) build() *corev1.Pod {
	spec := &s.pod.Spec
	built := map[string]corev1.Container{}
	for n, name := range order(s.pod) {
		built[name] = s.container(podspec.Container(s.pod, name), n)
	}
	of := func(all []corev1.Container) (victims []corev1.Container) {
		for _, c := range all {
			victims = append(victims, built[c.Name])
		}
		return victims
	}
	pod := fixtures.With(
		fixtures.Pod(podspec.TerminationGracePeriodSeconds(spec), of(spec.Containers)...),
		fixtures.RestartPolicy(podspec.RestartPolicy(spec, &corev1.Container{})),
	)
	pod.Spec.InitContainers = of(spec.InitContainers)
	pod.Spec.ActiveDeadlineSeconds = spec.ActiveDeadlineSeconds
	pod.Spec.ShareProcessNamespace = spec.ShareProcessNamespace
	if stopSignal(spec) != "" {
		fixtures.OnLinux(pod)
	}
	return pod
}

func (s stage) container(c *corev1.Container, n int) corev1.Container {
	a := *s.acts[c.Name]
	options := []fixtures.Option{fixtures.PortsOf(n)}
	add := func(o ...fixtures.Option) { options = append(options, o...) }
	if p := c.LivenessProbe; p != nil {
		add(fixtures.Liveness(probe(c, p, podspec.Liveness, a.probed)))
	}
	if p := c.ReadinessProbe; p != nil {
		add(fixtures.Readiness(probe(c, p, podspec.Readiness, a.probed)))
	}
	if p := c.StartupProbe; p != nil {
		add(fixtures.Startup(probe(c, p, podspec.Startup, a.probed)))
	}
	add(policy(c)...)
	switch h, kind := a.preStop(c); kind {
	case formula.HTTPHook:
		a.run.HookSleep, a.run.HookHang = h.Sleep, h.Hang
		add(fixtures.HTTPPreStop())
	case formula.ExecHook:
		add(fixtures.ExecPreStop(h))
	case formula.SleepHook:
		add(fixtures.SleepPreStop(c.Lifecycle.PreStop.Sleep.Seconds))
	}
	if l := c.Lifecycle; l != nil && l.PostStart != nil {
		add(a.postStart(l.PostStart))
	}
	if l := c.Lifecycle; l != nil && l.StopSignal != nil {
		add(fixtures.StopWith(*l.StopSignal))
	}
	return fixtures.Named(c.Name, a.run, options...)
}

// preStop returns what an exec or http hook does. One of a port that the container does not declare fails at once,
// as one does that nobody has.
func (a act) preStop(c *corev1.Container) (victim.Hook, formula.HookKind) {
	kind, _ := podspec.Hook(c)
	if kind == formula.HTTPHook && undeclared(c, corev1.ProbeHandler{HTTPGet: c.Lifecycle.PreStop.HTTPGet}) {
		kind = formula.NoHook
	}
	if a.hangs {
		return victim.Hook{Hang: true}, kind
	}
	return victim.Hook{Sleep: a.hook}, kind
}

// postStart returns the hook. An http one becomes an exec one: its request could come before the victim serves it.
func (a act) postStart(h *corev1.LifecycleHandler) fixtures.Option {
	if h.Sleep != nil {
		return fixtures.SleepPostStart(h.Sleep.Seconds)
	}
	least, _ := effective.Takes(h)
	hook := victim.Hook{Sleep: least}
	if a.failsStart {
		hook.ExitCode = 1
	}
	return fixtures.ExecPostStart(hook)
}

func probe(c *corev1.Container, p *corev1.Probe, kind, probed string) fixtures.Probe {
	read := podspec.Probe(p)
	handler := fixtures.Handler(read.Handler)
	switch {
	case undeclared(c, p.ProbeHandler):
		handler = fixtures.MissingPort
	case handler == fixtures.TCP && kind != tcpKind(c, probed):
		handler = fixtures.HTTP // the victim has one TCP port, for one kind of probe
	}
	return fixtures.Probe{
		Handler:             handler,
		InitialDelaySeconds: p.InitialDelaySeconds, PeriodSeconds: int32(read.PeriodSeconds),
		TimeoutSeconds: int32(read.TimeoutSeconds), FailureThreshold: int32(read.FailureThreshold),
		SuccessThreshold:              int32(read.SuccessThreshold),
		TerminationGracePeriodSeconds: p.TerminationGracePeriodSeconds,
	}
}

// tcpKind returns the kind of probe that the victim's TCP port serves: the one that the trial is about, else the first.
func tcpKind(c *corev1.Container, probed string) string {
	is := func(kind string) bool {
		p := podspec.ProbeOf(c, kind)
		return p != nil && p.TCPSocket != nil
	}
	kinds := []string{probed, podspec.Startup, podspec.Liveness, podspec.Readiness}
	if i := slices.IndexFunc(kinds, is); i >= 0 {
		return kinds[i]
	}
	return ""
}

// undeclared reports whether a probe or a hook has a named port that its container does not declare.
func undeclared(c *corev1.Container, h corev1.ProbeHandler) bool {
	name := ""
	switch {
	case h.HTTPGet != nil:
		name = h.HTTPGet.Port.StrVal
	case h.TCPSocket != nil:
		name = h.TCPSocket.Port.StrVal
	}
	return name != "" && !slices.ContainsFunc(c.Ports, func(p corev1.ContainerPort) bool { return p.Name == name })
}

func policy(c *corev1.Container) (options []fixtures.Option) {
	if c.RestartPolicy != nil {
		options = append(options, fixtures.ContainerRestartPolicy(*c.RestartPolicy))
	}
	for _, r := range c.RestartPolicyRules {
		switch {
		case r.ExitCodes == nil:
		case r.ExitCodes.Operator == corev1.ContainerRestartRuleOnExitCodesOpNotIn:
			options = append(options, fixtures.RestartUnless(r.Action, r.ExitCodes.Values...))
		default:
			options = append(options, fixtures.RestartOn(r.Action, r.ExitCodes.Values...))
		}
	}
	return options
}

// stopSignal returns a container's own stop signal, or "".
func stopSignal(spec *corev1.PodSpec) corev1.Signal {
	for _, c := range slices.Concat(spec.Containers, spec.InitContainers) {
		if c.Lifecycle != nil && c.Lifecycle.StopSignal != nil {
			return *c.Lifecycle.StopSignal
		}
	}
	return ""
}

// startsBy bounds the time from the pod's creation to the start of its last container.
func (s stage) startsBy() time.Duration {
	const each = 3 * time.Second // one container after another, on a quiet node
	all := time.Duration(0)
	for _, name := range order(s.pod) {
		c := podspec.Container(s.pod, name)
		all += each
		if c.Lifecycle != nil && c.Lifecycle.PostStart != nil {
			least, _ := effective.Takes(c.Lifecycle.PostStart)
			all += least
		}
		if p := c.StartupProbe; p != nil && podspec.IsSidecar(s.pod, name) {
			all += seconds(int(p.InitialDelaySeconds) + podspec.PeriodSeconds(p))
		}
	}
	return all
}

func seconds(n int) time.Duration { return time.Duration(n) * time.Second }

// needs returns the changes of Kubernetes without which a kubelet does not do what the pod asks for.
func needs(spec *corev1.PodSpec) (all []formula.Change) {
	add := func(is bool, c ...formula.Change) {
		for _, one := range c {
			if is && !slices.Contains(all, one) {
				all = append(all, one)
			}
		}
	}
	for _, c := range slices.Concat(spec.InitContainers, spec.Containers) {
		init := slices.ContainsFunc(spec.InitContainers, func(i corev1.Container) bool { return i.Name == c.Name })
		sidecar := init && c.RestartPolicy != nil && *c.RestartPolicy == corev1.ContainerRestartPolicyAlways
		add(sidecar, formula.Sidecars)
		add(c.RestartPolicy != nil && !sidecar || len(c.RestartPolicyRules) > 0, formula.ContainerRestartRules)
		add(podspec.RestartsAll(c), formula.RestartAll)
		if l := c.Lifecycle; l != nil {
			add(l.PreStop != nil && l.PreStop.Sleep != nil || l.PostStart != nil && l.PostStart.Sleep != nil,
				formula.SleepAction)
			add(l.StopSignal != nil, formula.StopSignalGate, formula.StopSignalTaken)
		}
		for _, p := range []*corev1.Probe{c.LivenessProbe, c.ReadinessProbe, c.StartupProbe} {
			add(p != nil && p.GRPC != nil, formula.GRPCProbes)
		}
	}
	return all
}

// unstaged returns why no victims can stand in for a pod's containers, or "".
func unstaged(spec *corev1.PodSpec) string {
	for _, c := range slices.Concat(spec.InitContainers, spec.Containers) {
		l := c.Lifecycle
		if l == nil {
			l = &corev1.Lifecycle{}
		}
		if h := l.PostStart; h != nil && h.TCPSocket != nil {
			return fmt.Sprintf("the postStart hook of container %s is a tcpSocket, which always fails: it never runs "+
				"for long", c.Name)
		}
		if s := l.StopSignal; s != nil && !slices.Contains(victim.StopSignals(), string(*s)) {
			return fmt.Sprintf("the victim does not mark the stop signal %s of container %s", *s, c.Name)
		}
		if h := l.PostStart; h != nil && h.HTTPGet != nil && undeclared(&c, corev1.ProbeHandler{HTTPGet: h.HTTPGet}) {
			return fmt.Sprintf("the postStart hook of container %s has a port that it does not declare: it never runs "+
				"for long", c.Name)
		}
		sidecar := c.RestartPolicy != nil && *c.RestartPolicy == corev1.ContainerRestartPolicyAlways
		if p := c.StartupProbe; p != nil && sidecar && undeclared(&c, p.ProbeHandler) {
			return fmt.Sprintf("the startup probe of sidecar %s has a port that it does not declare: no main "+
				"container starts", c.Name)
		}
	}
	return ""
}
