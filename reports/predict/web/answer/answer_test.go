package answer

import (
	"strings"
	"testing"
	"time"

	. "github.com/onsi/gomega"

	"github.com/podclock/podclock/harness/predict"
	"github.com/podclock/podclock/harness/predict/manifest"
	"github.com/podclock/podclock/harness/rules/formula"
	"github.com/podclock/podclock/reports/predict/forecast"
)

const pod = `apiVersion: v1
kind: Pod
metadata: {name: web}
spec:
  terminationGracePeriodSeconds: 40
  containers:
  - name: app
    image: i
    livenessProbe: {tcpSocket: {port: 80}}
    lifecycle: {preStop: {exec: {command: [HOOK]}}}
  - {name: log, image: i}
`

func asked(change func(*Question)) Question {
	q := Question{Manifest: pod, Version: formula.NewestKnown}
	if change != nil {
		change(&q)
	}
	return q
}

// An answer is the forecast that the program would make with the same flags.
func TestAnswersAreForecasts(t *testing.T) {
	g := NewWithT(t)
	q := asked(func(q *Question) {
		q.Version, q.Event = "v1.30.14", "liveness once healthy"
		q.Grace, q.HookTakes, q.ExitsAfter = new(int64(7)), new(2.5), new(1.0)
	})
	k, err := formula.KubeletOf(q.Version, nil, []byte("{}"), nil)
	g.Expect(err).NotTo(HaveOccurred())
	m, err := manifest.Read(strings.NewReader(q.Manifest), "the manifest")
	g.Expect(err).NotTo(HaveOccurred())
	o := predict.Options{GracePeriodSeconds: []int64{7}, ExitsAfter: new(time.Second)}
	o.HookTakes = new(2500 * time.Millisecond)
	want, err := forecast.Of("the manifest", m, k, o).Screen(q.Event, q.Grace)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(To(q)).To(Equal(Answer{Screen: &want, Hook: "unknown: it may hang", Most: 80}))
}

// A preset is a limit of the nodes, and a shutdown if their provider configures one.
func TestPresets(t *testing.T) {
	for name, label := range map[string]string{"aws-spot": "Limits", "karpenter=5m": "Limits", "gke-spot": "Shutdown"} {
		g := NewWithT(t)
		a := To(asked(func(q *Question) { q.Preset = name }))
		g.Expect(a.Problems).To(BeEmpty())
		g.Expect(a.Screen.Workloads[0].Short).To(ContainElement(HaveField("Label", label)), name)
	}
	spot := To(asked(func(q *Question) { q.Preset = "azure-spot" })).Screen.Workloads[0]
	NewWithT(t).Expect(spot.Findings).To(ContainElement(HaveField("Rule", "limit-cuts-grace")))
}

func TestProblems(t *testing.T) {
	for want, change := range map[string]func(*Question){
		"there is no object yet":          func(q *Question) { q.Manifest = "# nothing\n" },
		`"latest" is no version`:          func(q *Question) { q.Version = "latest" },
		`"spot": there is no such preset`: func(q *Question) { q.Preset = "spot" },
		"the grace period is -1 s":        func(q *Question) { q.Grace = new(int64(-1)) },
		"the time of the preStop hook":    func(q *Question) { q.HookTakes = new(1e300) },
		"the time until the process":      func(q *Question) { q.ExitsAfter = new(-0.5) },
		"document 1, line 2: Pot: kind":   func(q *Question) { q.Manifest = "apiVersion: v1\nkind: Pot\n" },
		"document 2, line 3: apiVersion":  func(q *Question) { q.Manifest = "kind: Pot\n---\nkind: Pod\n" },
	} {
		a := To(asked(change))
		NewWithT(t).Expect(a.Screen).To(BeNil(), want)
		NewWithT(t).Expect(a.Problems).To(ContainElement(HavePrefix(want)))
	}
}

func TestHookAndMost(t *testing.T) {
	with := func(old, text string) func(*Question) {
		return func(q *Question) { q.Manifest = strings.Replace(pod, old, text, 1) }
	}
	for name, c := range map[string]struct {
		change func(*Question)
		hook   string
		most   int64
	}{
		"a command":     {with("HOOK", "/drain"), "unknown: it may hang", 80},
		"a known time":  {with("HOOK", "sleep, '5'"), "as in the manifest", 80},
		"a sleep":       {with("exec: {command: [HOOK]}", "sleep: {seconds: 5}"), "", 80},
		"a short grace": {with("onds: 40", "onds: 1"), "unknown: it may hang", 60},
		"a long one":    {with("onds: 40", "onds: 90000"), "unknown: it may hang", 86400},
		"no pod":        {with(pod, "apiVersion: v1\nkind: Service\n"), "", 60},
	} {
		a := To(asked(c.change))
		NewWithT(t).Expect(a.Problems).To(BeEmpty(), name)
		NewWithT(t).Expect(a.Hook).To(Equal(c.hook), name)
		NewWithT(t).Expect(a.Most).To(Equal(c.most), name)
	}
}
