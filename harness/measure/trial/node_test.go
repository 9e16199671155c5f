package trial

import (
	"testing"
	"time"

	"github.com/onsi/gomega"

	"github.com/podclock/podclock/harness/measure/timeline"
)

// second returns the instant n seconds after a beginning.
func second(n int64) timeline.Instant { return timeline.Instant{At: n * int64(time.Second)} }

// The node's state when its watch began is no change.
func TestNodeConditions(t *testing.T) {
	tl := &timeline.Timeline{Node: []timeline.NodeChange{
		{At: second(1), Conditions: []string{"MemoryPressure", "Ready"}},
		{At: second(2), Conditions: []string{"Ready"}},
		{At: second(3), Conditions: []string{"DiskPressure", "Ready"}},
		{At: second(4), Conditions: []string{"DiskPressure"}},
		{At: second(5), Conditions: []string{"Ready"}},
		{At: second(6), Conditions: []string{"DiskPressure"}},
	}}
	for name, c := range map[string]struct {
		point Point
		want  int64 // 0 is never
	}{
		"node-condition-diskpressure":        {NodeCondition("DiskPressure"), 3},
		"no-node-condition-diskpressure":     {NoNodeCondition("DiskPressure"), 5},
		"node-condition-diskpressure-no2":    {NodeCondition("DiskPressure").Number(2), 6},
		"no-node-condition-diskpressure-no2": {NoNodeCondition("DiskPressure").Number(2), 0},
		"node-condition-memorypressure":      {NodeCondition("MemoryPressure"), 0},
		"no-node-condition-memorypressure":   {NoNodeCondition("MemoryPressure"), 2},
		"no-node-condition-pidpressure":      {NoNodeCondition("PIDPressure"), 0},
	} {
		t.Run(name, func(t *testing.T) {
			g := gomega.NewWithT(t)
			g.Expect(c.point.String()).To(gomega.Equal(name))
			got := c.point.In(tl)
			if c.want == 0 {
				g.Expect(got).To(gomega.BeNil())
				return
			}
			g.Expect(got).NotTo(gomega.BeNil())
			g.Expect(got.At).To(gomega.Equal(c.want * int64(time.Second)))
		})
	}
}

// A count within a time after a point is known when the time is over. Later events do not count.
func TestCountsAfterTheEnd(t *testing.T) {
	began := func(n int64) *timeline.Life {
		i := second(n)
		return &timeline.Life{Connected: &i}
	}
	tl := &timeline.Timeline{
		Containers: map[string]*timeline.Container{
			Main: {Name: Main, Lives: []*timeline.Life{began(1), began(12), began(16)}},
		},
		API: []timeline.Change{
			{At: second(1), Phase: "Running", Conditions: []string{"Ready"}},
			{At: second(10), Phase: "Failed", Reason: "Evicted", Conditions: []string{"DisruptionTarget"}},
			{At: second(11), Phase: "Failed", Pod: "companion", Reason: "OutOfcpu"},
		},
	}
	deleted := second(17)
	tl.ObjectDeleted = &deleted
	failed := Phase("Failed")
	for name, c := range map[string]struct {
		measure Measure
		want    int64
	}{
		"starts-within-5s":                     {Starts(Main, failed, 5*time.Second), 2},
		"objects-within-6s":                    {Objects(failed, 6*time.Second), 1},
		"objects-within-8s":                    {Objects(failed, 8*time.Second), 0},
		"disruptiontarget-condition-within-2s": {HasCondition("DisruptionTarget", failed, 2*time.Second), 1},
		"ready-condition-within-2s":            {HasCondition("Ready", failed, 2*time.Second), 0},
		"evicted-reason-within-2s":             {HasReason("Evicted", failed, 2*time.Second), 1},
		"preempting-reason-within-2s":          {HasReason("Preempting", failed, 2*time.Second), 0},
		"companion-outofcpu-reason-within-2s":  {HasReason("OutOfcpu", failed.Of("companion"), 2*time.Second), 1},
		"companion-evicted-reason-within-2s":   {HasReason("Evicted", failed.Of("companion"), 2*time.Second), 0},
		"containersready-condition-within-2s":  {HasCondition("ContainersReady", failed, 2*time.Second), 0},
	} {
		t.Run(name, func(t *testing.T) {
			g := gomega.NewWithT(t)
			g.Expect(c.measure.String()).To(gomega.Equal(name))
			tl.Known = second(10).At
			got, missing := c.measure.Read(tl)
			g.Expect(got).To(gomega.BeNil())
			g.Expect(missing).To(gomega.ContainSubstring("phase-failed"))
			tl.Known = second(20).At
			got, _ = c.measure.Read(tl)
			g.Expect(got).NotTo(gomega.BeNil())
			g.Expect(got.Value).To(gomega.Equal(c.want))
		})
	}
}
