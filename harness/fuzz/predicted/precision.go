package predicted

import (
	"slices"
	"strings"
	"time"

	"github.com/podclock/podclock/harness/fuzz"
	"github.com/podclock/podclock/harness/predict"
	"github.com/podclock/podclock/harness/rules/formula"
)

// budgets are the terms for the work of a real node: slack.go of package formula has most of them.
var budgets = []string{"API server", "cgroups, folders and volumes before", "check: everything is measured again",
	"controller's delete", "create and start", "end of the postStart hook's process", "event", "exit", "folders walked",
	"probe on its way", "probes on their way", "runtime", "sandbox stopped", "signal delivery", "start of the hook",
	"start of the hook's process", "start of the hook's request", "start of the hook, before its first mark",
	"start of the preStop hook", "starts of probes that outlast the period", "status", "sync", "system bus",
	"taint's write", "teardown and status", "tick to tick", "watch"}

// tooWide lists formulas and answers, by the beginnings of their names, whose windows are more than twice as wide, each
// with the reason.
var tooWide = []struct {
	what []string
	why  string
	// since is the change since which they are, or nil.
	since *formula.Change
}{
	{[]string{"restarts/pod-ends", "success ", "termination/phase-after-death"},
		"the kubelet sees the ended pod one whole relist after its sandbox, which a virtual node stops at once; a " +
			"real one takes up to 1.5 s, so the next relist can be at any time", nil},
	{[]string{"termination/active-deadline", "active deadline "},
		"status.startTime is cut to whole seconds, and the kubelet's ticks have one phase in all scenarios", nil},
	{[]string{"termination/image-change-kills", "spec change ", "eviction/preemption-start", "preemption ",
		"eviction/shutdown-start", "node shutdown ", "termination/restart-all-kills", "restart all "},
		"the status of a pod that was not just synced is new enough; kubelets since this change relist a pod after " +
			"its sync", &formula.RelistsOnDemand},
	{[]string{"taint "}, "as the ones above on all kubelets: a tolerated taint kills long after the pod's last sync", nil},
	{[]string{"start liveness-first-probe", "startup first-probe-2", "startup start-2"},
		"a virtual runtime starts each container equally fast, so these probes have one phase; a real start takes up " +
			"to 2 s", nil},
	{[]string{"sidecar's "},
		"its turn is one term, which holds the budgets of all containers that it waits for", nil},
}

// listed returns the number in tooWide of a formula or an answer on one version, or -1.
func listed(what, version string) int {
	for i, w := range tooWide {
		begins := func(name string) bool { return strings.HasPrefix(what, name) }
		if slices.ContainsFunc(w.what, begins) &&
			(w.since == nil || (formula.Kubelet{Version: version}).Has(*w.since)) {
			return i
		}
	}
	return -1
}

// place notes where in its window an event came, by what predicts it.
func place(all map[string]*fuzz.Part, what string, window predict.Span, value int64) {
	if all[what] == nil {
		all[what] = &fuzz.Part{}
	}
	add(all[what], window, value)
}

// bare returns a window without budgets.
func bare(w formula.Window) (at predict.Span) {
	for _, t := range w.Terms {
		if !slices.Contains(budgets, t.Name) {
			at = plus(at, predict.Span{Earliest: time.Duration(t.Earliest), Latest: time.Duration(t.Latest)})
		}
	}
	return at
}

// bareTimes returns when a timeline's steps come, without budgets.
func bareTimes(l predict.Timeline) map[string]predict.Span {
	all := map[string]predict.Span{}
	for _, s := range l.Steps {
		at := plus(all[s.After], bare(s.Implemented))
		for _, b := range s.Also {
			also := plus(all[b.After], bare(b.Implemented))
			at = predict.Span{Earliest: max(at.Earliest, also.Earliest), Latest: min(at.Latest, also.Latest)}
		}
		all[s.ID] = at
	}
	return all
}

func plus(a, b predict.Span) predict.Span {
	return predict.Span{Earliest: a.Earliest + b.Earliest, Latest: a.Latest + b.Latest}
}

// add counts an event in a window.
func add(p *fuzz.Part, window predict.Span, value int64) {
	width := window.Latest - window.Earliest
	p.Events++
	if width <= 0 {
		return
	}
	at := float64(value-int64(window.Earliest)) / float64(width)
	if p.Waits++; p.Waits == 1 {
		p.First, p.Last = at, at
	}
	p.First, p.Last = min(p.First, at), max(p.Last, at)
}

// enough is how many events show a part.
const enough = 20

// judged reports whether there are enough events, wide whether they come in less than half of the windows.
func judged(p *fuzz.Part) bool { return p.Waits >= enough }
func isWide(p *fuzz.Part) bool { return judged(p) && p.Last-p.First < 0.5 }
