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

	"github.com/podclock/podclock/harness/measure/delay"
	"github.com/podclock/podclock/harness/measure/judge"
	"github.com/podclock/podclock/harness/measure/timeline"
	"github.com/podclock/podclock/harness/measure/trial"
	"github.com/podclock/podclock/harness/measure/victim"
	"github.com/podclock/podclock/harness/predict"
	"github.com/podclock/podclock/harness/predict/manifest"
	"github.com/podclock/podclock/harness/rules/formula"
)

// unpredicted are the formulas of the catalogue that no prediction uses, each with the reason.
var unpredicted = map[string]string{
	`termination/restart-all-free of "restart all"`: "an init container that had ended; predicted is the pod's first start",

	"sidecars/next-start":                         "when the next container starts; it kills nothing",
	"sidecars/start-again-in-order":               "when sidecars start; it kills nothing",
	`kubelet/starts of ""`:                        "when the next pod starts; it kills nothing",
	"restarts/runtime-answers":                    "when the runtime answers again; predictions know no failure of it",
	"restarts/forgotten":                          "a container that somebody removes from the runtime",
	"termination/stop-fails":                      "a failure of the container runtime, which predictions do not know",
	"deletion/began":                              "what the API server writes, in whole seconds; it kills nothing",
	"deletion/disruption-condition":               "a condition of an API eviction; the kill is a delete's",
	"deletion/eviction-refused":                   "an answer of the API server: nothing happens to the pod",
	`deletion/death-after-object of "delete"`:     "a second delete request without a grace period",
	`deletion/object-without-grace of "delete"`:   "a second delete request without a grace period",
	"deletion/eviction-of-two-budgets":            "an answer of the API server: nothing happens to the pod",
	"deletion/second-taint":                       "a second taint; a prediction begins with one",
	"deletion/lives-on":                           "a taint that is removed again: nothing happens to the pod",
	`deletion/taint of "delete"`:                  "a taint that the pod does not tolerate: it is deleted at once",
	"deletion/object-without-process":             "a pod without a node, or one that has ended: nothing to kill",
	"deletion/shortened-remainder":                "a second delete; a prediction begins with one request",
	"deletion/timestamp-shift":                    "a second delete request",
	"eviction/cleanup-limit":                      "the eviction of another pod",
	"eviction/lives-on":                           "a pod that is not evicted: nothing happens to it",
	"eviction/event-then-kill":                    "an event that comes after the decision that starts a prediction",
	"eviction/layer-limit-found":                  "other pods of the node, which a prediction does not know",
	"eviction/reason-after-success":               "what a process makes of SIGTERM, which no spec shows",
	"eviction/lost-exit-code":                     "the end of a container that obeys while others of its pod do not",
	"eviction/next-pod":                           "the eviction of another pod",
	"eviction/preemptor-start":                    "the start of the critical pod, not of the one that makes room",
	"eviction/pressure-begins":                    "a condition of the node",
	"eviction/pressure-ends":                      "a condition of the node",
	"eviction/soft-threshold-after-restart":       "a kubelet that restarts while the threshold is crossed",
	"eviction/volume-limit-found":                 "other pods of the node, which a prediction does not know",
	"eviction/sidecar-layer-limit":                "whether a limit is enforced; a prediction that it is has its time",
	`termination/killed-in-turn of "startup"`:     "containers that fail their startup probes together; they rarely do",
	"probes/after-kubelet-start":                  "a kubelet that restarts",
	"probes/cadence":                              "a count of probes in a span: no kill and no restart",
	"probes/errors-are-tried-again":               "a probe that cannot be carried out, which no spec shows",
	"probes/errors-never-count":                   "a probe that cannot be carried out, which no spec shows",
	"probes/errors-next-cycle":                    "a probe that cannot be carried out, which no spec shows",
	"probes/first-tick":                           "a time that includes the node's work before the container starts",
	"probes/last-success-to-ready":                "the time from the last success: probes/recovery-to-ready is used",
	`probes/later-probe of "liveness"`:            "for a period above the delay: probes/later-first-probe is used",
	"probes/error-reported":                       "an event of a probe that cannot be carried out",
	"probes/missing-port-never-counts":            "a probe that cannot be carried out, which no spec shows",
	"probes/no-kill":                              "a probe that fails sometimes, but never long enough",
	"probes/out-of-turn":                          "the time between two probes: no kill and no restart",
	"probes/after-out-of-turn":                    "the time between two probes: no kill and no restart",
	"probes/ready-over-kubelet-restart":           "a kubelet that restarts",
	"probes/stays-unready":                        "a kubelet that restarts",
	"probes/redirect-away-warns":                  "the answer of a probe's server, which no spec shows",
	"probes/redirect-is-success":                  "the answer of a probe's server, which no spec shows",
	"probes/startup-again":                        "the second life after a startup success and a liveness failure",
	"probes/startup-first-after-restart":          "the second life after a startup success and a liveness failure",
	"probes/startup-gate-over-kubelet-restart":    "a kubelet that restarts",
	"probes/streak-survives-crash":                "a crash that leaves a streak of results to the next life",
	"probes/tick-to-tick":                         "the time between two successes: no kill and no restart",
	"probes/while-terminating":                    "probes of a container that is being killed, without effect",
	"restarts/after-collection":                   "a container runtime that takes a minute or more for a start",
	"restarts/after-kubelet-restart":              "a kubelet that restarts",
	"restarts/after-new-image":                    "another image for a container that waits",
	"restarts/back-off-events":                    "an event, without effect on the restarts",
	"restarts/back-off-reported":                  "an event, without effect on the restarts",
	"restarts/config-error-beside-crash-loop":     "a missing ConfigMap, which no spec shows",
	"restarts/config-error-retry":                 "a missing ConfigMap, which no spec shows",
	"restarts/start-with-config":                  "a missing ConfigMap, which no spec shows",
	"restarts/pull-delay":                         "a missing image, which no spec shows",
	"restarts/undisturbed":                        "a container to which nothing happens",
	"termination/delete-waits-for-kill":           "a delete during a probe's kill; a prediction has one cause",
	"termination/exceeded-grace-period":           "an eviction during a probe's kill; a prediction has one cause",
	`termination/exit-code of ""`:                 "the end of a container by itself, which no spec shows",
	"termination/grace-again":                     "a kubelet that restarts during a kill",
	"termination/hook-death-event":                "an event about the hook, without effect on the kill",
	"termination/hook-failure-event":              "an event about the hook, without effect on the kill",
	"termination/hook-runs-again":                 "a kubelet that restarts during a kill",
	"termination/fallback-silent":                 "an event about the hook, without effect on the kill",
	"termination/hook-timeout-silent":             "an event about the hook, without effect on the kill",
	"termination/image-stop-signal":               "an image's STOPSIGNAL, which no spec shows",
	"termination/killed-by-one-sync":              "two containers, and a sync under way; a prediction is for one",
	"termination/killed-together":                 "two containers; a prediction is for one",
	"termination/no-signal":                       "a process that ends by itself during its hook",
	"restarts/out-of-memory":                      "why a process died, which no manifest says",
	"restarts/out-of-memory-code":                 "why a process died, which no manifest says",
	"restarts/no-hook":                            "a process that ends by itself",
	"termination/own-stop-signal":                 "the number of a signal, not a time",
	"eviction/shutdown-next":                      "pods of other groups, which a prediction does not know",
	"eviction/shutdown-turn":                      "pods of other groups, which a prediction does not know",
	"eviction/shutdown-refusal":                   "a pod that is bound during a shutdown; it never runs",
	"eviction/shutdown-refusal-reason":            "a pod that is bound during a shutdown; it never runs",
	`kubelet/starts of "delete"`:                  "when a pod starts; it kills nothing",
	`all of "orphaning"`:                          "a kubelet that restarts and finds no pod",
	`all of "removed manifest"`:                   "a static pod; nothing is predicted of its mirror",
	"termination/mirror-delete":                   "the mirror of a static pod: nothing happens to the pod",
	"termination/mirror-renewed":                  "the mirror of a static pod: nothing happens to the pod",
	"termination/sleep-outlives-process":          "a process that ends by itself during its hook",
	"deletion/eviction-allowed":                   "an answer of the API server; the kill is a delete's",
	"deletion/precondition-failed":                "an answer of the API server: nothing happens to the pod",
	"deletion/unready-precondition-failed":        "an answer of the API server: nothing happens to the pod",
	"eviction/next-after-waiting":                 "the eviction of another pod",
	"eviction/preempted-next":                     "the preemption of another pod",
	"eviction/refusal":                            "a pod that does not fit its node; it never runs",
	"eviction/refusal-for":                        "a pod that does not fit its node; it never runs",
	"eviction/refused-never-starts":               "a pod that does not fit its node; it never runs",
	"eviction/soft-threshold-shown":               "the eviction of a pod without a process",
	"eviction/soft-threshold-shown-after-restart": "the eviction of a pod without a process",
	"eviction/shutdown-forgotten":                 "a kubelet that restarts",
	"eviction/evicted-again":                      "a kubelet that restarts",
	"termination/restart-all-again":               "a kubelet that restarts",
	"termination/restart-held":                    "a crash during a probe's kill; a prediction has one cause",
	"termination/restart-all-held":                "a crash during a probe's kill; a prediction has one cause",
	"termination/restarted-once":                  "a container to which nothing happens",
	"restarts/delay-after-restart-all":            "a crash after a restart of all containers; a prediction has one cause",
	"deletion/starts-no-more":                     "a deleted pod, of which nothing starts",
	"sidecars/stays-down":                         "a deleted pod, of which nothing starts again",
	"sidecars/unheeded-failures":                  "probes of a container that is being killed, without effect",
	"probes/unready-with-restart":                 "a condition of the pod, without effect on the restarts",
	"probes/unready-until-started":                "a condition of the pod, without effect on the restarts",
	"eviction/shutdown-waits":                     "pods of other groups, which a prediction does not know",
	`restarts/starts of "delete"`:                 "a deleted pod, of which nothing starts again",
	"restarts/after-resize":                       "a resize, which no spec shows",
	"restarts/resize-kills":                       "a resize, which no spec shows",
	"restarts/resize-starts":                      "a resize, which no spec shows",
	"restarts/resize-starts-backed-off":           "a resize, which no spec shows",
	"restarts/resized-in-place":                   "a container to which nothing happens",
	"restarts/resize-completed":                   "an event, without effect on the restarts",
	"restarts/resize-shown":                       "a condition of the pod, without effect on the restarts",
	"restarts/resize-shown-for-a-moment":          "a condition of the pod, without effect on the restarts",
	"restarts/lowered-after-restart":              "a condition of the pod, without effect on the restarts",
	"restarts/resize-error-shown":                 "a condition of the pod, without effect on the restarts",
	"restarts/resize-infeasible":                  "a condition of the pod, without effect on the restarts",
	"restarts/plain-resize-refused":               "an answer of the API server: nothing happens to the pod",
	"restarts/resize-refused":                     "an answer of the API server: nothing happens to the pod",
	"restarts/resize-retried":                     "other pods of the node, which a prediction does not know",
	"restarts/resize-after-end":                   "other pods of the node, which a prediction does not know",
	"deletion/before-start":                       "a pod whose containers cannot start, which no spec shows",
	"deletion/held-start":                         "a delete while a container starts; a prediction's pod runs",
	"deletion/after-sync":                         "a delete while a container starts; a prediction's pod runs",
	"restarts/start-error-retry":                  "a missing program, which no spec shows",
	"restarts/sandbox-lost":                       "the end of a pod's sandbox, which no spec shows",
	"restarts/sandbox-lost-for-good":              "the end of a pod's sandbox, which no spec shows",
	"restarts/reboot":                             "a node that reboots",
	"restarts/reboot-for-good":                    "a node that reboots",
	"restarts/unknown-code":                       "a node that reboots",
	"restarts/sandbox-shown":                      "a condition, without effect on the start",
	"restarts/pulled-again":                       "a part of a restart",
	"restarts/cannot-start":                       "a container that lacks something, which no spec shows",
	"probes/sidecar-heeded-after-kubelet-restart": "a kubelet that restarts",
	"probes/unready-replacement":                  "a kubelet that restarts",
	"probes/unready-at-startup-tick":              "a condition of the pod, without effect on the restarts",
	"sidecars/start-beside-crashed":               "when the next container starts; it kills nothing",
	"restarts/pull-secret-reported":               "an event, without effect on the restarts",
	"restarts/pull-secret-events":                 "an event, without effect on the restarts",
	"termination/post-start-refused":              "a hook that cannot connect, which no spec shows",
	"termination/post-start-death":                "a hook that cannot connect, which no spec shows",
	"termination/post-start-shown":                "a state of the container, without effect on the restarts",
	"termination/hook-status-ignored":             "a container to which nothing happens",
	"probes/readiness-gate":                       "a condition that another program writes",
	"probes/closed-grpc-kills":                    "a port where nobody listens, which no spec shows",
	"termination/host-network-hook":               "a count of hooks: no time depends on it",
}

// besideOthers are formulas that depend on the number of other pods. A prediction is for a pod that is alone.
var besideOthers = map[string]bool{formula.VolumeLimitFound(0).ID: true, formula.LayerLimitFound(0).ID: true}

// overflowing are trials of grace periods of which predictions say only that they overflow.
var overflowing = []string{
	"termination/grace-overflows", "termination/grace-ends-the-call", "termination/grace-ends-the-call-of-a-probe",
}

// The prediction of a trial's pod, made from its manifest, has the windows that judge the trial with the same
// facts: for every claim whose formula predictions use, on every kubelet whose source was read.
func TestPredictionsUseTheWindowsOfVerdicts(t *testing.T) {
	all := readEvidence(t)
	compared, missing := map[string]int{}, map[string]bool{}
	for _, tr := range Catalogue() {
		if tr.NodeOnly != "" || tr.Unsupported(formula.Kubelet{Version: formula.NewestKnown}) != "" {
			continue // the evidence is of a virtual run of the newest release
		}
		t.Run(tr.ID, func(t *testing.T) {
			r, known := all[tr.ID]
			if !known {
				t.Fatalf(
					"%s does not have this trial; write it from a virtual run: "+
						"PODCLOCK_EVIDENCE=out/…/run.json go test ./suites",
					evidencePath,
				)
			}
			tl := timeline.Build(r.Evidence, delay.Record{})
			for _, version := range readings {
				k := r.Kubelet
				k.Version = version
				k, _ = k.AsReleased()
				p := predictions{
					t:         t,
					trial:     tr,
					kubelet:   k,
					workloads: asManifest(t, tr),
					compared:  compared,
					missing:   missing,
					made:      map[string]predict.Prediction{},
				}
				says := predict.All(p.workloads, k, predict.Options{})[0].NotCovered
				NewWithT(t).Expect(says != "").To(Equal(slices.Contains(overflowing, tr.ID)), says)
				if says == "" {
					p.compare(tl)
				}
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

// compare compares the windows of a trial's findings with predictions from the same facts.
func (p predictions) compare(tl *timeline.Timeline) {
	g := NewWithT(p.t)
	findings := judge.Judge(p.trial, tl, delay.Record{}, p.kubelet).Findings
	for _, c := range p.trial.Claims {
		i := slices.IndexFunc(findings, func(f trial.Finding) bool { return f.Claim == c.ID() })
		if i < 0 {
			continue // the claim does not apply to this kubelet
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

// uncovered records that no prediction has a formula: by its cause, its ID, or both if it is predicted for other
// causes.
func (p predictions) uncovered(id string, cause formula.Cause) {
	both := fmt.Sprintf("%s of %q", id, cause)
	for _, key := range []string{fmt.Sprintf("all of %q", cause), id, both} {
		if unpredicted[key] != "" {
			p.missing[key] = true
			return
		}
	}
	p.t.Errorf("%s: no prediction has %s", p.kubelet.Version, both)
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

// containers returns the predictions of a claim's container and of the others of its pod. They know the option
// of the trial's delete and what its victim does by itself.
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
		p.made[key] = predict.All(p.workloads[i:i+1], p.kubelet, o)[0]
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

// asManifest writes a trial's pods as a user would, and reads them again.
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
	m, err := manifest.Read(strings.NewReader(strings.Join(documents, "---\n")), tr.ID)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(m.Objects).To(HaveLen(1 + len(tr.Companions)))
	return predict.Workloads(m)
}
