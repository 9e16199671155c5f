package suites

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/yaml"

	"github.com/podclock/podclock/harness/delay"
	"github.com/podclock/podclock/harness/formula"
	"github.com/podclock/podclock/harness/judge"
	"github.com/podclock/podclock/harness/manifest"
	"github.com/podclock/podclock/harness/predict"
	"github.com/podclock/podclock/harness/timeline"
	"github.com/podclock/podclock/harness/trial"
	"github.com/podclock/podclock/harness/victim"
)

// readings are the kubelets by whose rules every trial is both judged and predicted: one for each release
// whose source was read.
var readings = []string{formula.OldestKnown, "v1.34.4", "v1.35.4", formula.NewestKnown}

// unpredicted are the formulas of the catalogue that predictions do not ask, each with the reason.
var unpredicted = map[string]string{
	"deletion/began":                            "what the API server writes into deletionTimestamp, in whole seconds; nobody is killed by it",
	"deletion/disruption-condition":             "a condition that an eviction through the API writes; the kill is a delete's",
	"deletion/eviction-refused":                 "an answer of the API server: nothing happens to the pod",
	`deletion/death-after-object of "delete"`:   "a second delete request, which has no grace period",
	`deletion/object-without-grace of "delete"`: "a second delete request, which has no grace period",
	"deletion/lives-on":                         "a taint that is taken away again: nothing happens to the pod",
	`deletion/taint of "delete"`:                "a taint that the pod does not tolerate: it is deleted at once",
	"deletion/object-without-process":           "a pod that has no node yet, or has ended: there is nothing to be killed",
	"deletion/shortened-remainder":              "a second delete request while the first one's grace period runs; a prediction begins with one request",
	"deletion/timestamp-shift":                  "a second delete request",
	"eviction/cleanup-limit":                    "the eviction of another pod",
	"eviction/event-then-kill":                  "measured from the arrival of an event, which itself comes after the decision that predictions count from",
	"eviction/layer-limit-found":                "judged among further pods that may be evicted first; a prediction knows of no other pods on the node",
	"eviction/next-pod":                         "the eviction of another pod",
	"eviction/preemptor-start":                  "the start of the critical pod, not of the one that makes room",
	"eviction/pressure-begins":                  "a condition of the node",
	"eviction/pressure-ends":                    "a condition of the node",
	"eviction/soft-threshold-after-restart":     "a kubelet that is restarted while the threshold is crossed",
	"eviction/volume-limit-found":               "judged among further pods that may be evicted first; a prediction knows of no other pods on the node",
	"probes/after-kubelet-start":                "a kubelet that is restarted",
	"probes/cadence":                            "how many probes come in a span of time: no kill and no restart",
	"probes/errors-are-tried-again":             "a probe that can't be carried out, which no spec tells",
	"probes/errors-never-count":                 "a probe that can't be carried out, which no spec tells",
	"probes/errors-next-cycle":                  "a probe that can't be carried out, which no spec tells",
	"probes/first-tick":                         "measured from status.startTime, with what the node does before the container starts",
	`probes/later-probe of "liveness"`:          "where the period is longer than the delay, predictions ask probes/later-first-probe, of which the documentation says more",
	"probes/missing-port-never-counts":          "a probe that can't be carried out, which no spec tells",
	"probes/no-kill":                            "a probe that fails now and then, and never long enough",
	"probes/ready-over-kubelet-restart":         "a kubelet that is restarted",
	"probes/redirect-away-warns":                "what a probe's server answers, which no spec tells",
	"probes/redirect-is-success":                "what a probe's server answers, which no spec tells",
	"probes/startup-again":                      "the second life of a container whose liveness probe fails after its startup probe has succeeded",
	"probes/startup-first-after-restart":        "the second life of a container whose liveness probe fails after its startup probe has succeeded",
	"probes/startup-gate-over-kubelet-restart":  "a kubelet that is restarted",
	"probes/tick-to-tick":                       "the time between two probes that succeed: no kill and no restart",
	"probes/while-terminating":                  "probes of a container that is being killed: they change nothing of it",
	"restarts/after-kubelet-restart":            "a kubelet that is restarted",
	"restarts/after-new-image":                  "another image for a container that waits",
	"restarts/pull-delay":                       "an image that can't be had, which no spec tells",
	"restarts/undisturbed":                      "a container to which nothing happens",
	"termination/delete-waits-for-kill":         "a delete while a probe's kill is under way; a prediction has one cause",
	"termination/exceeded-grace-period":         "an eviction while a probe's kill is under way; a prediction has one cause",
	`termination/exit-code of ""`:               "what a container ends with by itself, which no spec tells",
	"termination/grace-again":                   "a kubelet that is restarted in the midst of a kill",
	"termination/hook-death-event":              "an event about the hook, which changes nothing of the kill",
	"termination/hook-failure-event":            "an event about the hook, which changes nothing of the kill",
	"termination/hook-runs-again":               "a kubelet that is restarted in the midst of a kill",
	"termination/hook-timeout-silent":           "an event about the hook, which changes nothing of the kill",
	"termination/image-stop-signal":             "what an image's STOPSIGNAL says, which no spec tells",
	"termination/killed-in-turn":                "two containers that fail their probes at the same time; a prediction is of one",
	"termination/killed-together":               "between two containers; a prediction is of one",
	"termination/no-signal":                     "a process that ends by itself while its hook runs",
	"termination/restart-all-free":              "a restart rule of another container",
	"termination/restart-all-kills":             "a restart rule of another container",
	`termination/hook-runs of "restart all"`:    "a restart rule of another container",
	`termination/remainder of "restart all"`:    "a restart rule of another container",
	`termination/stop-signals of "restart all"`: "a restart rule of another container",
	"termination/sleep-outlives-process":        "a process that ends by itself while its hook runs",
}

// besideOthers are formulas that are made with the number of other pods: those of the predictions are of a
// pod that is alone.
var besideOthers = map[string]bool{formula.VolumeLimitFound(0).ID: true, formula.LayerLimitFound(0).ID: true}

// A prediction of a trial's pod, made from its manifest, has the windows that the trial is judged by, given
// the same facts: for every claim whose formula predictions ask, on every kubelet whose source was read.
// What they do not ask is told by name.
func TestPredictionsAreWhatVerdictsAreHeldAgainst(t *testing.T) {
	all := readEvidence(t)
	compared, missing := map[string]int{}, map[string]bool{}
	for _, tr := range Catalogue() {
		t.Run(tr.ID, func(t *testing.T) {
			r, known := all[tr.ID]
			if !known {
				t.Fatalf(
					"%s has nothing of this trial: write it anew from a run of the virtual lane that has, PODCLOCK_EVIDENCE=out/…/run.json go test ./suites",
					evidencePath,
				)
			}
			tl := timeline.Build(r.Evidence, delay.Record{})
			for _, version := range readings {
				k := r.Kubelet
				k.Version = version
				p := predictions{
					t:         t,
					trial:     tr,
					kubelet:   k,
					workloads: asManifest(t, tr),
					compared:  compared,
					missing:   missing,
					made:      map[string]predict.Prediction{},
				}
				p.compare(tl)
			}
		})
	}
	g, total := NewWithT(t), 0
	for _, n := range compared {
		total += n
	}
	t.Logf("%d windows of %d formulas compared", total, len(compared))
	g.Expect(slices.Sorted(maps.Keys(missing))).
		To(Equal(slices.Sorted(maps.Keys(unpredicted))), "what predictions do not cover is listed, and nothing else is")
	g.Expect(total).To(BeNumerically(">", 3*len(Catalogue())))
}

// predictions are a trial's pods predicted by one kubelet's rules.
type predictions struct {
	t         *testing.T
	trial     trial.Trial
	kubelet   formula.Kubelet
	workloads []predict.Workload
	compared  map[string]int
	missing   map[string]bool
	made      map[string]predict.Prediction
}

// compare holds the windows of a trial's findings against predictions given the facts that they were judged by.
func (p predictions) compare(tl *timeline.Timeline) {
	g := NewWithT(p.t)
	findings := judge.Judge(p.trial, tl, delay.Record{}, p.kubelet).Findings
	for _, c := range p.trial.Claims {
		i := slices.IndexFunc(findings, func(f trial.Finding) bool { return f.Claim == c.ID() })
		if i < 0 {
			continue // this kubelet is not held to it
		}
		f, facts := findings[i], p.trial.Input(c, tl, delay.Record{}, p.kubelet)
		like := p.like(c, facts)
		if len(like) == 0 || besideOthers[c.Formula.ID] {
			p.uncovered(c.Formula.ID, facts.Kill.Cause)
			continue
		}
		for _, l := range like {
			in := l.Input().Given(facts)
			g.Expect(l.Rule().Implemented(in)).
				To(Equal(unobserved(f.Implemented)), "%s: %s, as %s computes", f.Claim, f.Formula, p.kubelet.Version)
			var documented *formula.Window
			if l.Rule().Documented != nil {
				documented = l.Rule().Documented(in)
			}
			if f.Documented == nil {
				g.Expect(documented).To(BeNil(), "%s: %s, documented", f.Claim, f.Formula)
				continue
			}
			g.Expect(documented).
				To(HaveValue(Equal(unobserved(*f.Documented))), "%s: %s, documented", f.Claim, f.Formula)
		}
		p.compared[c.Formula.ID]++
	}
}

// uncovered notes that no prediction has a formula: by its ID, or by ID and cause where it is predicted for
// other causes.
func (p predictions) uncovered(id string, cause formula.Cause) {
	if _, never := unpredicted[id]; !never {
		id = fmt.Sprintf("%s of %q", id, cause)
		if unpredicted[id] == "" {
			p.t.Errorf("%s: no prediction has %s", p.kubelet.Version, id)
		}
	}
	p.missing[id] = true
}

// like is what is predicted of a claim's container by the claim's formula. One formula counts to the start
// of one container from the end of another, and is predicted of that one.
func (p predictions) like(c trial.Claim, facts formula.Input) []predict.Predicted {
	own, others := p.containers(c, facts)
	containers := []predict.Container{own}
	if c.Formula.ID == formula.InitThenNext.ID {
		containers = append(containers, others...)
	}
	var like []predict.Predicted
	for _, container := range containers {
		for l := range container.Predicted {
			if l.Formula == c.Formula.ID && sameKill(l.Input(), facts) {
				like = append(like, l)
			}
		}
	}
	return like
}

// sameKill reports whether a prediction's input has the cause, delete option, taint and probe of facts. A life
// that nothing kills matches every cause.
func sameKill(predicted, facts formula.Input) bool {
	if kind := predicted.Probe.Kind; kind != "" && facts.Probe.Kind != "" && kind != facts.Probe.Kind {
		return false
	}
	mine, theirs := predicted.Kill, facts.Kill
	if mine.Cause == "" {
		return true
	}
	return mine.Cause == theirs.Cause && reflect.DeepEqual(mine.GracePeriodSeconds, theirs.GracePeriodSeconds) &&
		(mine.TolerationSeconds == nil || reflect.DeepEqual(mine.TolerationSeconds, theirs.TolerationSeconds))
}

// containers are the predictions of the container that a claim speaks of and of the others of its pod, the
// option of the trial's delete and what its victim does by itself being known.
func (p predictions) containers(
	c trial.Claim,
	facts formula.Input,
) (own predict.Container, others []predict.Container) {
	pod, spec := p.trial.Victim(c)
	var o predict.Options
	if option := facts.Kill.GracePeriodSeconds; option != nil {
		o.GracePeriodSeconds = []int64{*option}
	}
	if run, err := victim.ParseRun(spec.Args); err == nil && len(run.ExitAfter) > 0 {
		o.RunsFor = max(0, slices.Max(run.ExitAfter))
	}
	i := slices.IndexFunc(p.workloads, func(w predict.Workload) bool { return w.Name == nameOf(pod) })
	key := fmt.Sprint(i, o)
	if _, known := p.made[key]; !known {
		p.made[key] = predict.Of(p.workloads[i], p.kubelet, o)
	}
	for _, c := range p.made[key].Containers {
		if c.Name == spec.Name {
			own = c
		} else {
			others = append(others, c)
		}
	}
	return own, others
}

// unobserved is a window without the observer's error.
func unobserved(w formula.Window) formula.Window {
	if n := len(w.Terms) - 1; n >= 0 && w.Terms[n].Name == "observer" {
		return formula.Window{
			Unit:     w.Unit,
			Earliest: w.Earliest - w.Terms[n].Earliest,
			Latest:   w.Latest - w.Terms[n].Latest,
			Terms:    w.Terms[:n],
		}
	}
	return w
}

// nameOf is the name that a pod of the catalogue has in its manifest.
func nameOf(pod *corev1.Pod) string {
	if pod.Name == "" {
		return trial.Main
	}
	return pod.Name
}

// asManifest writes a trial's pods as a user would, and reads them as a user's.
func asManifest(t *testing.T, tr trial.Trial) []predict.Workload {
	g := NewWithT(t)
	var documents []string
	for _, p := range append([]*corev1.Pod{tr.Pod}, tr.Companions...) {
		p = p.DeepCopy()
		p.APIVersion, p.Kind, p.Name = "v1", "Pod", nameOf(p)
		for _, containers := range [][]corev1.Container{p.Spec.Containers, p.Spec.InitContainers} {
			for i := range containers {
				if containers[i].Image == "" {
					containers[i].Image = "fault" // the lab fills it in
				}
			}
		}
		text, err := yaml.Marshal(p)
		g.Expect(err).NotTo(HaveOccurred())
		documents = append(documents, string(text))
	}
	m, err := manifest.Read(strings.NewReader(strings.Join(documents, "---\n")), manifest.Options{Name: tr.ID})
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(m.Objects).To(HaveLen(1 + len(tr.Companions)))
	return predict.Workloads(m)
}
