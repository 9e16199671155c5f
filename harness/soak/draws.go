// Package random draws trials: random pods and faults, each with the claims that the formulas make about
// it. What a formula calls a race, or says nothing about, is not claimed. So a claim that deviates is a
// wrong formula, a wrong draw, a fault of the node, or a kubelet that does something else.
//
// A trial is drawn in virtual time's interest: a scenario of ten virtual minutes is no dearer than one of ten seconds.
//
// A scenario is drawn by its seed alone, so that `make soak SEED=n SOAK=1` runs the one of seed n again,
// and shrinks it if it still fails; SUBJECTS chooses the kubelet. A seed draws the same only as long as
// nothing of the draws is changed: what is to last is the counterexample.
//
// A counterexample is a [trial.Trial] as source. Once its cause is known it belongs into the catalogue:
// into the file of package suites whose family is its own (termination.go, deletion.go, probes.go,
// restarts.go, sidecars.go and those beside them), under a name and with words that say what it shows, and
// with the claims that have no part in it taken out. CONTRIBUTING.md says what else a trial needs. Where a
// formula was wrong, its table test gets the case as well; where the draw was, a comment there says why
// something is not drawn or not claimed.
//
// Never drawn are: what takes a node of its own or the pressure of others (evictions by the kubelet,
// storage limits, preemption, priorities, requests and limits, taints), a kubelet that is restarted or
// tuned while pods run, a second pod or one of the same name, an eviction that a budget refuses, volumes,
// static pods, and images that can't be pulled. A request that comes before the kill has surely begun is
// drawn in one family alone, "race", with only those claims that hold whichever comes first. Durations are
// whole milliseconds, most of them off the beginning of their range, which would be a whole second too
// often.
package soak

import (
	"slices"
	"time"

	"pgregory.net/rapid"

	"github.com/podclock/podclock/harness/trial"
)

// Scenario is a trial that was drawn, and what is special about it.
type Scenario struct {
	Trial trial.Trial
	// Traits are what the scenario has of what the coverage counts, each once.
	Traits []string
}

// families are the kinds of scenarios, with how often they are drawn.
var families = []struct {
	name   string
	draw   func(*draws) trial.Trial
	weight int
}{
	{"delete", deletion, 6},
	{"probe-kill", probeKill, 4},
	{"crash-loop", crashLoop, 4},
	{"single-kill", singleKill, 2},
	{"script", script, 2},
	{"mixed-loop", mixedLoop, 3},
	{"startup", startup, 1},
	{"sidecars", sidecars, 3},
	{"readiness", readiness, 1},
	{"deadline", deadline, 1},
	{"collision", collision, 2},
	{"ends", endsForGood, 1},
	{"probe-errors", probeErrors, 1},
	{"race", race, 1},
	{"in-turn", inTurn, 1},
	{"restart-rule", restartRule, 1},
	{"init", initialize, 1},
	{"new-image", newImage, 1},
	{"sleeper", sleeper, 1},
}

// prefix is what the names of all scenarios' trials begin with; their family follows.
const prefix = "random/"

// Draw draws one scenario of any family.
func Draw(t *rapid.T) Scenario {
	d := &draws{t: t}
	n := d.family()
	d.is("family " + families[n].name)
	tr := families[n].draw(d)
	tr.ID = prefix + families[n].name
	tr.About = "A scenario that was drawn at random."
	slices.Sort(d.traits)
	return Scenario{Trial: tr, Traits: slices.Compact(d.traits)}
}

// family draws the number of a family.
func (d *draws) family() int {
	var each []int
	for n, f := range families {
		each = append(each, slices.Repeat([]int{n}, f.weight)...)
	}
	return each[d.evenly("family", 8*len(each))%len(each)] // nearly even, whatever their number
}

// draws is one scenario being drawn.
type draws struct {
	t      *rapid.T
	traits []string
}

// is notes a trait.
func (d *draws) is(trait string) { d.traits = append(d.traits, trait) }

// number draws from a range; small ones are likelier.
func (d *draws) number(what string, from, to int) int {
	return rapid.IntRange(from, max(from, to)).Draw(d.t, what)
}

// evenly draws one of 0 to n-1, each as likely as the others.
func (d *draws) evenly(what string, n int) int {
	v := 0
	for m := 1; m < n; m *= 2 {
		v *= 2
		if rapid.Bool().Draw(d.t, what) {
			v++
		}
	}
	return v % n
}

// oneIn is true one time in n, and false where it is shrunk.
func (d *draws) oneIn(n int, what string) bool { return d.evenly(what, n) == n-1 }

// ms draws a duration in milliseconds. It avoids the beginning of its range, which would be a whole second too often.
func (d *draws) ms(what string, from, to time.Duration) time.Duration {
	const off = 137 * time.Millisecond
	return d.anyMS(what, from+off, to)
}

// anyMS draws a duration in milliseconds from the whole of a range.
func (d *draws) anyMS(what string, from, to time.Duration) time.Duration {
	return from + time.Duration(d.number(what, 0, int((to-from)/time.Millisecond)))*time.Millisecond
}

// one draws one of some values, each as likely as the others; the first is the simplest.
func one[T any](d *draws, what string, values ...T) T { return values[d.evenly(what, len(values))] }

// grace draws terminationGracePeriodSeconds.
func (d *draws) grace() int64 {
	var g int64
	switch d.evenly("kind of grace", 8) {
	default:
		g = int64(d.number("grace", 1, 12))
	case 4, 5:
		g = int64(d.number("grace", 3, 60))
	case 6:
		g = one(d, "grace at the edge", int64(1), 0, 2, -5)
	case 7:
		g = one(d, "large grace", int64(90), 125, 300, 3600)
	}
	switch {
	case g < 0:
		d.is("grace negative")
	case g == 0:
		d.is("grace 0")
	case g == 1:
		d.is("grace 1")
	case g > 60:
		d.is("grace above 60")
	}
	return g
}

// seen is the grace period that a kubelet sees of a pod: the API server makes one second of a negative one.
func seen(grace int64) int64 {
	if grace < 0 {
		return 1
	}
	return grace
}
