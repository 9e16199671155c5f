package series_test

import (
	"fmt"
	"slices"
	"time"

	"github.com/podclock/podclock/harness/measure/run"
	"github.com/podclock/podclock/harness/measure/trial"
	"github.com/podclock/podclock/reports/view/fixture"
	"github.com/podclock/podclock/reports/view/series"
)

// night is a run of three trials on the reference. left is the time from the signal to the death, which conforms
// from 4.9 to 5.5 s. probes is the number of failing probes, which conforms if it is 3.
func night(n int, left time.Duration, probes int) run.Run {
	r := fixture.Fixture()
	r.ID, r.Started = fmt.Sprintf("202603%02d-220000", n), time.Date(2026, time.March, n, 22, 0, 0, 0, time.UTC)
	r.Ready, r.Reported, r.Profile = r.Started.Add(time.Minute), r.Started.Add(4*time.Minute), "quick"
	r.Subjects = r.Subjects[:1]
	r.Outcomes = []run.Outcome{
		fixture.Outcome(fixture.Reference, "termination/ignored-sigterm", 9*time.Second,
			fixture.Killed("ignored", left)),
		fixture.Outcome(
			fixture.Reference,
			"probes/exec-liveness-fails",
			20*time.Second,
			fixture.Failing("failing", probes),
		),
		fixture.Outcome(
			fixture.Reference,
			"termination/grace-of-one-second",
			6*time.Second,
			fixture.Killed("grace", 2034*time.Millisecond),
		),
	}
	return r
}

func nights(all ...run.Run) series.History {
	h := series.NewHistory(series.MostRuns)
	for _, r := range all {
		h.Add(r)
	}
	return h.History()
}

// calm has nights before the 20th. Values scatter by 10 ms at most.
func calm() series.History {
	var all []run.Run
	for n := 10; n < 20; n++ {
		all = append(all, night(n, 5020*time.Millisecond+time.Duration(n%3)*5*time.Millisecond, 3))
	}
	return nights(all...)
}

// twoSides are two runs with every change: verdicts in each direction, a new trial and a missing one, a moved
// value, and another host.
func twoSides() (before, after run.Run) {
	without := func(r run.Run, id string) run.Run {
		r.Outcomes = slices.DeleteFunc(slices.Clone(r.Outcomes), func(o run.Outcome) bool { return o.Trial == id })
		return r
	}
	before, after = without(
		fixture.Fixture(),
		"termination/exits-on-sigterm",
	), without(
		fixture.Fixture(),
		"probes/flapping",
	)
	after.ID, after.Started = "20260303-095800", before.Started.Add(24*time.Hour)
	after.Ready, after.Reported = before.Ready.Add(24*time.Hour), before.Reported.Add(24*time.Hour)
	after.Environment.Podclock, after.Environment.Kernel = "ba9876543210", "6.13.0"
	after.Environment.Components = map[string]string{"containerd": "v2.3.4"}
	after.Environment.Settings = map[string]string{"PROFILE": "full"}
	for i, o := range after.Outcomes {
		switch {
		case o.Trial == "termination/ignored-sigterm" && o.Subject == fixture.Reference:
			after.Outcomes[i] = fixture.Outcome(
				fixture.Reference,
				o.Trial,
				9*time.Second,
				fixture.Killed("ignored", 7*time.Second),
			)
		case o.Trial == "termination/ignored-sigterm":
			after.Outcomes[i] = fixture.Outcome(
				fixture.Mutant,
				o.Trial,
				9*time.Second,
				fixture.Killed("ignored", 5400*time.Millisecond),
			)
		case o.Trial == "probes/exec-liveness-fails" && o.Subject == fixture.Mutant:
			after.Outcomes[i] = fixture.Outcome(fixture.Mutant, o.Trial, 20*time.Second, fixture.Failing("failing", 3))
		case o.Trial == "termination/hook-over-http" && o.Subject == fixture.Reference:
			after.Outcomes[i] = fixture.Outcome(
				fixture.Reference,
				o.Trial,
				15*time.Second,
				fixture.Killed("hooked", 10020*time.Millisecond),
			)
		case o.Trial == "termination/grace-of-one-second" && o.Subject == fixture.Reference:
			after.Outcomes[i] = run.Outcome{
				Trial:   o.Trial,
				About:   o.About,
				Subject: o.Subject,
				Verdict: trial.Inconclusive,
				Why:     "its pod was never scheduled",
			}
		}
	}
	return before, after
}

// before20 is a history in which the mutant's values scatter little.
func before20() series.History {
	var all []run.Run
	for n := range 6 {
		r := fixture.Fixture()
		r.ID, r.Started = fmt.Sprintf("202602%02d-095800", 10+n), r.Started.Add(time.Duration(n-20)*24*time.Hour)
		r.Outcomes = slices.DeleteFunc(
			slices.Clone(r.Outcomes),
			func(o run.Outcome) bool { return o.Trial == "termination/exits-on-sigterm" },
		)
		for i, o := range r.Outcomes {
			if o.Trial == "termination/ignored-sigterm" {
				r.Outcomes[i] = fixture.Outcome(
					o.Subject,
					o.Trial,
					9*time.Second,
					fixture.Killed("ignored", 5020*time.Millisecond+time.Duration(n)*time.Millisecond),
				)
			}
		}
		all = append(all, r)
	}
	return nights(all...)
}
