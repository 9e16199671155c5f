package suites

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/podclock/podclock/harness/measure/delay"
	"github.com/podclock/podclock/harness/measure/judge"
	"github.com/podclock/podclock/harness/measure/mark"
	"github.com/podclock/podclock/harness/measure/runner"
	"github.com/podclock/podclock/harness/measure/timeline"
	"github.com/podclock/podclock/harness/measure/trial"
	"github.com/podclock/podclock/harness/rules/formula"
)

// A kubelet that stops working at any instant of a trial, after which something that the trial measures must still
// come, deviates: the trial waits long enough to be sure.
func TestNothingComesAnyMore(t *testing.T) {
	evidence := readEvidence(t)
	for _, tr := range Catalogue() {
		r, ok := evidence[tr.ID]
		if !ok {
			continue
		}
		t.Run(tr.ID, func(t *testing.T) {
			whole := judge.Judge(tr, timeline.Build(r.Evidence, delay.Record{}), delay.Record{}, r.Kubelet)
			last := int64(0)
			for _, f := range whole.Findings {
				if f.Measured != nil && !strings.Contains(f.Claim, "-within-") {
					last = max(last, f.Measured.To)
				}
			}
			for _, at := range instants(r.Evidence) {
				if at >= last {
					break
				}
				stopped := stoppedAt(tr, r.Evidence, at+together)
				result := judge.Judge(tr, timeline.Build(stopped, delay.Record{}), delay.Record{}, r.Kubelet)
				absent := func(f trial.Finding) bool { return f.Measured == nil }
				if result.Verdict != trial.Deviates && slices.ContainsFunc(result.Findings, absent) {
					t.Errorf("stopped after %s: %s\n%s", whatAt(r.Evidence, at), result.Verdict, whys(result))
				}
			}
		})
	}
}

// together is how far apart the marks and changes of one step may be.
const together = int64(10 * time.Millisecond)

func whys(r trial.Result) string {
	var all []string
	for _, f := range r.Findings {
		if f.Verdict == trial.Inconclusive {
			all = append(all, fmt.Sprintf("   %s: %s", f.Claim, f.Why))
		}
	}
	return strings.Join(all, "\n")
}

func whatAt(e timeline.Evidence, at int64) string {
	for _, r := range e.Marks {
		if r.At == at {
			return fmt.Sprintf("mark %s of %s-%d", r.Kind, r.Container, r.Life)
		}
	}
	for _, c := range e.Changes() {
		if c.At.At == at {
			return fmt.Sprintf("change %s %v of %q", c.Phase, c.Conditions, c.Pod)
		}
	}
	return "an event"
}

// instants returns when marks, changes and events came.
func instants(e timeline.Evidence) []int64 {
	var all []int64
	for _, r := range e.Marks {
		all = append(all, r.At)
	}
	for _, c := range e.API {
		all = append(all, c.At.At)
	}
	for _, event := range e.Events {
		all = append(all, event.At.At)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// stoppedAt returns the evidence of a node on which nothing happens after an instant.
func stoppedAt(t trial.Trial, e timeline.Evidence, at int64) timeline.Evidence {
	whole := e.Marks
	e.Marks = slices.DeleteFunc(slices.Clone(e.Marks), func(r mark.Record) bool {
		return r.At > at && !ownDoing(whole, r, at)
	})
	e.API = slices.DeleteFunc(slices.Clone(e.API), func(v timeline.Version) bool { return v.At.At > at })
	e.Events = slices.DeleteFunc(slices.Clone(e.Events), func(c timeline.Event) bool { return c.At.At > at })
	e.Node = slices.DeleteFunc(slices.Clone(e.Node), func(c timeline.NodeChange) bool { return c.At.At > at })
	e.Counters, e.Removals = nil, nil
	faults := e.Faults
	e.Faults = nil
	created := e.API[0].At.At
	pods := runner.First(t)
	if missing, _ := runner.ToBegin(t, pods, timeline.Build(e, delay.Record{})); missing != "" && !t.Unscheduled {
		e.Known, e.Cut = created+int64(runner.StartWithin+t.ContainerStart), missing
		return e
	}
	begun := created
	for _, r := range e.Marks {
		if r.Kind == mark.Started {
			begun = r.At
			break
		}
	}
	e.Known = begun + int64(t.Bound())
	for i, c := range faults {
		if t.Faults[i].When.In(timeline.Build(e, delay.Record{})) == nil {
			e.Cut = "waited for " + t.Faults[i].When.String()
			break
		}
		e.Faults = append(e.Faults, c)
	}
	return e
}

// ownDoing reports whether a victim makes a mark after an instant without the kubelet.
func ownDoing(all []mark.Record, r mark.Record, at int64) bool {
	began, exits := false, false
	for _, m := range all {
		switch same := m.Container == r.Container && m.Life == r.Life && m.Role == r.Role; {
		case !same || m.At > r.At:
		case m.At <= at:
			began = true
		case m.Kind == mark.SIGTERM || m.Kind == mark.Probed || m.Kind == mark.HookBegan:
			return false
		case m.Kind == mark.Exiting:
			exits = true
		}
	}
	switch r.Kind {
	case mark.Started, mark.Exiting, mark.FillBegan, mark.Filled, mark.HookEnded, mark.PostStartEnded:
		return began
	case mark.Gone:
		return began && (exits || r.Role == mark.Hook)
	}
	return false
}

// evictionFound is longer than the kubelet takes to find that a pod exceeds a limit, on every version.
const evictionFound = 80 * time.Second

// The last fact of a correct kubelet, as late as each window allows, is due before the trial is given up.
func TestLastFactIsDue(t *testing.T) {
	evidence := readEvidence(t)
	for _, tr := range Catalogue() {
		for _, version := range readings {
			r := evidence[tr.ID]
			r.Kubelet.Version, r.Kubelet.VolumeStatsAggPeriod = version, 10*time.Second
			if len(r.Evidence.API) == 0 || tr.Unsupported(r.Kubelet) != "" {
				continue
			}
			t.Run(tr.ID+" on "+version, func(t *testing.T) {
				last, claim := latest(tr, r)
				if allowed := tr.Due() + 5*time.Second; last > allowed {
					t.Errorf("the end of %s may come after %v, later than %v", claim, last, allowed)
				}
			})
		}
	}
}

// latest returns how long after its beginning a trial's last fact may come, and the claim that measures it.
func latest(tr trial.Trial, r recorded) (last time.Duration, claim string) {
	tl := timeline.Build(r.Evidence, delay.Record{})
	findings := map[string]trial.Finding{}
	for _, f := range judge.Judge(tr, tl, delay.Record{}, r.Kubelet).Findings {
		findings[f.Claim] = f
	}
	began, _ := tr.Began(tl)
	known := map[trial.Point]time.Duration{}
	var of func(p trial.Point) time.Duration
	of = func(p trial.Point) time.Duration {
		at := p.In(tl)
		if at == nil {
			return 0
		}
		if d, ok := known[p]; ok {
			return d
		}
		d := time.Duration(at.At - began) // of what no time claim ends in
		if p.IsEvent() {
			d += evictionFound
		}
		known[p] = d
		earliest := time.Duration(math.MaxInt64)
		for _, c := range tr.Claims {
			if f, ok := findings[c.ID()]; ok && c.Measure.To == p && f.Implemented.Unit == formula.Nanoseconds {
				earliest = min(earliest, of(c.Measure.From)+time.Duration(f.Implemented.Latest))
			}
		}
		if earliest != math.MaxInt64 {
			known[p] = earliest
		}
		return known[p]
	}
	for _, c := range tr.Claims {
		if d := of(c.Measure.To); d > last {
			last, claim = d, c.ID()
		}
	}
	return last, claim
}

// readings are the kubelets by whose rules every trial is judged: one per release whose
// source was read.
var readings = []string{formula.OldestKnown, "v1.34.4", "v1.35.4", formula.NewestKnown}
