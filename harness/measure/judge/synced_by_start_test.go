package judge

import (
	"fmt"
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
	const ms = time.Millisecond
	for name, c := range map[string]struct {
		old             bool          // a kubelet that relists after a start
		started, probed time.Duration // after the main container's start; the other one ends at 11.8 s
		late, lateOther time.Duration // how long nothing ran before the main container's start, and the other's
		lateSync        time.Duration // how long nothing ran after the other container's start
		want            trial.Verdict
	}{
		"at the late start": {
			started: 4800 * ms, probed: 4700 * ms, want: trial.Inconclusive,
		},
		"at the end, as meant":         {started: 300 * ms, probed: 12 * time.Second, want: trial.Conforms},
		"the other started in time":    {started: 300 * ms, probed: 4700 * ms, want: trial.Deviates},
		"long before the late start":   {started: 4800 * ms, probed: 3 * time.Second, want: trial.Deviates},
		"long after the late start":    {started: 4800 * ms, probed: 9 * time.Second, want: trial.Deviates},
		"at a start, before the delay": {started: 2 * time.Second, probed: 2 * time.Second, want: trial.Deviates},
		// As measured: the first look at the container comes a relist after the start, its sync another relist later.
		"at the second sync, with relists": {
			old: true, started: 819 * ms, probed: 3740 * ms, want: trial.Inconclusive,
		},
		"at the second sync, without relists": {started: 819 * ms, probed: 3740 * ms, want: trial.Deviates},
		"at the first sync, before the delay": {
			old: true, started: 819 * ms, probed: 2900 * ms, want: trial.Deviates,
		},
		"long after all syncs, with relists": {
			old: true, started: 819 * ms, probed: 6500 * ms, want: trial.Deviates,
		},
		// As measured: the main container's mark came 1.7 s after its start.
		"the first mark came late": {
			started: 1321 * ms, probed: 2579 * ms, late: time.Second, want: trial.Inconclusive,
		},
		"the first mark hardly came late": {
			started: 1321 * ms, probed: 2579 * ms, late: 400 * ms, want: trial.Deviates,
		},
		// As measured: the other container's mark came 0.9 s after its start, and 0.5 s after the probe.
		"the other's first mark came late": {
			started: 5515 * ms, probed: 5060 * ms, lateOther: 300 * ms, want: trial.Inconclusive,
		},
		"the other's first mark hardly came late": {
			started: 5515 * ms, probed: 5060 * ms, lateOther: 100 * ms, want: trial.Deviates,
		},
		// As measured: the sync of the other's start came 0.2 s later than its window.
		"the sync came late": {
			started: 1384 * ms, probed: 4419 * ms, lateSync: 300 * ms, want: trial.Inconclusive,
		},
		"the sync came too late for that": {
			started: 1384 * ms, probed: 4919 * ms, lateSync: 300 * ms, want: trial.Deviates,
		},
		"at its tick": {started: 4800 * ms, probed: 20 * time.Second, want: trial.Deviates},
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
				{From: at(c.started - c.lateOther).At, To: at(c.started + c.lateSync).At},
			}}
			k, doubts := newest, []string(nil)
			if c.old {
				k = formula.Kubelet{Version: "v1.35.4"}
			}
			if c.want == trial.Inconclusive {
				doubts = []string{fmt.Sprintf(
					"other started %v after victim, and its start synced the pod after the initial delay", c.started)}
			}
			r := Judge(outOfTurn, tl, slow, k)
			g := gomega.NewWithT(t)
			g.Expect(r.Verdict).To(gomega.Equal(c.want), "%v", r.Findings)
			g.Expect(r.Doubts).To(gomega.Equal(doubts))
		})
	}
}
