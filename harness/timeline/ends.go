package timeline

import (
	"time"

	"github.com/podclock/podclock/harness/delay"
	"github.com/podclock/podclock/harness/victim"
)

const (
	// apiResolution is what the API's whole seconds lose, plus the runtime's delay in noticing an exit.
	apiResolution = 1500 * time.Millisecond
	// startShown is how long after the API's second of a start the process may have connected.
	startShown = 3 * time.Second
)

// Reasons of ends that the kubelet made up (kubelet_pods.go convertToAPIContainerStatuses).
const (
	lostToTheAPI = "ContainerStatusUnknown"
	removed      = "RestartingAllContainers"
)

// compareWithAPI reads exit codes and the object's end from the API. It doubts the timeline if the API contradicts the
// marks by more than resolution and delay explain.
func (t *Timeline) compareWithAPI(changes []Change, delays delay.Record) {
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
			t.compareEnd(s.Name, end, delays)
		}
	}
}

func (t *Timeline) compareEnd(container string, end End, delays delay.Record) {
	if madeUp(end) {
		return
	}
	life := t.Life(container, end.Life)
	if life == nil {
		if end.StartedAt > 0 && end.FinishedAt-end.StartedAt <= 1 {
			return // killed before its first mark, such as after a restart during a deletion
		}
		if end.FinishedAt*int64(time.Second) < t.Known-int64(apiResolution) {
			t.doubtOnce("the API shows an end of life %d of container %s that has no mark", end.Life, container)
		}
		return
	}
	if life.ExitCode == nil {
		life.ExitCode = &end.ExitCode
	}
	if c := int(end.ExitCode); c >= victim.ExitUsage && c <= victim.ExitNotKilled {
		t.doubtOnce("life %d of container %s ended with %d: the victim could not do what its spec asks; see its log",
			end.Life, container, c)
	}
	finished := end.FinishedAt * int64(time.Second)
	if end.FinishedAt <= 0 || finished > t.Known-int64(apiResolution) {
		return
	}
	if life.Gone == nil {
		t.doubtOnce("the API shows that life %d of container %s ended, but its connection is open", end.Life, container)
		return
	}
	// FinishedAt is cut to seconds: the death was at most one second later.
	late := life.Gone.At - finished - int64(time.Second)
	early := finished - life.Gone.At
	around := delays.Total(life.Gone.At-int64(time.Second), life.Gone.At+int64(time.Second))
	slack := int64(apiResolution - time.Second + around)
	if late > slack || early > slack {
		t.doubtOnce("marks and API disagree about the end of life %d of container %s by %v", end.Life, container,
			time.Duration(max(late, early)).Round(time.Millisecond))
	}
}

// starts number the ends that the API shows by their lives' starts instead of restartCount.
type starts []*Life

// numberedByStarts returns the containers whose restartCount names another life than the one that ended, although all
// these lives are known: the kubelet counted wrongly. If an end has no marks, the marks may lack a life, so
// restartCount is used.
func (t *Timeline) numberedByStarts(changes []Change) map[string]starts {
	wrong, unknown := map[string]bool{}, map[string]bool{}
	for _, c := range changes {
		for _, s := range c.Containers {
			if s.Ended == nil || madeUp(*s.Ended) {
				continue
			}
			lives := t.starts(s.Name)
			switch life := lives.of(*s.Ended); {
			case life == nil:
				unknown[s.Name] = true
			case life.Number != s.Ended.Life && !began(t.Life(s.Name, s.Ended.Life), s.Ended.StartedAt):
				wrong[s.Name] = true
			}
		}
	}
	numbered := map[string]starts{}
	for name := range wrong {
		if !unknown[name] {
			numbered[name] = t.starts(name)
		}
	}
	return numbered
}

func (t *Timeline) starts(container string) starts {
	if c := t.Containers[container]; c != nil {
		return c.Lives
	}
	return nil
}

// of returns the life that began nearest to the start of an end, or nil.
func (s starts) of(end End) *Life {
	var found *Life
	for _, life := range s {
		if began(life, end.StartedAt) && (found == nil || apart(life, end.StartedAt) < apart(found, end.StartedAt)) {
			found = life
		}
	}
	return found
}

// began reports whether the API may show a life as started in that second.
func began(life *Life, second int64) bool {
	if life == nil || life.Connected == nil || second <= 0 {
		return false
	}
	since := life.Connected.At - second*int64(time.Second)
	return since >= 0 && since <= int64(startShown)
}

func apart(life *Life, second int64) int64 {
	d := life.Connected.At - (second+1)*int64(time.Second)
	return max(d, -d)
}

func madeUp(end End) bool { return end.Reason == lostToTheAPI || end.Reason == removed }
