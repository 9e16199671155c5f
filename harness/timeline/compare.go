package timeline

import (
	"time"

	"github.com/podclock/podclock/harness/delay"
	"github.com/podclock/podclock/harness/victim"
)

// compareWithAPI takes exit codes and the object's end from the API, and doubts the timeline where the API
// contradicts the marks beyond what its whole seconds and a busy node can explain.
func (t *Timeline) compareWithAPI(changes []Change, n delay.Record) {
	numbered := t.numberedByStarts(changes)
	for _, c := range changes {
		if c.Deleted && c.Pod == "" {
			at := c.At
			t.ObjectDeleted = &at
		}
		for _, s := range c.Containers {
			if s.Ended == nil {
				continue
			}
			end := *s.Ended
			if life := numbered[s.Name].of(end); life != nil {
				end.Life = life.Number
			}
			t.compareEnd(s.Name, end, n)
		}
	}
}

// The reasons of ends that the kubelet made up, and which say nothing of any life: of a container that it
// could not find any more, and of one that it removed to restart all of its pod, whose restart is counted
// before it comes (kubelet_pods.go convertToAPIContainerStatuses).
const (
	lostToTheAPI = "ContainerStatusUnknown"
	removed      = "RestartingAllContainers"
)

func (t *Timeline) compareEnd(container string, end End, n delay.Record) {
	if madeUp(end) {
		return
	}
	life := t.Life(container, end.Life)
	if life == nil {
		if end.StartedAt > 0 && end.FinishedAt-end.StartedAt <= 1 {
			return // killed before its process could say anything, as after a restart that a deletion overtakes
		}
		if end.FinishedAt*int64(time.Second) < t.Known-int64(apiResolution) {
			t.doubtOnce("the API shows an end of life %d of container %s, of which no mark came", end.Life, container)
		}
		return
	}
	if life.ExitCode == nil {
		life.ExitCode = &end.ExitCode
	}
	if c := int(end.ExitCode); c >= victim.ExitUsage && c <= victim.ExitNotKilled {
		t.doubtOnce(
			"life %d of container %s ended with %d: the victim could not do what its pod's spec asks; its log says why",
			end.Life,
			container,
			c,
		)
	}
	finished := end.FinishedAt * int64(time.Second)
	if end.FinishedAt <= 0 || finished > t.Known-int64(apiResolution) {
		return
	}
	if life.Gone == nil {
		t.doubtOnce("the API shows that life %d of container %s ended, but its connection is open", end.Life, container)
		return
	}
	// FinishedAt is the true time cut to seconds: the death lies at most one second after it.
	late := life.Gone.At - finished - int64(time.Second)
	early := finished - life.Gone.At
	slack := int64(
		apiResolution-time.Second,
	) + int64(
		n.Total(life.Gone.At-int64(time.Second), life.Gone.At+int64(time.Second)),
	)
	if late > slack || early > slack {
		t.doubtOnce("marks and API disagree about the end of life %d of container %s by %v", end.Life, container,
			time.Duration(max(late, early)).Round(time.Millisecond))
	}
}

// doubtOnce keeps one doubt about the same thing, though the API repeats itself in every change.
func (t *Timeline) doubtOnce(format string, args ...any) {
	before := len(t.Doubts)
	t.doubt(format, args...)
	added := t.Doubts[before]
	for _, d := range t.Doubts[:before] {
		if d == added {
			t.Doubts = t.Doubts[:before]
			return
		}
	}
}

// compareWithCounters doubts the timeline where the kubelet counted more failing probes than reached the
// container by then: one failed without the container's seeing it, so the container's count can't be held
// against the kubelet. Fewer are no doubt: what reached the container and was not counted is the kubelet's
// own doing, and the claims will tell.
func (t *Timeline) compareWithCounters(c *Counters) {
	if c == nil {
		return
	}
	for name, byKind := range c.Failed {
		container := t.Containers[name]
		if container == nil {
			continue
		}
		for kind, counted := range byKind {
			if saw := container.mayHaveFailed(kind, c.Answered); counted > saw {
				t.doubt(
					"the kubelet counted %d failing %s probes of container %s, the container saw %d",
					counted,
					kind,
					name,
					saw,
				)
			}
		}
	}
}

// mayHaveFailed is how many probes of a kind had reached the container by an instant without being plain
// successes. An error or a redirect is no failure either, but should a kubelet take it for one, then that
// is no doubt: it did reach the container.
func (c *Container) mayHaveFailed(kind string, by Instant) int {
	n := 0
	for _, life := range c.Lives {
		for _, p := range life.Probes {
			if p.For == kind && p.Answer != victim.Succeed.String() && p.At.At-p.At.Early <= by.At+by.Late {
				n++
			}
		}
	}
	return n
}
