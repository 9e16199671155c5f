package scenario

import (
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/podclock/podclock/fixtures"
	"github.com/podclock/podclock/harness/measure/trial"
	"github.com/podclock/podclock/harness/measure/victim"
	"github.com/podclock/podclock/harness/rules/formula"
)

// deletion draws a pod of one or two containers that is deleted or evicted, sometimes more than once.
func deletion(d *draws) trial.Trial {
	spec := d.grace()
	ways := []way{d.way(trial.Main, spec)}
	if d.oneIn(4, "second container") {
		ways = append(ways, d.way(neighbour, spec))
		d.tag("two containers")
	}
	if d.oneIn(8, "stop signal") {
		ways[0].options = append(ways[0].options, fixtures.StopSignal())
		d.tag("stop signal of the image")
	}
	crasher := len(ways) == 1 && d.oneIn(4, "beside one that crashes")
	fault := d.deleting()
	api := deletedBy(spec, fault)
	given := max(1, api.grace) // of a force delete the pod's worker makes one second
	quiet := d.calmProbes(&ways[0], fault.After)
	t := trial.Trial{Faults: []trial.Fault{fault}}
	t.Claims = slices.Concat(taken(), d.condition(fault))
	for _, w := range ways {
		t.Claims = slices.Concat(t.Claims, w.kill(1, trial.Injected, &formula.KillStart, given), w.failed(given))
		if w.lives(given) {
			t.Claims = append(t.Claims, between(trial.Injected, trial.Gone.Of(w.name), formula.KillLength))
		}
	}
	if len(ways) == 2 && together(ways[0], ways[1]) {
		t.Claims = append(t.Claims, between(ways[0].firstSign(), ways[1].firstSign(), formula.KilledTogether))
	}
	if ways[0].hook.kind == formula.NoHook && len(ways) == 1 {
		t.Claims = slices.Concat(t.Claims, quiet)
	}
	if d.oneIn(2, "deleted again") {
		d.deletedAgain(&t, api, ways, given)
	}
	t.Claims = slices.Concat(t.Claims, objectGoes(api, ways, given, t.Faults))
	var built []corev1.Container
	for _, w := range ways {
		built = append(built, w.container())
		_, dies := w.dies(given)
		t.Lasts = max(t.Lasts, fault.After+dies+8*time.Second)
	}
	if crasher { // at the delete it may run, wait for its back-off, or start
		crashes := []time.Duration{d.ms("crashes after", 0, 3*time.Second)}
		built = append(built,
			fixtures.Named("crasher", victim.Run{Term: victim.ExitNow, ExitCode: 1, ExitAfter: crashes}))
		d.tag("beside one that crashes")
	}
	t.Pod = fixtures.Pod(spec, built...)
	return t
}

// deleting draws the first delete or eviction.
func (d *draws) deleting() trial.Fault {
	c := trial.Delete()
	c.After = d.ms("deleted after", 0, 9*time.Second)
	if d.oneIn(4, "evicted") {
		c.Action = trial.EvictPod
		d.tag("cause evict")
	} else {
		d.tag("cause delete")
	}
	switch d.evenly("option", 8) {
	default:
		d.tag("option none")
	case 4, 5:
		c.GracePeriodSeconds = fixtures.Seconds(int64(d.number("option", 1, 40)))
		d.tag("option given")
	case 6:
		c.GracePeriodSeconds = fixtures.Seconds(0)
		d.tag("option force")
	case 7:
		c.GracePeriodSeconds = fixtures.Seconds(-7)
		d.tag("option negative")
	}
	return c
}

// condition returns the claim about the condition that an eviction adds.
func (d *draws) condition(c trial.Fault) []trial.Claim {
	if c.Action != trial.EvictPod {
		return nil
	}
	return []trial.Claim{
		between(trial.Injected, trial.Condition("DisruptionTarget"), formula.DisruptionCondition),
	}
}

// stored is what the API server stores about a deletion: the grace period in seconds, and whether it
// removes the object at once.
type stored struct {
	grace  int64
	forced bool
}

// deletedBy returns what the API server stores about a first request.
func deletedBy(spec int64, c trial.Fault) stored {
	g := seen(spec)
	if c.GracePeriodSeconds != nil {
		g = seen(*c.GracePeriodSeconds)
	}
	return stored{grace: g, forced: g == 0}
}

// taken returns the claims about how the API server handles a first request.
func taken() []trial.Claim {
	return []trial.Claim{
		claim(trial.DeletionGrace(1), formula.DeletionGrace),
		between(trial.Injected, trial.DeletionBegan, formula.DeletionBegan),
	}
}

// together reports whether the first signs of two containers are of the same kind, so that both have the same delay.
func together(a, b way) bool {
	return a.hook.kind == b.hook.kind && a.hook.missing == b.hook.missing && a.hook.kind != formula.SleepHook
}

// firstSign is the first mark of a kill.
func (w way) firstSign() trial.Point {
	if w.hook.marked() {
		return trial.HookBegan.Of(w.name)
	}
	return trial.SIGTERM.Of(w.name)
}

// begins is the longest time from a delete to the beginning of its kill.
const begins = 3 * time.Second

// deletedAgain adds requests during the kill. The kubelet obeys none of them. A request before the kill has
// begun would be a race, which the family "race" draws.
func (d *draws) deletedAgain(t *trial.Trial, api stored, ways []way, given int64) {
	w := ways[0]
	least, _ := w.dies(given)
	begun := trial.SIGTERM
	if w.hook.marked() {
		begun = trial.HookBegan
	} else {
		hook, _ := w.hookPart(given)
		least -= hook
	}
	if api.forced || least < 2*time.Second || begun == trial.HookBegan && w.hook.missing {
		return
	}
	d.tag("cause second delete")
	after, room := time.Duration(0), min(least-margin, 30*time.Second)
	for n := 2; n <= 4 && after < room-time.Second; n++ {
		after = d.ms("again after", after, after+(room-after)/2)
		c := trial.Delete().At(begun, after)
		c.GracePeriodSeconds = d.optionOfLater(api.grace)
		t.Faults = append(t.Faults, c)
		t.Claims = append(t.Claims, claim(trial.DeletionGrace(n), formula.DeletionGrace))
		if c.GracePeriodSeconds != nil && *c.GracePeriodSeconds == 0 {
			d.tag("later delete forces")
			t.Claims = append(t.Claims, between(trial.Injected.Number(n), trial.ObjectDeleted, formula.ObjectForced))
			if len(ways) == 1 && w.lives(given) {
				t.Claims = append(t.Claims, between(trial.ObjectDeleted, trial.Gone, formula.DeathAfterObject))
			}
			return
		}
		t.Claims = append(t.Claims, claim(trial.DeletionShift(n), formula.DeletionShift))
		// The effect of a request that changes nothing is read from the next change, so it must be the last one.
		if c.GracePeriodSeconds == nil || seen(*c.GracePeriodSeconds) >= api.grace || api.grace == 1 {
			d.tag("later delete changes nothing")
			return
		}
		d.tag("later delete shortens")
		api.grace = seen(*c.GracePeriodSeconds)
		if after+begins+margin > seconds(api.grace) {
			return // its time may be over; the API server then stores one second
		}
		if d.oneIn(2, "no more deletes") {
			return
		}
	}
}

// optionOfLater draws the grace period of a later request.
func (d *draws) optionOfLater(grace int64) *int64 {
	switch d.evenly("later option", 8) {
	default:
		return fixtures.Seconds(int64(d.number("later grace", 1, int(max(1, grace-1)))))
	case 4:
		return nil
	case 5:
		return fixtures.Seconds(0)
	case 6:
		return fixtures.Seconds(grace + int64(d.number("longer by", 0, 30)))
	case 7:
		return fixtures.Seconds(-3)
	}
}

// objectGoes returns the claims about the removal of the object and the exit codes that it shows.
func objectGoes(api stored, ways []way, given int64, faults []trial.Fault) []trial.Claim {
	last := faults[len(faults)-1].GracePeriodSeconds
	if api.forced {
		claims := []trial.Claim{between(trial.Injected, trial.ObjectDeleted, formula.ObjectForced)}
		if len(ways) == 1 && ways[0].lives(given) {
			claims = append(claims, between(trial.ObjectDeleted, trial.Gone, formula.DeathAfterObject))
		}
		return claims
	}
	if len(faults) > 1 && last != nil && *last == 0 {
		return nil // removed while the containers run: no object shows their ends
	}
	var claims []trial.Claim
	for i, w := range ways {
		claims = slices.Concat(claims, w.code(given))
		least, _ := w.dies(given)
		latest := true
		for j, other := range ways {
			if _, most := other.dies(given); j != i && most+margin >= least {
				latest = false
			}
		}
		if latest {
			claims = append(claims, between(trial.Gone.Of(w.name), trial.ObjectDeleted, formula.ObjectDeleted))
		}
	}
	return claims
}

// calmProbes gives some containers probes that succeed, and returns the claims about them while the pod terminates. It
// claims no number of probes if the delete comes before the first probe.
func (d *draws) calmProbes(w *way, deleted time.Duration) []trial.Claim {
	var claims []trial.Claim
	since := func(kind string) trial.Claim {
		d.tag("probed while it terminates")
		return claim(trial.ProbesSince(kind, trial.SIGTERM), formula.ProbesOfTerminating)
	}
	if d.oneIn(4, "liveness probe") {
		w.options = append(w.options, fixtures.Liveness(d.probe(victim.Liveness, handlers...)))
		claims = append(claims, since(victim.Liveness))
	}
	if d.oneIn(4, "readiness probe") {
		// a TCP port can answer one kind of probe only
		p := d.probe(victim.Readiness, fixtures.HTTP, fixtures.Exec, fixtures.GRPC)
		w.options = append(w.options, fixtures.Readiness(p))
		if deleted > seconds(p.InitialDelaySeconds+p.PeriodSeconds+3) {
			claims = append(claims, since(victim.Readiness))
		}
	}
	return claims
}
