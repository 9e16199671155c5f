package judge

import (
	"testing"
	"time"

	"github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"

	"github.com/podclock/podclock/harness/measure/delay"
	"github.com/podclock/podclock/harness/measure/timeline"
	"github.com/podclock/podclock/harness/measure/trial"
	"github.com/podclock/podclock/harness/measure/victim"
	"github.com/podclock/podclock/harness/rules/formula"
)

// A container crashes after one failing probe in each life, and needs three to be killed. On a node that is as late as
// measured, probes come after an end. A kubelet that counts one failure twice deviates, and so does one that needs two.
func TestKilledDead(t *testing.T) {
	const ms = time.Millisecond
	ended := []string{"victim was killed for its liveness probe 2.066 s after life 2 had ended: its lives saw 2 of 3 " +
		"failures, others came after their ends"}
	for name, c := range map[string]struct {
		killed    time.Duration
		threshold int32
		signalled bool
		delay     time.Duration
		want      trial.Verdict
		doubts    []string
	}{
		"busy":                      {11876 * ms, 3, false, 4 * time.Second, trial.Inconclusive, ended},
		"idle":                      {11876 * ms, 3, false, 0, trial.Deviates, nil},
		"late by less":              {11876 * ms, 3, false, 300 * ms, trial.Deviates, nil},
		"far too few failures":      {11876 * ms, 12, false, 4 * time.Second, trial.Deviates, nil},
		"killed while it lived":     {9700 * ms, 3, false, 4 * time.Second, trial.Deviates, nil},
		"killed in its next life":   {15 * time.Second, 3, false, 4 * time.Second, trial.Deviates, nil},
		"its life got SIGTERM, too": {11876 * ms, 3, true, 4 * time.Second, trial.Deviates, nil},
		"its lives saw enough":      {11876 * ms, 2, false, 4 * time.Second, trial.Deviates, nil},
	} {
		t.Run(name, func(t *testing.T) {
			crashes := claiming(trial.Claim{
				Measure: trial.Between(trial.Gone.Life(2), trial.Started.Life(3)), Formula: formula.RestartDelay,
			})
			crashes.Pod.Spec.Containers[0].LivenessProbe = &corev1.Probe{PeriodSeconds: 3,
				FailureThreshold: c.threshold}
			life := func(number int, started, probed, gone time.Duration) *timeline.Life {
				return &timeline.Life{
					Number: number, Connected: at(started), Started: at(started), Gone: at(gone),
					Probes: []timeline.Probe{{At: *at(probed), For: victim.Liveness, Handler: "http", Answer: "F"}},
				}
			}
			second := life(2, 8288*ms, 9602*ms, 9810*ms)
			if c.signalled {
				second.SIGTERMs = []timeline.Instant{*at(9800 * ms)}
			}
			tl := withLives(life(1, 0, 605*ms, 866*ms), second, life(3, 14443*ms, 15647*ms, 22252*ms))
			tl.Events = []timeline.Event{{
				At: *at(c.killed), Container: trial.Main, Reason: "Killing", Count: 1,
				Message: "Container victim failed liveness probe, will be restarted",
			}}
			late := delay.Span{From: at(time.Second).At, To: at(time.Second + c.delay).At}
			delays := delay.Record{LateTicks: []delay.Span{late}}
			r := Judge(crashes, tl, delays, newest)
			g := gomega.NewWithT(t)
			g.Expect(r.Doubts).To(gomega.Equal(c.doubts), "%v", r.Findings)
			g.Expect(r.Verdict).To(gomega.Equal(c.want), "%v", r.Findings)
		})
	}
}
