package forecast

import (
	"bytes"
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/podclock/podclock/harness/predict"
	"github.com/podclock/podclock/harness/rules/formula"
	"github.com/podclock/podclock/reports/apis/predictions/v1alpha1"
	"github.com/podclock/podclock/reports/drawing"
	"github.com/podclock/podclock/reports/predict/sentences"
)

// Screen is a forecast in words and pictures, for a page that shows it again after each change. Its pictures are of
// one event.
type Screen struct {
	// Description is such as "1 workload, 2 containers, by the rules of kubelet v1.37.2".
	Description string `json:"says"`
	Skipped     string `json:"skipped,omitempty"`
	// Events are those that can be drawn. Event is the ID of the one that is.
	Events    []EventWords `json:"events"`
	Event     string       `json:"event"`
	Workloads []Shown      `json:"workloads"`
}

// EventWords are an event's ID and its words for an application developer.
type EventWords struct {
	ID          string `json:"id"`
	Description string `json:"says"`
}

// Shown is one workload of a [Screen].
type Shown struct {
	Address string `json:"address"`
	Place   string `json:"place"`
	// Description is why the workload is not covered, or empty.
	Description string `json:"says,omitempty"`
	// Has is the time that a deleted pod has, in a few words. It is empty if nothing is predicted.
	Has string `json:"has,omitempty"`
	// Short are the first answers. All have exact times.
	Short    []sentences.Sentence `json:"short,omitempty"`
	All      []sentences.Sentence `json:"all,omitempty"`
	Findings []v1alpha1.Finding   `json:"findings,omitempty"`
	// Happens is the event in one sentence. It is empty if the event kills nothing.
	Happens string `json:"happens,omitempty"`
	// Picture is an svg element, empty if nothing is drawn.
	Picture string       `json:"picture,omitempty"`
	Steps   []ShownSteps `json:"steps,omitempty"`
}

// ShownSteps are the picture of one container in words.
type ShownSteps struct {
	Container string      `json:"container"`
	Assumes   string      `json:"assumes,omitempty"`
	Steps     []ShownStep `json:"steps"`
}

// ShownStep is one event of a timeline with its window from the timeline's zero.
type ShownStep struct {
	When string `json:"when"`
	What string `json:"what"`
}

// maxScreenPictures is the number of workloads with pictures. More would take longer than a tenth of a second.
const maxScreenPictures = 10

// Screen returns a forecast with the event of an ID, by default a delete. A delete is drawn with a grace period that
// the prediction's options have.
func (f Forecast) Screen(event string, grace *int64) (Screen, error) {
	s := Screen{Description: f.counts() + ", " + f.rules(), Skipped: skipped(f.Skipped), Workloads: []Shown{}}
	drawn := sentences.Event{Cause: formula.ByDelete}
	for _, e := range f.events() {
		s.Events = append(s.Events, EventWords{ID: e.String(), Description: eventWords(e)})
		if e.String() == event {
			drawn = e
		}
	}
	s.Event = drawn.String()
	if grace != nil && drawn.Cause == formula.ByDelete {
		drawn.Variant = predict.WithGrace(*grace)
	}
	for i, p := range f.Predictions {
		shown := Shown{
			Address: address(p), Place: f.place(p), Description: p.NotCovered, Has: sentences.Has(p),
			Short: sentences.Short(p), All: sentences.All(p), Findings: findingsOf(p.Findings),
			Happens: sentences.Happens(p, drawn),
		}
		if i < maxScreenPictures {
			if err := shown.draw(p, drawn); err != nil {
				return s, err
			}
		}
		s.Workloads = append(s.Workloads, shown)
	}
	return s, nil
}

// events returns the events of all containers. Deletes with grace periods are left out.
func (f Forecast) events() (all []sentences.Event) {
	for _, p := range f.Predictions {
		for _, c := range p.Containers {
			for _, e := range eventsOf(c) {
				if !slices.Contains(all, e) && (e.Cause != formula.ByDelete || e.Variant == "") {
					all = append(all, e)
				}
			}
		}
	}
	first := func(e sentences.Event) int {
		return cmp.Or(slices.Index(firstEvents, e.Cause)+1, len(firstEvents)+1)
	}
	slices.SortStableFunc(all, func(a, b sentences.Event) int { return first(a) - first(b) })
	return all
}

// firstEvents are those that most readers ask for, in their order.
var firstEvents = []formula.Cause{
	formula.ByDelete, formula.ByLiveness, formula.ByStartup, predict.Unreadying, predict.Crashing,
	formula.ByHardEviction,
}

func eventWords(e sentences.Event) string {
	says := map[formula.Cause]string{
		formula.ByDelete:       "the pod is deleted",
		formula.ByLiveness:     "the liveness probe fails",
		formula.ByStartup:      "the startup probe fails",
		predict.Unreadying:     "the readiness probe fails",
		predict.Crashing:       "the process crashes",
		predict.Completing:     "the process succeeds",
		predict.Starting:       "the container starts",
		formula.ByHardEviction: "the node evicts the pod at a hard threshold",
		formula.BySoftEviction: "the node evicts the pod at a soft threshold",
		formula.ByStorageLimit: "the pod exceeds a storage limit",
		formula.ByPreemption:   "the node needs room for a critical pod",
		formula.ByDeadline:     "the pod reaches its active deadline",
		formula.ByPostStart:    "the postStart hook fails",
		formula.ByChange:       "the image is changed",
		formula.ByCompletion:   "all containers have completed",
		predict.ByTaint:        "the node gets a taint",
		formula.ByShutdown:     "the node shuts down",
		predict.LostNode:       "the node stops answering",
	}[e.Cause]
	return strings.TrimSuffix(cmp.Or(says, string(e.Cause))+" "+e.Variant, " ")
}

func (s *Shown) draw(p predict.Prediction, e sentences.Event) error {
	for _, c := range p.Containers {
		if t := e.Longest(c); t != nil {
			steps := ShownSteps{Container: c.Name, Assumes: t.Assumes.Description}
			for _, step := range t.Steps {
				steps.Steps = append(steps.Steps, ShownStep{When: sentences.Span(step.At), What: step.What})
			}
			s.Steps = append(s.Steps, steps)
		}
	}
	if len(s.Steps) == 0 {
		return nil
	}
	d := together(p, e)
	d.To = ends(d.To)
	for _, row := range d.Rows {
		for i := range row.Marks {
			row.Marks[i].Description = brief(row.Marks[i], e)
		}
	}
	var b bytes.Buffer
	err := drawing.SVG(&b, d)
	s.Picture = b.String()
	return err
}

// brief says what a mark is in words that have room beside it. The steps have all words.
func brief(m drawing.Mark, e sentences.Event) string {
	if m.Kind == drawing.Fault {
		return eventWords(sentences.Event{Cause: e.Cause})
	}
	if end := strings.IndexAny(m.Description, ":,"); end > 0 {
		return m.Description[:end]
	}
	return m.Description
}

// ends returns where the axis of a picture ends. It is the same for similar pictures, so a reader sees what moves.
func ends(to time.Duration) time.Duration {
	for _, unit := range []time.Duration{10 * time.Second, time.Minute, 10 * time.Minute} {
		for _, n := range []time.Duration{1, 2, 3, 5} {
			if n*unit >= to {
				return n * unit
			}
		}
	}
	return (to + time.Hour - 1).Truncate(time.Hour)
}
