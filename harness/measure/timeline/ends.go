package timeline

import (
	"slices"
	"time"

	"github.com/podclock/podclock/harness/measure/delay"
)

// startShown is how long after the API's second of a start the process may have connected. It may also have connected
// before: the runtime stamps a start when it notices it.
const startShown = 3 * time.Second

// compareWithAPI reads exit codes and the object's end from the API, and compares each end with the marks.
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
			} else if t.miscounts(s.Name, end) {
				t.doubt(s.Name, end.StartedAt*int64(time.Second)-int64(apiResolution),
					"life %d of container %s was killed before its first mark: the API counts one life more than the marks",
					end.Life, s.Name)
				continue
			}
			t.compareEnd(s.Name, end, c.At, delays)
		}
	}
}

// starts number the ends that the API shows by their lives' starts instead of restartCount.
type starts []*Life

// numberedByStarts returns the containers whose restartCount names another life than the one that ended, although all
// these lives are known: the kubelet counted wrongly. If an end has no marks, the marks may lack a life, so
// restartCount is used. It is not used if that life was killed before its first mark: the marks' numbers are too small
// from then on.
func (t *Timeline) numberedByStarts(changes []Change) map[string]starts {
	wrong, unknown := map[string]bool{}, map[string]bool{}
	for _, c := range changes {
		for _, s := range c.Containers {
			if s.Ended == nil || madeUp(*s.Ended) {
				continue
			}
			lives := t.starts(s.Name)
			switch life := lives.of(*s.Ended); {
			case life == nil && t.miscounts(s.Name, *s.Ended):
				wrong[s.Name] = true
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

// miscounts reports whether an end is that of a life that a signal killed before its first mark, and a later life has
// its number.
func (t *Timeline) miscounts(container string, end End) bool {
	return t.starts(container).of(end) == nil && endedBefore(end, t.Life(container, end.Life))
}

// endedBefore reports whether an end is that of a life that a signal killed before its first mark and before another
// life began.
func endedBefore(end End, life *Life) bool {
	return end.AtOnce() && slices.Contains(append(unhandled, sigkilled), end.ExitCode) &&
		life != nil && life.Connected != nil && life.Connected.At > (end.FinishedAt+1)*int64(time.Second)
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
		if began(life, end.StartedAt) && !endedBefore(end, life) &&
			(found == nil || apart(life, end.StartedAt) < apart(found, end.StartedAt)) {
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
	return since >= -int64(noticed) && since <= int64(startShown)
}

func apart(life *Life, second int64) int64 {
	d := life.Connected.At - (second+1)*int64(time.Second)
	return max(d, -d)
}
