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

// A kubelet that probes before the initial delay, or long before the sync, deviates. So does one that probes late.
func TestSyncedByStart(t *testing.T) {
	late := []string{"other started 4.8s after victim, and its start synced the pod after the initial delay"}
	inTime := []string{"other started 819ms after victim, and its start synced the pod after the initial delay"}
	afterLateMark := []string{"other started 1.321s after victim, and its start synced the pod after the initial delay"}
	lateSync := []string{"other started 1.384s after victim, and its start synced the pod after the initial delay"}
	old := formula.Kubelet{Version: "v1.35.4"}
	const ms = time.Millisecond
	for name, c := range map[string]struct {
		kubelet         formula.Kubelet
		started, probed time.Duration // after the main container's start; the other one ends at 11.8 s
		late            time.Duration // how long nothing ran before the main container's start
		lateSync        time.Duration // how long nothing ran after the other container's start
		want            trial.Verdict
		doubts          []string
	}{
		"at the late start":            {newest, 4800 * ms, 4700 * ms, 0, 0, trial.Inconclusive, late},
		"at the end, as meant":         {newest, 300 * ms, 12 * time.Second, 0, 0, trial.Conforms, nil},
		"the other started in time":    {newest, 300 * ms, 4700 * ms, 0, 0, trial.Deviates, nil},
		"long before the late start":   {newest, 4800 * ms, 3 * time.Second, 0, 0, trial.Deviates, nil},
		"long after the late start":    {newest, 4800 * ms, 9 * time.Second, 0, 0, trial.Deviates, nil},
		"at a start, before the delay": {newest, 2 * time.Second, 2 * time.Second, 0, 0, trial.Deviates, nil},
		// As measured: the first look at the container comes a relist after the start, its sync another relist later.
		"at the second sync, with relists":    {old, 819 * ms, 3740 * ms, 0, 0, trial.Inconclusive, inTime},
		"at the second sync, without relists": {newest, 819 * ms, 3740 * ms, 0, 0, trial.Deviates, nil},
		"at the first sync, before the delay": {old, 819 * ms, 2900 * ms, 0, 0, trial.Deviates, nil},
		"long after all syncs, with relists":  {old, 819 * ms, 6500 * ms, 0, 0, trial.Deviates, nil},
		// As measured: the main container's mark came 1.7 s after its start.
		"the first mark came late":        {newest, 1321 * ms, 2579 * ms, time.Second, 0, trial.Inconclusive, afterLateMark},
		"the first mark hardly came late": {newest, 1321 * ms, 2579 * ms, 400 * ms, 0, trial.Deviates, nil},
		// As measured: the sync of the other's start came 0.2 s later than its window.
		"the sync came late":              {newest, 1384 * ms, 4419 * ms, 0, 300 * ms, trial.Inconclusive, lateSync},
		"the sync came too late for that": {newest, 1384 * ms, 4919 * ms, 0, 300 * ms, trial.Deviates, nil},
		"at its tick":                     {newest, 4800 * ms, 20 * time.Second, 0, 0, trial.Deviates, nil},
	} {
		t.Run(name, func(t *testing.T) {
			outOfTurn := claiming(trial.Claim{
				Measure: trial.Between(trial.Gone.Of("other"), trial.FirstProbe(victim.Readiness)),
				Formula: formula.OutOfTurn,
			})
			outOfTurn.Pod.Spec.Containers[0].ReadinessProbe = &corev1.Probe{InitialDelaySeconds: 4, PeriodSeconds: 16}
			outOfTurn.Pod.Spec.Containers = append(outOfTurn.Pod.Spec.Containers, corev1.Container{Name: "other"})
			tl := withLives(&timeline.Life{
				Number: 1, Connected: at(0), Started: at(0),
				Probes: []timeline.Probe{{At: *at(c.probed), For: victim.Readiness, Handler: "http", Answer: "S"}},
			})
			tl.Containers["other"] = &timeline.Container{Name: "other", Lives: []*timeline.Life{{
				Number: 1, Connected: at(c.started), Started: at(c.started), Gone: at(11800 * ms),
			}}}
			slow := delay.Record{LateTicks: []delay.Span{
				{From: at(-c.late).At, To: at(0).At},
				{From: at(c.started).At, To: at(c.started + c.lateSync).At},
			}}
			r := Judge(outOfTurn, tl, slow, c.kubelet)
			g := gomega.NewWithT(t)
			g.Expect(r.Verdict).To(gomega.Equal(c.want), "%v", r.Findings)
			g.Expect(r.Doubts).To(gomega.Equal(c.doubts))
		})
	}
}
