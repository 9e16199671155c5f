package timeline

import "time"

// startShown is how long after the whole second in which the API says that a life started its process may
// have spoken: what the second cuts off, and a process that took its time.
const startShown = 3 * time.Second

// starts are the lives of a container by which the ends that the API shows of it may be numbered instead of
// by its restartCount.
type starts []*Life

// numberedByStarts are the containers whose restartCount can't be relied on to tell which life an end is
// of: it names lives that began at other times than those that ended, although each of these is known. So a
// kubelet that counts wrongly is judged by its count, and what it says of ends is still held against the
// marks. Where an end is shown of which no mark came, the marks may lack a life, and restartCount is the
// one to be believed.
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

// of is the life that began when the API says that the one that ended did, nil where none did. Of several
// the nearest is meant.
func (s starts) of(end End) *Life {
	var found *Life
	for _, life := range s {
		if began(life, end.StartedAt) && (found == nil || apart(life, end.StartedAt) < apart(found, end.StartedAt)) {
			found = life
		}
	}
	return found
}

// began says whether a life may be the one that the API says started in a whole second.
func began(life *Life, second int64) bool {
	if life == nil || life.Connected == nil || second <= 0 {
		return false
	}
	since := life.Connected.At - second*int64(time.Second)
	return since >= 0 && since <= int64(startShown)
}

// apart is how far a life's beginning is from the end of the second in which the API says that it started.
func apart(life *Life, second int64) int64 {
	d := life.Connected.At - (second+1)*int64(time.Second)
	return max(d, -d)
}

// madeUp says whether an end is one that the kubelet made up.
func madeUp(end End) bool { return end.Reason == lostToTheAPI || end.Reason == removed }
