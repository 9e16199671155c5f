package forecast

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/podclock/podclock/harness/formula"
	"github.com/podclock/podclock/harness/predict"
	"github.com/podclock/podclock/harness/predict/effective"
	"github.com/podclock/podclock/harness/victim"
)

// sentence answers one question about a workload.
type sentence struct{ Label, Says string }

// summary answers an application developer's questions about a workload, one sentence each. A window holds for all
// of its containers, init containers left out.
func summary(w predict.Prediction) []sentence {
	if w.NotCovered != "" {
		return nil
	}
	long := slices.DeleteFunc(slices.Clone(w.Containers), func(c predict.Container) bool {
		return c.Role == effective.Init
	})
	return []sentence{
		{"Delete", killSays(long, formula.ByDelete, "never")},
		{"Hung", hungSays(long)},
		{"Ready", readySays(long)},
		{"Crash loop", crashLoopSays(long)},
		{"Eviction", killSays(long, formula.ByHardEviction, "never, because the pod is critical")},
		{"Drain", drainSays(w)},
	}
}

// killSays is about a kill of the whole pod.
func killSays(all []predict.Container, cause formula.Cause, none string) string {
	var term, killed *predict.Span
	hook := false
	for _, c := range all {
		for _, k := range c.Answers.Kills {
			if k.Cause != cause || k.Variant != "" {
				continue
			}
			term, hook = joined(term, &k.SIGTERM), hook || k.HookRuns
			killed = joined(killed, k.SIGKILL)
		}
	}
	if term == nil {
		return none
	}
	says := "SIGTERM " + when(*term)
	if hook {
		says += ", once the preStop hook is over"
	}
	if killed == nil {
		return says + "; all processes exit in time"
	}
	return says + "; SIGKILL " + when(*killed) + ", if a process still runs"
}

func drainSays(w predict.Prediction) string {
	switch w.Kind {
	case "DaemonSet":
		return "kubectl drain leaves pods of DaemonSets alone"
	case "Pod":
		return "as a delete, and only with --force: nothing makes the pod again"
	}
	return "as a delete, as soon as every PodDisruptionBudget allows it"
}

func hungSays(all []predict.Container) string {
	restarted, stopped, probed := map[string]*predict.Span{}, map[string]*predict.Span{}, map[string]*predict.Span{}
	for _, c := range all {
		for _, r := range c.Answers.Restarts {
			switch {
			case r.Probe != victim.Liveness || r.From != predict.FromFault:
				continue
			case r.Restarted == nil:
				stopped[c.Name] = &r.Signalled
			default:
				restarted[c.Name] = r.Restarted
			}
			probed[c.Name] = &r.Signalled
		}
	}
	const ago = " after it stops answering its liveness probe"
	together := ""
	if len(probed) > 1 {
		together = "those that hang together are killed one after another"
	}
	return listed(
		each(all, restarted, func(s predict.Span) string { return "restarted " + span(s) + ago }),
		each(all, stopped, func(s predict.Span) string { return "stopped " + span(s) + ago }),
		together,
		without(all, probed, "no restart without a liveness probe"),
	)
}

func readySays(all []predict.Container) string {
	unready, ready := map[string]*predict.Span{}, map[string]*predict.Span{}
	for _, c := range all {
		for _, t := range c.Timelines {
			for _, s := range t.Steps {
				switch {
				case t.Cause == predict.Unreadying && s.ID == predict.Unready:
					unready[c.Name] = joined(unready[c.Name], &s.At)
				case t.Cause == predict.Starting && s.ID == predict.Ready:
					ready[c.Name] = joined(ready[c.Name], &s.At)
				}
			}
		}
	}
	return listed(
		each(all, ready, func(s predict.Span) string { return span(s) + " after its start" }),
		each(all, unready, func(s predict.Span) string {
			return "out of its Services " + span(s) + " after it stops answering its readiness probe"
		}),
		without(all, unready, "as soon as it runs, without a readiness probe"),
	)
}

// crashLoopSays is about the first container that is restarted: back-offs differ by restart policies only.
func crashLoopSays(all []predict.Container) string {
	for _, c := range all {
		if len(c.Answers.CrashLoop) == 0 {
			continue
		}
		var waits []string
		late := time.Duration(0)
		for _, r := range c.Answers.CrashLoop {
			late = max(late, r.Wait.Latest-r.Wait.Earliest)
			waits = append(waits, number(r.Wait.Earliest, time.Second))
		}
		different := slices.Compact(waits)
		says := "restarted after " + strings.Join(different, ", ") + " s"
		if last := len(different) - 1; len(different) < len(c.Answers.CrashLoop) && last > 0 {
			before := strings.Join(different[:last], ", ")
			says = fmt.Sprintf("restarted after %s, then every %s s", before, different[last])
		}
		says += fmt.Sprintf(", each at most %s s later", number(late, time.Second))
		if _, ends, found := strings.Cut(crashing(c), "; "); found {
			says += "; " + ends
		}
		return says
	}
	return "never restarted"
}

// each says something of every container that has a span. Containers with the same span share a part.
func each(all []predict.Container, spans map[string]*predict.Span, say func(predict.Span) string) string {
	names, said := map[string][]string{}, []string(nil)
	for _, c := range all {
		s, has := spans[c.Name]
		if !has {
			continue
		}
		part := say(*s)
		if names[part] == nil {
			said = append(said, part)
		}
		names[part] = append(names[part], c.Name)
	}
	if len(all) > 1 {
		for i, part := range said {
			said[i] = strings.Join(names[part], ", ") + ": " + part
		}
	}
	return listed(said...)
}

// listed joins the parts of a sentence that are not empty.
func listed(parts ...string) string {
	return strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), "; ")
}

// without says something of the containers without a span.
func without(all []predict.Container, spans map[string]*predict.Span, say string) string {
	var names []string
	for _, c := range all {
		if spans[c.Name] == nil {
			names = append(names, c.Name)
		}
	}
	switch {
	case len(names) == 0:
		return ""
	case len(spans) == 0:
		return say
	}
	return strings.Join(names, ", ") + ": " + say
}

// joined returns the window over two. Each may be nil.
func joined(a, b *predict.Span) *predict.Span {
	if a == nil || b == nil {
		return cmp.Or(a, b)
	}
	return &predict.Span{Earliest: min(a.Earliest, b.Earliest), Latest: max(a.Latest, b.Latest)}
}

// when writes "within 2.6 s", or "after 30 to 32.6 s".
func when(s predict.Span) string {
	if number(s.Earliest, time.Second) == "0" {
		return "within " + span(predict.Span{Earliest: s.Latest, Latest: s.Latest})
	}
	return "after " + span(s)
}
