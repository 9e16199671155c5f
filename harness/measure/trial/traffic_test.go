package trial

import (
	"testing"
	"time"

	"github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"

	"github.com/podclock/podclock/harness/measure/timeline"
	"github.com/podclock/podclock/harness/measure/victim"
)

func TestEndpointsOfPods(t *testing.T) {
	g := gomega.NewWithT(t)
	change := func(n int64, pod string, ready bool) timeline.EndpointChange {
		return timeline.EndpointChange{At: second(n), Pod: pod, Ready: ready}
	}
	tl := &timeline.Timeline{Endpoints: []timeline.EndpointChange{
		change(1, "", false), change(2, "other", true), change(3, "", true), change(5, "", false), change(7, "", false),
	}}
	g.Expect(EndpointReady.In(tl).At).To(gomega.Equal(second(3).At))
	g.Expect(EndpointUnready.In(tl).At).To(gomega.Equal(second(5).At), "it was not ready before it was ready")
	g.Expect(EndpointReady.Of("other").In(tl).At).To(gomega.Equal(second(2).At))
	g.Expect(EndpointUnready.Of("other").In(tl)).To(gomega.BeNil())
	g.Expect(EndpointUnready.Of("other").String()).To(gomega.Equal("other-endpoint-unready"))
	g.Expect(LastRequest.String()).To(gomega.Equal("last-request"))
}

func TestLastRequest(t *testing.T) {
	at := func(n int64) *timeline.Instant { return new(second(n)) }
	killed := timeline.Instant{At: second(9).At, Early: int64(victim.RequestPause)}
	for name, c := range map[string]struct {
		life  timeline.Life
		known int64
		want  *timeline.Instant
	}{
		"none came":            {timeline.Life{Gone: at(9)}, 20, nil},
		"they come":            {timeline.Life{Requested: at(1)}, 20, nil},
		"a pause":              {timeline.Life{Requested: at(1), LastRequest: at(5)}, 6, nil},
		"the last one":         {timeline.Life{Requested: at(1), LastRequest: at(5)}, 7, at(5)},
		"a pause at its end":   {timeline.Life{Requested: at(1), LastRequest: at(5), Gone: at(6)}, 6, at(5)},
		"they came to the end": {timeline.Life{Requested: at(1), Gone: at(9)}, 9, &killed},
	} {
		t.Run(name, func(t *testing.T) {
			tl := &timeline.Timeline{Known: c.known * int64(time.Second), Containers: map[string]*timeline.Container{
				Main: {Name: Main, Lives: []*timeline.Life{&c.life}},
			}}
			gomega.NewWithT(t).Expect(LastRequest.In(tl)).To(gomega.Equal(c.want))
		})
	}
}

func TestServiceNeedsAProxy(t *testing.T) {
	g := gomega.NewWithT(t)
	tr := dying(predicts(0, time.Second, 0, 0))
	tr.Service = &corev1.ServiceSpec{}
	tr.NodeOnly = "no network"
	g.Expect(tr.Check()).To(gomega.MatchError(gomega.ContainSubstring("no kube-proxy")))
	tr.Worker = &Worker{Name: "own", Proxy: IPTables}
	g.Expect(tr.Check()).To(gomega.Succeed())
	g.Expect(tr.Worker.Tuned()).To(gomega.BeTrue())
	tr.NodeOnly = ""
	g.Expect(tr.Check()).To(gomega.MatchError(gomega.ContainSubstring("real nodes only")))
	tr.NodeOnly, tr.Worker.NodeFSMiB = "no network", 16
	g.Expect(tr.Check()).To(gomega.MatchError(gomega.ContainSubstring("can't be tuned")))
}
