package trial

import (
	"testing"
	"time"

	"github.com/onsi/gomega"

	"github.com/podclock/podclock/harness/measure/timeline"
	"github.com/podclock/podclock/harness/rules/formula"
)

// Refusals and other faults delete nothing. A claim about a fault sees no later one.
func TestDeletes(t *testing.T) {
	n := func(v int64) *int64 { return &v }
	refused := Evict()
	refused.Refused = true
	tr := Trial{Faults: []Fault{refused, Delete(), {Action: RestartKubelet}, DeleteWithin(5)}}
	tl := &timeline.Timeline{
		Faults: []timeline.Fault{
			{At: *at(time.Second), Status: 429},
			{At: *at(2 * time.Second)},
			{At: *at(3 * time.Second)},
			{At: *at(4 * time.Second)},
		},
	}
	first, second := formula.Delete{
		At: time.Duration(at(2 * time.Second).At),
	}, formula.Delete{
		GracePeriodSeconds: n(5),
		At:                 time.Duration(at(4 * time.Second).At),
	}
	g := gomega.NewWithT(t)
	g.Expect(tr.deletes(0, tl)).To(gomega.Equal([]formula.Delete{first, second}))
	g.Expect(tr.deletes(2, tl)).To(gomega.Equal([]formula.Delete{first}))
	g.Expect(tr.deletes(1, tl)).To(gomega.BeEmpty())
	tl.Faults = tl.Faults[:2]
	g.Expect(tr.deletes(0, tl)).To(gomega.Equal([]formula.Delete{first}), "the second was not delivered yet")
}

func TestEndedBeforeTheDelete(t *testing.T) {
	deletes := []formula.Delete{{At: time.Duration(at(5 * time.Second).At)}}
	for name, c := range map[string]struct {
		change timeline.Change
		want   bool
	}{
		"it had succeeded":       {timeline.Change{At: *at(4 * time.Second), Phase: "Succeeded"}, true},
		"it had failed":          {timeline.Change{At: *at(4 * time.Second), Phase: "Failed"}, true},
		"it was running":         {timeline.Change{At: *at(4 * time.Second), Phase: "Running"}, false},
		"it ended by the delete": {timeline.Change{At: *at(6 * time.Second), Phase: "Failed"}, false},
		"another pod had ended": {
			timeline.Change{At: *at(4 * time.Second), Phase: "Failed", Pod: "companion"}, false,
		},
	} {
		gomega.NewWithT(t).Expect(endedBefore(&timeline.Timeline{API: []timeline.Change{c.change}}, deletes)).
			To(gomega.Equal(c.want), name)
	}
}

// A hook can't begin before the reason of the kill, for any kind of fault.
func TestKillReason(t *testing.T) {
	tl := &timeline.Timeline{Faults: []timeline.Fault{
		{
			What:   string(EvictPod),
			At:     *at(time.Second),
			Status: 429,
		},
		{What: string(SetImage), At: *at(2 * time.Second)},
		{What: string(DeletePod), At: *at(3 * time.Second)},
	}}
	life := &timeline.Life{PostStarts: []timeline.Hook{{Began: *at(time.Second), Ended: at(1500 * time.Millisecond)}}}
	for cause, want := range map[formula.Cause]*timeline.Instant{
		formula.ByDelete:    at(3 * time.Second),
		formula.ByChange:    at(2 * time.Second),
		formula.ByPostStart: at(1500 * time.Millisecond),
		formula.ByDeadline:  nil,
	} {
		gomega.NewWithT(t).Expect(killReason(tl, life, cause)).To(gomega.Equal(want), string(cause))
	}
	tl.Faults = append(tl.Faults,
		timeline.Fault{What: string(ResizePod), At: *at(4 * time.Second)},
		timeline.Fault{What: string(ResizePod), At: *at(5 * time.Second), Status: 403},
		timeline.Fault{What: string(ResizePod), At: *at(9 * time.Second)},
	)
	life.SIGTERMs = []timeline.Instant{*at(6 * time.Second)}
	gomega.NewWithT(t).Expect(killReason(tl, life, formula.ByChange)).
		To(gomega.Equal(at(4*time.Second)), "the last change that it can answer")
}

// The kubelet counts a pod's deadline from the second that the API shows. A deletion began up to one second later than
// the API shows.
func TestTimesInSeconds(t *testing.T) {
	grace := int64(30)
	tl := &timeline.Timeline{
		API: []timeline.Change{{StartTime: 100, DeletionTimestamp: 150, DeletionGracePeriodSeconds: &grace}},
	}
	g := gomega.NewWithT(t)
	g.Expect(*PodStartTime.In(tl)).To(gomega.Equal(timeline.Instant{At: int64(100 * time.Second)}))
	g.Expect(*DeletionBegan.In(tl)).
		To(gomega.Equal(timeline.Instant{At: int64(120 * time.Second), Late: int64(time.Second)}))
}

// A change that was sent before the fault shows the state before. The next change that differs is the fault's.
func TestADeletionShownLate(t *testing.T) {
	shown := func(at time.Duration, grace int64, timestamp int64) timeline.Change {
		return timeline.Change{
			At:                         timeline.Instant{At: zero + int64(at)},
			DeletionGracePeriodSeconds: &grace,
			DeletionTimestamp:          timestamp,
			Containers:                 []timeline.ContainerStatus{{Name: Main, State: "running"}},
		}
	}
	ended := func(c timeline.Change) timeline.Change {
		c.Containers = []timeline.ContainerStatus{{Name: Main, State: "terminated"}}
		return c
	}
	first := shown(5*time.Second, 20, 100)
	for name, c := range map[string]struct {
		api          []timeline.Change
		grace, shift int64
	}{
		"the fault's alone": {[]timeline.Change{first, shown(9100*time.Millisecond, 5, 85)}, 5, -15},
		"a late one before": {
			[]timeline.Change{first, shown(9100*time.Millisecond, 20, 100), shown(9200*time.Millisecond, 5, 85)}, 5,
			-15,
		},
		"nothing changed": {
			[]timeline.Change{first, shown(9100*time.Millisecond, 20, 100), shown(20*time.Second, 0, 100)}, 20, 0,
		},
		"the kubelet's own delete soon after": {
			[]timeline.Change{
				first, ended(shown(9400*time.Millisecond, 20, 100)), ended(shown(9900*time.Millisecond, 0, 89)),
			}, 20, 0,
		},
		"the kubelet's own delete alone": {[]timeline.Change{first, ended(shown(9900*time.Millisecond, 0, 89))}, 20, 0},
		"a force delete":                 {[]timeline.Change{first, shown(9100*time.Millisecond, 0, 80)}, 0, -20},
		"nothing was shown":              {[]timeline.Change{first}, 20, 0},
		"another change comes later": {
			[]timeline.Change{first, shown(9100*time.Millisecond, 5, 85), shown(9300*time.Millisecond, 0, 85)}, 5, -15,
		},
	} {
		tl := lifeOf(time.Second)
		tl.API, tl.Faults = c.api, []timeline.Fault{
			{What: string(DeletePod), At: *at(5 * time.Second)},
			{What: string(DeletePod), At: *at(9 * time.Second)},
		}
		g := gomega.NewWithT(t)
		grace, missing := DeletionGrace(2).deletion(tl)
		g.Expect(missing).To(gomega.BeEmpty(), name)
		g.Expect(grace).To(gomega.Equal(c.grace), name)
		shift, _ := DeletionShift(2).deletion(tl)
		g.Expect(shift).To(gomega.Equal(c.shift), name)
	}
}
