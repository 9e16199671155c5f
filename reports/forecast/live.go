package forecast

import (
	"fmt"
	"math"
	"strconv"
	"time"

	"github.com/podclock/podclock/harness/predict"
	"github.com/podclock/podclock/harness/predict/next"
	"github.com/podclock/podclock/harness/run"
	"github.com/podclock/podclock/reports/apis/predictions/v1alpha1"
)

// OfCluster returns the forecast of a cluster's workloads, which are predicted in groups.
func OfCluster(c next.Cluster, groups []next.Group) Forecast {
	f := Forecast{Manifest: "context " + c.Name, Live: groups, Now: c.Now, Unread: c.Unread}
	for i := range groups {
		p := groups[i].Prediction
		if i == 0 {
			f.Kubelet = p.Kubelet
		}
		f.Extrapolated = f.Extrapolated || p.Kubelet.Extrapolated()
		f.Predictions = append(f.Predictions, p)
	}
	return f
}

// answers returns what happens next to the pods of a prediction, if they were read from a cluster, and its summary. all
// adds what any node does to them.
func (f Forecast) answers(i int, all bool) (said []Sentence) {
	if f.Live != nil {
		said = f.nowSays(f.Live[i].Pods)
	}
	if all {
		return append(said, everything(f.Predictions[i])...)
	}
	return append(said, sentences(f.Predictions[i])...)
}

// notCovered says why nothing is predicted of a workload, or "". What happens next says it of a live Pod.
func notCovered(w predict.Prediction) string {
	if w.Where != "" && w.Kind == "Pod" {
		return ""
	}
	return w.NotCovered
}

// mostPods is the number of pods with a sentence. The document for programs has all of them.
const mostPods = 10

// nowSays says what happens next to each pod, except for those that are ready if nothing is due.
func (f Forecast) nowSays(pods []next.Pod) (all []Sentence) {
	quiet, more := 0, 0
	for _, p := range pods {
		switch {
		case p.Quiet:
			quiet++
		case len(all) == mostPods:
			more++
		default:
			all = append(all, Sentence{"Now", p.Name + " " + f.podSays(p)})
		}
	}
	if more > 0 {
		all = append(all, Sentence{"Now", run.Plural(more, "pod") + " more: -o json has them"})
	}
	if quiet > 0 {
		all = append(all, Sentence{"Now", run.Plural(quiet, "ready pod") + ": nothing is due"})
	}
	return all
}

func (f Forecast) podSays(p next.Pod) string {
	says := p.State
	if !p.Since.IsZero() {
		says += " since " + f.clock(p.Since)
	}
	for _, e := range p.Events {
		says += "; " + e.What
		if at := f.timeSays(e); at != "" {
			says += ": " + at
		}
	}
	if len(p.Events) == 0 {
		says += "; nothing is due"
	}
	return says
}

// timeSays writes when an event comes, from now on and by the clock: "in 12 to 45 s (15:20:03 to 15:20:36)".
func (f Forecast) timeSays(e next.Event) string {
	until := f.clock(e.Latest.Add(time.Second - 1)) // whole seconds, not too early
	switch earliest, latest := e.Earliest.Sub(f.Now), e.Latest.Sub(f.Now); {
	case e.Earliest.IsZero():
		return ""
	case e.Latest.IsZero() && earliest < 0:
		return "due since " + f.clock(e.Earliest)
	case e.Latest.IsZero():
		return fmt.Sprintf("in %s or later (%s)", atLeast(earliest), f.clock(e.Earliest))
	case latest < 0:
		return fmt.Sprintf("due %s ago at the latest (%s)", atLeast(-latest), until)
	case earliest < time.Second:
		return fmt.Sprintf("within %s (until %s)", atMost(latest), until)
	default:
		return fmt.Sprintf("in %s (%s to %s)", between(earliest, latest), f.clock(e.Earliest), until)
	}
}

// clock writes a time in the zone of the reader, with its day unless that is today.
func (f Forecast) clock(t time.Time) string {
	t = t.In(f.Now.Location())
	if t.Format(time.DateOnly) == f.Now.Format(time.DateOnly) {
		return t.Format(time.TimeOnly)
	}
	return t.Format(time.DateTime)
}

// units are those of times from now on. Each serves up to the limit of the next.
var units = []struct {
	unit  time.Duration
	name  string
	until time.Duration
}{{time.Second, " s", inMinutes}, {time.Minute, " min", 3 * time.Hour}, {time.Hour, " h", 72 * time.Hour}}

func unitOf(d time.Duration) (unit time.Duration, name string) {
	for _, u := range units {
		if d < u.until {
			return u.unit, u.name
		}
	}
	return 24 * time.Hour, " d"
}

func whole(d, unit time.Duration, round func(float64) float64) string {
	return strconv.FormatFloat(round(float64(d)/float64(unit)), 'f', -1, 64)
}

// atLeast writes a time from now on that is not too long, atMost one that is not too short.
func atLeast(d time.Duration) string {
	unit, name := unitOf(d)
	return whole(d, unit, math.Floor) + name
}

func atMost(d time.Duration) string {
	unit, name := unitOf(d)
	return whole(d, unit, math.Ceil) + name
}

func between(a, b time.Duration) string {
	unit, _ := unitOf(b)
	if from := whole(a, unit, math.Floor); from != whole(b, unit, math.Ceil) {
		return from + " to " + atMost(b)
	}
	return atMost(b)
}

// livePods returns the pods of a group for programs.
func livePods(g next.Group) (all []v1alpha1.LivePod) {
	for _, p := range g.Pods {
		d := v1alpha1.LivePod{Name: p.Name, Node: p.Node, State: p.State, Since: stamp(p.Since)}
		for _, e := range p.Events {
			d.Events = append(d.Events, v1alpha1.LiveEvent{
				What: e.What, Earliest: stamp(e.Earliest), Latest: stamp(e.Latest),
			})
		}
		all = append(all, d)
	}
	return all
}

// stamp writes a time for programs, or nothing.
func stamp(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Round(time.Millisecond).Format(time.RFC3339Nano)
}
