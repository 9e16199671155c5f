package predict

import (
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/podclock/podclock/harness/predict/effective"
	"github.com/podclock/podclock/harness/predict/manifest"
	"github.com/podclock/podclock/harness/rules/formula"
	"github.com/podclock/podclock/harness/rules/podspec"
)

// podPredictor holds what the predictions of a pod's containers share.
type podPredictor struct {
	pod effective.Pod
	// set if no other object makes the pod
	bare bool
	// nil if no Job makes it
	job     *manifest.Job
	kubelet formula.Kubelet
	options Options
	// the results of deadAfter so far
	deaths map[deathKey]Span
}

type predictor struct {
	*podPredictor
	effective.Container
}

type deathKey struct {
	container, trigger string
	assumed            Assumption
}

type trigger struct {
	id              string
	cause           formula.Cause
	variant, begins string
	// as those of the timeline
	from, end string
	// empty if nothing is killed
	kill formula.Cause
	// option is the delete request's grace period, taint the cause of the delete, probe its kind.
	option *int64
	taint  *corev1.Taint
	probe  string
}

// containers returns predictors for main containers, then sidecars, then init containers.
func (p *podPredictor) containers() []predictor {
	var all []predictor
	for _, c := range p.pod.All() {
		all = append(all, predictor{podPredictor: p, Container: c})
	}
	return all
}

// restarted reports whether a probe or a failed hook leads to a restart.
func (p predictor) restarted() bool { return !podspec.NeverRestarted(p.pod.Pod, p.Container.Container) }

// alwaysRestarted reports whether a container starts again even if it succeeds.
func (p *podPredictor) alwaysRestarted(c effective.Container) bool {
	return podspec.RestartPolicy(&p.pod.Spec, c.Container) == corev1.RestartPolicyAlways
}

func (p predictor) input(t trigger) formula.Input {
	q := podspec.Question{Pod: p.pod.Pod, Container: p.Name, Cause: t.kill}
	q.GracePeriodSeconds, q.Taint, q.Probe = t.option, t.taint, t.probe
	in := q.Input(p.kubelet)
	hooks := p.pod.PostStart(p.Container)
	in.PostStart = formula.HeldByHooks(hooks.From, hooks.Containers)
	return in
}

func (p predictor) draft(t trigger, asked Assumption) *draft {
	const usualSteps = 8 // most timelines have no more
	d := &draft{asked: asked, spec: p.input(t)}
	d.Timeline = Timeline{ID: t.id, Cause: t.cause, Variant: t.variant, Begins: t.begins, from: t.from, end: t.end}
	d.Steps = make([]Step, 0, usualSteps)
	if asked.Name != "" {
		d.ID += "/" + asked.Name
	}
	d.Assumes = p.options.assumed(p.Container, d.spec, asked)
	d.facts.Obeys, d.facts.OwnDelay = asked.Obeys, asked.ExitsAfter
	if t.kill == formula.ByDelete {
		d.facts.Deletes = []formula.Delete{{GracePeriodSeconds: t.option, At: epoch}}
	}
	if asked.ProbeHangs {
		d.facts.Probe.Takes = effective.Seconds(d.spec.Probe.TimeoutSeconds)
	}
	d.facts.Kill.HookElapsed = hookElapsed(d.spec, d.Assumes)
	return d
}

func (p predictor) drafts(t trigger, assumptions []Assumption, draw func(*draft)) []*draft {
	name(assumptions)
	all := make([]*draft, len(assumptions))
	for i, asked := range assumptions {
		all[i] = p.draft(t, asked)
		draw(all[i])
	}
	return all
}

// kills draws a timeline under each assumption that the kill allows.
func (p predictor) kills(t trigger, draw func(*draft)) []*draft {
	open := p.openHook(t)
	if p.Role != effective.Sidecar || !killsPod(t.kill) {
		return p.drafts(t, p.options.assumptions(open), draw)
	}
	for _, other := range p.others() { // a sidecar waits for their hooks
		open = open || other.openHook(t)
	}
	all := p.options.assumptions(open)
	if p.options.ExitsAfter == nil {
		all = slices.Insert(all, 1, Assumption{Name: "others-obey", OthersObey: true})
	}
	return p.drafts(t, all, draw)
}

// probeKills draws a kill by a probe that fails at once, but is never answered in the longest timeline.
func (p predictor) probeKills(t trigger, draw func(*draft)) []*draft {
	open := p.openHook(t)
	all := p.options.assumptions(open)
	if !open {
		all = append(all, all[len(all)-1])
	}
	all[len(all)-1].ProbeHangs = true
	return p.drafts(t, all, draw)
}

// openHook reports whether a kill runs a hook of unknown duration.
func (p predictor) openHook(t trigger) bool {
	_, exact := p.options.hookTakes(p.Container.Container, p.input(t))
	return !exact
}

// others returns the containers for which a sidecar waits.
func (p predictor) others() (all []predictor) {
	names := podspec.WaitsFor(p.pod.Pod, p.Name)
	return slices.DeleteFunc(p.containers(), func(c predictor) bool { return !slices.Contains(names, c.Name) })
}

// heldAfter returns how long after the end of a first life of this length the sync that started it still lasts: it
// starts the main containers after this one, and waits for all postStart hooks (pkg/kubelet/kuberuntime
// kuberuntime_manager.go SyncPod). The container's own hook ends with it, unless it is a sleep of the kubelet's
// (pkg/kubelet/lifecycle/handlers.go runSleepHandler). Then it has failed, and the kubelet kills the dead container: of
// its preStop hooks, only a sleep takes time (kuberuntime_container.go startContainer, executePreStopHook).
func (p predictor) heldAfter(ran time.Duration) Span {
	hooks := p.pod.PostStart(p.Container)
	held := formula.HeldAfter(hooks.From, hooks.Containers, ran)
	if l := p.Lifecycle; p.Role == effective.Main && l != nil && l.PostStart != nil && l.PostStart.Sleep == nil {
		least, exact := effective.Takes(l.PostStart)
		_, sleeps := podspec.Hook(p.Container.Container)
		grace := effective.Seconds(podspec.TerminationGracePeriodSeconds(&p.pod.Spec))
		failed := formula.HeldAfter(min(sleeps.Low, grace)+hooks.From-least, hooks.Containers, 0)
		switch {
		case ran == 0 || least > ran:
			held = failed
		case !exact: // it may have ended before
			held = formula.Range{Low: min(held.Low, failed.Low), High: max(held.High, failed.High)}
		}
	}
	if p.Role != effective.Main {
		return Span{}
	}
	return Span{Earliest: held.Low, Latest: held.High}
}

var slugs = strings.NewReplacer(" ", "-", "'", "")

func slug(words ...string) string {
	return strings.TrimRight(slugs.Replace(strings.Join(words, "-")), "-")
}
