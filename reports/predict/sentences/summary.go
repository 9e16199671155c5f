// Package sentences says in plain English what is predicted for one workload, once for all formats of a forecast. It
// must never know the width or the markup in which a sentence is shown, or another workload.
package sentences

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/podclock/podclock/harness/predict"
	"github.com/podclock/podclock/harness/predict/effective"
	"github.com/podclock/podclock/harness/rules/formula"
	"github.com/podclock/podclock/harness/rules/podspec"
)

// Sentence answers one question about a workload.
type Sentence struct {
	Label       string `json:"label"`
	Description string `json:"says"`
}

// answered leaves out the questions without an answer.
func answered(all ...Sentence) []Sentence {
	return slices.DeleteFunc(all, func(s Sentence) bool { return s.Description == "" })
}

// answering returns the containers that answers are about: all but init containers.
func answering(w predict.Prediction) (all []predict.Container) {
	for _, c := range w.Containers {
		if c.Role != effective.Init {
			all = append(all, c)
		}
	}
	return all
}

// mains returns a workload's main containers.
func mains(w predict.Prediction) []predict.Container {
	return slices.DeleteFunc(answering(w), func(c predict.Container) bool { return c.Role != effective.Main })
}

// each says something of each container, or nothing. Containers with equal parts share one, without names if all do.
func each(w predict.Prediction, say func(predict.Container) string) string {
	var parts []string
	names, all := map[string][]string{}, answering(w)
	for _, c := range all {
		part := say(c)
		if part == "" {
			continue
		}
		if names[part] == nil {
			parts = append(parts, part)
		}
		names[part] = append(names[part], c.Name)
	}
	for i, part := range parts {
		if len(names[part]) < len(all) {
			parts[i] = strings.Join(names[part], ", ") + ": " + part
		}
	}
	return listed(parts...)
}

// killText is about a kill of the whole pod.
func killText(c predict.Container, e Event) string {
	k := c.Answers.Kills.Of(e.Cause, e.Variant)
	if k == nil {
		return "never"
	}
	says := "SIGTERM " + when(k.SIGTERM)
	if k.HookRuns {
		says += ", when the preStop hook or its time is over"
	}
	if k.SIGKILL == nil {
		return listed(says, exitsInTime)
	}
	return says + "; SIGKILL " + when(*k.SIGKILL) + ", if the process still runs"
}

const (
	exitsInTime  = "the process exits in time"
	neverEvicted = "never, because the pod is critical"
	noLiveness   = "no restart without a liveness probe"
	noReadiness  = "as soon as it runs, without a readiness probe"
	cleansDisks  = "when a disk runs low, the kubelet first deletes dead containers and unused images"
	leftAlone    = "kubectl drain leaves the pod alone, and "
)

// evictionText is about thresholds of the node.
func evictionText(w predict.Prediction) string {
	says := func(cause formula.Cause) string {
		return each(w, func(c predict.Container) string { return killText(c, Event{Cause: cause}) })
	}
	if w.Kills.Of(formula.ByHardEviction, "") == nil {
		return neverEvicted
	}
	hard, soft := says(formula.ByHardEviction), ""
	if softEviction(w) {
		soft = "from a soft one: " + says(formula.BySoftEviction)
	}
	return listed("from the crossing of a hard threshold of memory: "+hard, soft, cleansDisks)
}

// softEviction reports whether the node's settings are given. If not, soft thresholds are left out.
func softEviction(w predict.Prediction) bool {
	return w.Kubelet.EvictionSoftGracePeriod > 0 || w.Kubelet.EvictionMaxPodGracePeriod > 0
}

func drainText(w predict.Prediction) string {
	if w.Owner == "DaemonSet" {
		return leftAlone + needs(w)
	}
	says := "as a delete, as soon as every PodDisruptionBudget allows it"
	if w.AllPods != nil && w.AllPods.Drain != nil {
		if says = drainedText(w, w.AllPods.Drain); w.AllPods.Drain.Never != "" {
			return says
		}
	}
	if w.Owner == "Pod" {
		says += "; nothing makes the pod again"
	}
	return listed(says, needs(w))
}

// needs says with which flags kubectl drains a pod, or nothing.
func needs(w predict.Prediction) string {
	if len(w.DrainFlags) == 0 {
		return ""
	}
	return "needs " + strings.Join(w.DrainFlags, " and ")
}

func hungText(w predict.Prediction) string {
	probed, all := 0, (*predict.Span)(nil)
	says := each(w, func(c predict.Container) string {
		for _, r := range c.Answers.Restarts {
			if r.From == predict.FromFaults {
				all = predict.Over(all, *r.Restarted)
			}
		}
		for _, r := range c.Answers.Restarts {
			if r.Probe != podspec.Liveness || r.From != predict.FromFault {
				continue
			}
			probed++
			if r.Restarted == nil {
				return "stopped " + Span(r.Signalled) + " after it stops answering its liveness probe"
			}
			says := "restarted " + Span(*r.Restarted) + " after it stops answering its liveness probe"
			if loop := loopText(c, podspec.Liveness); loop != "" {
				says += ", and if it never answers again, " + loop
			}
			return says
		}
		return unrestarted(w, c)
	})
	switch {
	case all != nil:
		return says + "; if all hang at once, they are killed one after another, and restarted after " + Span(*all)
	case probed > 1:
		return says + "; those that hang together may be killed one after another"
	}
	return says
}

// unrestarted says why no probe restarts a container.
func unrestarted(w predict.Prediction, c predict.Container) string {
	switch {
	case podspec.Container(w.Pod, c.Name).LivenessProbe == nil:
		return noLiveness
	case w.Pod.Spec.ActiveDeadlineSeconds != nil, w.Job != nil && w.Job.ActiveDeadlineSeconds != nil:
		return "no restart: the deadline ends the pod first"
	}
	return "no restart by its liveness probe"
}

func readyText(w predict.Prediction, c predict.Container) string {
	if w.NeverReady != nil && w.NeverReady.Container == c.Name {
		return neverReady(w)
	}
	ready, unready := c.Answers.Ready, c.Answers.Unready
	never, asked := startupText(c), "it"
	if w.Revision() {
		asked = "it or the application"
	}
	switch {
	case c.Answers.PastDeadline:
		return "never"
	case unready != nil && ready != nil:
		return listed(Span(*ready)+" after its start", "out of its Services "+Span(*unready)+
			" after "+asked+" stops answering its readiness probe", never)
	case podspec.Container(w.Pod, c.Name).StartupProbe != nil:
		return listed("as soon as its startup probe succeeds, without a readiness probe", never)
	case w.Revision():
		return ""
	}
	return unprobed(w)
}

// postStartText says that postStart hooks of unknown length may delay a pod's probes, or nothing.
func postStartText(w predict.Prediction) string {
	hooks := mains(w)[0].PostStart
	switch {
	case hooks.Exact || !slices.ContainsFunc(mains(w), func(c predict.Container) bool {
		spec := podspec.Container(w.Pod, c.Name)
		return spec.ReadinessProbe != nil || spec.StartupProbe != nil
	}):
		return ""
	case hooks.From == 0:
		return "later if the postStart hook takes time"
	}
	return "later if the postStart hook takes longer than " + effective.Words(hooks.From)
}

// unprobed says when a pod without readiness and startup probes is ready.
func unprobed(w predict.Prediction) string {
	if hooks := mains(w)[0].PostStart; hooks.From > 0 || !hooks.Exact {
		return "as soon as its postStart hook is done, without a readiness probe"
	}
	return noReadiness
}

// neverReady says which probe keeps a pod from being ready, or nothing.
func neverReady(w predict.Prediction) string {
	if w.NeverReady == nil {
		return ""
	}
	return "never, because its " + w.NeverReady.Probe + " never succeeds"
}

// startupText is about a startup probe that never succeeds.
func startupText(c predict.Container) string {
	for _, r := range c.Answers.Restarts {
		if r.Probe != podspec.Startup {
			continue
		}
		killed := "killed " + Span(r.Signalled) + " after its start if its startup probe never succeeds"
		if loop := loopText(c, podspec.Startup); loop != "" {
			killed += ", and " + loop
		}
		return killed
	}
	return ""
}

// loopText says when a container is restarted that fails a probe in every life: "its first 3 restarts come at once,
// later ones after 0 to 333 s". If its lives are so long that no back-off is left, each restart comes at once.
func loopText(c predict.Container, probe string) string {
	i := slices.IndexFunc(c.Answers.ProbeLoops, func(l predict.ProbeLoop) bool { return l.Probe == probe })
	if i < 0 {
		return ""
	}
	loop, says := c.Answers.ProbeLoops[i], "its first restart comes at once"
	switch {
	case loop.AtOnce == predict.RestartsShown:
		return "each restart comes at once"
	case loop.AtOnce > 1:
		says = fmt.Sprintf("its first %d restarts come at once", loop.AtOnce)
	}
	if loop.Later != nil {
		says += ", later ones after " + Span(*loop.Later)
	}
	return says
}

// crashLoopText names the first waits, no more than most, and the last.
func crashLoopText(c predict.Container, most int) string {
	loop := c.Answers.CrashLoop
	if len(loop) == 0 {
		return "never restarted"
	}
	var waits []string
	late := time.Duration(0)
	for _, r := range loop {
		late = max(late, r.Wait.Latest-r.Wait.Earliest)
		waits = append(waits, number(r.Wait.Earliest, time.Second))
	}
	different, t, restarted := slices.Compact(waits), c.Answers.Crash, "restarted after "
	if t.Variant != "" {
		restarted = "restarted only if a restart rule matches the exit code: after "
	}
	says, last := restarted+strings.Join(different, ", ")+" s", len(different)-1
	switch {
	case last > most:
		says = fmt.Sprintf("%s%s … %s s", restarted, strings.Join(different[:most], ", "), different[last])
	case len(different) < len(loop) && last > 0:
		says = fmt.Sprintf("%s%s, then every %s s", restarted, strings.Join(different[:last], ", "), different[last])
	}
	each := ""
	if len(loop) > 1 {
		each = "each "
	}
	says += fmt.Sprintf(", %sat most %s s later", each, number(late, time.Second))
	return listed(says, t.Ends)
}

// restartAllText is about ends that restart all containers of the pod.
func restartAllText(w predict.Prediction) string {
	if len(w.RestartAll) == 0 {
		return ""
	}
	return "each " + strings.Join(w.RestartAll, ", or ") + " restarts all containers, without a back-off: " +
		"those that run get SIGTERM without their hooks, and SIGKILL 2 s later"
}
