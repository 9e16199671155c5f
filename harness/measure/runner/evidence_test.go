package runner

import (
	"encoding/json"
	"errors"
	"net/http"
	"testing"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/podclock/podclock/harness/measure/mark"
	"github.com/podclock/podclock/harness/measure/timeline"
	"github.com/podclock/podclock/harness/measure/trial"
)

func record(seq uint64, container string, life int, kind mark.Kind) mark.Record {
	return mark.Record{
		Seq:      seq,
		At:       int64(seq),
		Life:     life,
		Kind:     kind,
		Identity: mark.Identity{Container: container, Role: mark.Run},
	}
}

// The lives of a pod that was created again count on. A companion's lives are its own.
func TestLivesOfAPodThatWasCreatedAgain(t *testing.T) {
	g := NewWithT(t)
	ended := func(at int64, name string, life int) []timeline.Version {
		return timeline.Shown(timeline.Change{
			At: timeline.Instant{At: at},
			Containers: []timeline.ContainerStatus{
				{Name: name, RestartCount: int32(life - 1), Ended: &timeline.End{Life: life}},
			},
		})
	}
	ev := Evidence([]Recorded{
		{
			Deployed: Deployed{
				Pod: &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "pod", UID: "one"}},
			},
			Marks:    []mark.Record{record(1, trial.Main, 1, mark.Started), record(3, trial.Main, 2, mark.Started)},
			Versions: ended(4, trial.Main, 2),
			Events:   []timeline.Event{{At: timeline.Instant{At: 9}, Reason: "last"}},
		},
		{
			Deployed: Deployed{
				Pod:       &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "pod-other", UID: "two"}},
				Companion: "other",
			},
			Marks:    []mark.Record{record(2, "second", 1, mark.Started)},
			Versions: ended(3, "second", 1),
			Events:   []timeline.Event{{At: timeline.Instant{At: 8}, Reason: "first"}},
		},
		{
			Deployed: Deployed{
				Pod: &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "pod", UID: "three"}},
			},
			Marks:    []mark.Record{record(5, trial.Main, 1, mark.Started), record(6, "", 0, mark.Pulled)},
			Versions: ended(7, trial.Main, 1),
		},
	})
	g.Expect(ev.Pod).To(Equal("ns/pod"))
	g.Expect(ev.UID).To(Equal("one"))
	var lives []int
	for _, r := range ev.Marks {
		lives = append(lives, r.Life)
	}
	g.Expect(lives).To(Equal([]int{1, 1, 2, 3, 0}))
	g.Expect(ev.API).To(HaveLen(3))
	g.Expect(ev.API[0].Pod).To(Equal("other"))
	g.Expect(ev.API[2].Pod).To(BeEmpty())
	var ends []int
	for _, c := range ev.Changes() {
		ends = append(ends, c.Containers[0].Ended.Life)
	}
	g.Expect(ends).To(Equal([]int{1, 2, 3}))
	g.Expect(ev.Events).To(Equal([]timeline.Event{
		{At: timeline.Instant{At: 8}, Pod: "other", Reason: "first"}, {At: timeline.Instant{At: 9}, Reason: "last"},
	}))
	g.Expect(Evidence(nil)).To(Equal(timeline.Evidence{}))
}

// The mirrors of one static pod have the same marks, and its lives count on by themselves.
func TestLivesOfAStaticPodWithAnotherMirror(t *testing.T) {
	g := NewWithT(t)
	marks := []mark.Record{record(1, trial.Main, 1, mark.Started), record(2, trial.Main, 2, mark.Started)}
	mirror := func(uid types.UID) Recorded {
		return Recorded{
			Deployed: Deployed{Pod: &corev1.Pod{ObjectMeta: metav1.ObjectMeta{
				UID: uid, Annotations: map[string]string{corev1.MirrorPodAnnotationKey: "of the file"},
			}}},
			Marks: marks,
			Versions: timeline.Shown(timeline.Change{
				Containers: []timeline.ContainerStatus{{Name: trial.Main, Ended: &timeline.End{Life: 1}}},
			}),
		}
	}
	ev := Evidence([]Recorded{mirror("one"), mirror("two")})
	g.Expect(ev.Marks).To(Equal(marks))
	g.Expect(ev.API).To(HaveLen(2))
	g.Expect(ev.Changes()[1].Containers[0].Ended.Life).To(Equal(1))
}

func TestAnswered(t *testing.T) {
	refusal := apierrors.NewTooManyRequests("no", 0)
	trouble := errors.New("connection refused")
	for name, c := range map[string]struct {
		refused bool
		err     error
		want    timeline.Fault
		fails   bool
	}{
		"obeyed": {want: timeline.Fault{}},
		"refused as expected": {
			refused: true, err: refusal, want: timeline.Fault{Status: http.StatusTooManyRequests},
		},
		"obeyed against expectation":  {refused: true, want: timeline.Fault{}},
		"refused against expectation": {err: refusal, want: timeline.Fault{Error: "no"}, fails: true},
		"failed instead of refused": {
			refused: true, err: trouble, want: timeline.Fault{Error: "connection refused"}, fails: true,
		},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			at, done := timeline.Instant{At: 1, Late: 2}, &timeline.Instant{At: 5}
			c.want.What, c.want.At, c.want.Done = "evict", at, done
			got, err := answered(timeline.Fault{What: "evict", At: at, Done: done}, c.refused, c.err)
			g.Expect(got).To(Equal(c.want))
			g.Expect(err != nil).To(Equal(c.fails))
		})
	}
}

func TestDeviationReportsWhatIsMissing(t *testing.T) {
	g := NewWithT(t)
	pods := []Deployed{{Pod: &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "pod"}}}}
	d := Deviation(pods, []string{"line"}, nil, errors.New("one"), errors.New("two"))
	g.Expect(d.NodeLog).To(Equal([]string{"line"}))
	g.Expect(d.Missing).To(Equal("one; two"))
	var pod corev1.Pod
	g.Expect(json.Unmarshal(d.Pods[0], &pod)).To(Succeed())
	g.Expect(pod.Name).To(Equal("pod"))
	g.Expect(Deviation(nil, nil, nil).Missing).To(BeEmpty())
}
