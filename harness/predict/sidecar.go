package predict

import (
	"slices"
	"time"

	"github.com/podclock/podclock/harness/formula"
	"github.com/podclock/podclock/harness/podspec"
)

// podKill is what follows for a container when its whole pod is killed: a sidecar waits for its turn, all
// others are killed at once.
func (s scene) podKill(l *line, a about, begins reason) {
	if s.role != Sidecar {
		l.kill(1, begins)
		return
	}
	l.Grace = l.input(1).GracePeriod()
	first := l.input(1)
	first.Kill.Hook = s.firstSign(a)
	begins.inputs = []formula.Input{first}
	l.step(
		KillBegan,
		"the kill of the pod begins: with hooks, and with SIGTERM for main containers without one",
		1,
		begins,
	)
	s.inTurn(l, a)
	l.counts(1)
}

// firstSign is the hook that is the first sign of a pod's kill; none where a main container gets SIGTERM at once.
func (s scene) firstSign(a about) formula.HookKind {
	kind := formula.NoHook
	for _, other := range s.others() {
		if other.role != Main {
			continue
		}
		in := other.input(a)
		if !in.RunsHook() {
			return formula.NoHook
		}
		kind = in.Kill.Hook
	}
	return kind
}

// inTurn is the kill of a sidecar from the beginning of its pod's on.
func (s scene) inTurn(l *line, a about) {
	turn, mains := s.turn(a, l.asked)
	signalled := []formula.Input{l.input(1), l.input(1)}
	signalled[0].Turn, signalled[0].MainsTurn = turn.Earliest, mains.Earliest
	signalled[1].Turn, signalled[1].MainsTurn = turn.Latest, mains.Latest
	reasons, hangs := []reason{{after: KillBegan, rule: &formula.SidecarSignal, inputs: signalled}}, false
	if in := l.input(1); in.RunsHook() {
		l.step(
			HookBegan,
			"the preStop hook begins, with those of all other containers",
			1,
			reason{after: KillBegan, rule: &formula.SidecarHook},
		)
		switch took, all := in.Kill.HookElapsed.Low, in.GracePeriod(); {
		case took < all || in.Kill.Hook == formula.SleepHook:
			l.assume(HookEnded, "the preStop hook ends", 1, HookBegan, min(took, all))
		default:
			reasons, hangs = append(reasons, reason{after: HookBegan, rule: l.hookBound()}), true
		}
	}
	l.step(SIGTERM, "SIGTERM: its turn, or the end of the grace period", 1, reasons...)
	waited := []formula.Input{l.input(1), l.input(1)}
	since := l.between(KillBegan, SIGTERM)
	waited[0].SinceKill, waited[1].SinceKill = max(0, since.Earliest), since.Latest
	killed := []reason{{after: SIGTERM, rule: &formula.SidecarRemainder, inputs: waited}}
	if hangs { // nothing is left to wait with
		killed = append(killed, reason{after: SIGTERM, rule: l.remainder()})
	}
	l.dies(1, killed...)
}

// turn is when the containers that a sidecar waits for are dead, counted from the beginning of the pod's
// kill: all of them, and the main ones among them.
func (s scene) turn(a about, assumed Assumption) (all, mains Span) {
	if assumed.OthersObey {
		assumed = Assumption{Obeys: true}
	}
	for _, other := range s.others() {
		dead := other.deadAfter(a, assumed)
		if other.role == Main {
			mains = Span{Earliest: max(mains.Earliest, dead.Earliest), Latest: max(mains.Latest, dead.Latest)}
		}
		all = Span{Earliest: max(all.Earliest, dead.Earliest), Latest: max(all.Latest, dead.Latest)}
	}
	return all, mains
}

// others are the containers that a sidecar waits for.
func (s scene) others() (all []scene) {
	names := podspec.WaitsFor(s.pod, s.spec.Name)
	for _, c := range s.scenes() {
		if slices.Contains(names, c.spec.Name) {
			all = append(all, c)
		}
	}
	return all
}

// deathOf is a container's death by a cause under an assumption.
type deathOf struct {
	container, about string
	assumed          Assumption
}

// deadAfter is when the container is dead under an assumption, counted from the first sign of its pod's
// kill. It is asked for by every sidecar before the container, and answered once.
func (s scene) deadAfter(a about, assumed Assumption) Span {
	if a.kill == formula.ByCompletion && s.role == Main {
		return Span{} // that is what begins the kill
	}
	death := deathOf{container: s.spec.Name, about: a.id, assumed: assumed}
	if dead, asked := s.deaths[death]; asked {
		return dead
	}
	l, sign := s.line(a, assumed), SIGTERM
	if s.role == Sidecar {
		l.step(KillBegan, "", 1, reason{after: Zero, rule: &formula.SidecarsAfterMain})
		s.inTurn(l, a)
		sign = KillBegan
	} else {
		if l.spec.RunsHook() {
			sign = HookBegan
		}
		l.signal(1, []reason{{after: Zero, rule: &formula.KillStart}})
		l.dies(1, reason{after: SIGTERM, rule: l.remainder()})
	}
	s.deaths[death] = l.between(sign, Death).notBefore(0)
	return s.deaths[death]
}

// notBefore is the span without what lies before a time.
func (s Span) notBefore(t time.Duration) Span {
	return Span{Earliest: max(t, s.Earliest), Latest: max(t, s.Latest)}
}
