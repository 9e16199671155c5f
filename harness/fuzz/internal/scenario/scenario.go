// Package scenario draws random trials: pods and faults, each with the claims that the formulas make about it.
// It claims nothing that a formula calls a race or does not predict. A claim that deviates therefore shows
// a wrong formula, a wrong draw, a fault of the node, or a kubelet that behaves differently.
//
// A seed alone decides what is drawn: `podclock fuzz --seed=n --scenarios=1` runs the scenario of seed n again and
// shrinks it if it still fails. --subjects chooses the kubelet. A seed draws the same scenario only until the draws
// change.
//
// A violation prints its seed and the smallest scenario: the pod's YAML, the faults, and the claims with
// their formulas. Once its cause is known, write that scenario as a trial into the file of package suites
// that holds its family, without the claims that have no part in it. If a formula was wrong, its table test
// gets the case as well. If the draw was wrong, write a comment there that explains what must not be drawn
// or claimed.
//
// The package never draws anything that needs the load of other pods, a kubelet that is restarted or tuned while pods
// run, an eviction that a budget refuses, or static pods. Only the families "race" and "any-moment" have a request that
// may come before something that it changes, and they have only claims that hold in either order.
// Durations are whole milliseconds. Most avoid the beginning of their range, which would be a whole second too often.
package scenario

import (
	"slices"
	"strings"

	"github.com/podclock/podclock/harness/fuzz/internal/choice"
	"github.com/podclock/podclock/harness/measure/trial"
)

// Scenario is a random trial and its tags.
type Scenario struct {
	Trial trial.Trial
	// Tags are the features of the scenario that the coverage counts, each once.
	Tags []string
}

// families are the kinds of scenarios. The weight is how often a family is drawn.
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
	{"together", failTogether, 2},
	{"evicted", evicted, 2},
	{"preempted", preempted, 1},
	{"shut-down", shutDown, 1},
	{"tainted", tainted, 1},
	{"restart-rule", restartRule, 1},
	{"init", initialize, 1},
	{"new-image", newImage, 1},
	{"sleeper", sleeper, 1},
	{"any-moment", anyMoment, 6},
}

// Families returns the names of all families.
func Families() (names []string) {
	for _, f := range families {
		names = append(names, f.name)
	}
	return names
}

// Causes are the causes that many scenarios must show. A scenario that has one has the tag "cause " and its name.
func Causes() []string {
	return []string{"delete", "evict", "liveness", "startup", "postStart", "spec change", "active deadline",
		"completion", "crash", "second delete", "preemption", "shutdown", "storage limit", "taint"}
}

// prefix begins the IDs of all scenarios. The family follows.
const prefix = "random/"

// Family returns the name of a scenario's family.
func Family(t trial.Trial) string { return strings.TrimPrefix(t.ID, prefix) }

// Draw draws one scenario of a random family.
func Draw(from *choice.Source) Scenario {
	d := &draws{from: from}
	n := d.family()
	d.tag("family " + families[n].name)
	tr := families[n].draw(d)
	tr.ID = prefix + families[n].name
	tr.About = "A random scenario."
	slices.Sort(d.tags)
	return Scenario{Trial: tr, Tags: slices.Compact(d.tags)}
}

// family draws the number of a family.
func (d *draws) family() int {
	var each []int
	for n, f := range families {
		each = append(each, slices.Repeat([]int{n}, f.weight)...)
	}
	return each[d.evenly("family", 8*len(each))%len(each)] // nearly even, whatever their number
}
