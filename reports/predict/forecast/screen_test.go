package forecast

import (
	"strings"
	"testing"
	"time"

	. "github.com/onsi/gomega"

	"github.com/podclock/podclock/harness/predict"
	"github.com/podclock/podclock/harness/predict/manifest"
	"github.com/podclock/podclock/harness/rules/formula"
)

const probed = `apiVersion: v1
kind: Pod
metadata: {name: web, namespace: shop}
spec:
  terminationGracePeriodSeconds: 40
  containers:
  - {name: app, image: i, livenessProbe: {tcpSocket: {port: 80}}, readinessProbe: {tcpSocket: {port: 80}}}
  - {name: log, image: i, lifecycle: {preStop: {sleep: {seconds: 5}}}}
`

func screen(t *testing.T, text, event string, grace *int64) Screen {
	t.Helper()
	m, err := manifest.Read(strings.NewReader(text), "web.yaml")
	NewWithT(t).Expect(err).NotTo(HaveOccurred())
	o := predict.Options{}
	if grace != nil {
		o.GracePeriodSeconds = []int64{*grace}
	}
	s, err := Of("web.yaml", m, formula.Kubelet{Version: formula.NewestKnown}, o).Screen(event, grace)
	NewWithT(t).Expect(err).NotTo(HaveOccurred())
	return s
}

func TestScreen(t *testing.T) {
	g := NewWithT(t)
	failed := strings.Replace(probed, "kind: Pod", "kind: Pod\nstatus: {phase: Failed}", 1)
	s := screen(t, probed+"---\n"+failed, "", nil)
	g.Expect(s.Description).To(Equal("2 workloads, 2 containers, by the rules of kubelet " + formula.NewestKnown))
	g.Expect(s.Event).To(Equal("delete"))
	var says []string
	for _, e := range s.Events {
		says = append(says, e.Description)
	}
	g.Expect(says[:4]).To(Equal([]string{"the pod is deleted", "the liveness probe fails once healthy",
		"the liveness probe fails from its start", "the readiness probe fails"}))
	g.Expect(says).NotTo(ContainElement(ContainSubstring("gracePeriodSeconds")), "a scale chooses it")

	web := s.Workloads[0]
	g.Expect(web.Address).To(Equal("Pod shop/web"))
	g.Expect(web.Has).To(Equal("40 to 43 s until SIGKILL, the preStop hook included"))
	g.Expect(web.Short).To(HaveLen(6))
	g.Expect(web.All).To(HaveLen(8))
	g.Expect(web.Happens).To(Equal(web.All[0].Description), "the delete")
	g.Expect(web.Picture).To(And(HavePrefix("<svg "), ContainSubstring(">50 s<"),
		ContainSubstring(">the pod is deleted<"), ContainSubstring(">SIGKILL<")))
	g.Expect(web.Steps).To(HaveLen(2))
	g.Expect(web.Steps[0].Assumes).To(Equal("the process ignores SIGTERM"))
	g.Expect(web.Steps[1].Steps).To(ContainElement(HaveField("What", "SIGKILL: the container is dead")))
	ended := s.Workloads[1]
	g.Expect(ended.Description).To(HavePrefix("the pod has ended"))
	g.Expect(ended.Has + ended.Happens + ended.Picture).To(BeEmpty())
}

func TestScreenOfAnEvent(t *testing.T) {
	g := NewWithT(t)
	g.Expect(screen(t, probed, "", new(int64(7))).Workloads[0].Happens).To(ContainSubstring("SIGKILL after 7 to"))
	g.Expect(screen(t, probed, "delete", nil).Workloads[0].Happens).To(ContainSubstring("SIGKILL after 40 to"))
	liveness := screen(t, probed, "liveness once healthy", new(int64(7)))
	g.Expect(liveness.Event).To(Equal("liveness once healthy"))
	g.Expect(liveness.Workloads[0].Happens).
		To(And(HavePrefix("app: SIGTERM after"), ContainSubstring("started again after"), Not(ContainSubstring("log"))))
	g.Expect(liveness.Workloads[0].Steps).To(HaveLen(1), "the other container has no probe")
	g.Expect(screen(t, probed, "crash", nil).Workloads[0].Happens).To(HavePrefix("restarted after 0, 10, 20"))
	ready := screen(t, probed, "readiness", nil).Workloads[0]
	g.Expect(ready.Happens).To(BeEmpty(), "it kills nothing")
	g.Expect(ready.Picture).NotTo(BeEmpty())
	g.Expect(screen(t, probed, "nonsense", nil).Event).To(Equal("delete"))
}

func TestScreenOfManyWorkloads(t *testing.T) {
	s := screen(t, strings.Repeat(probed+"---\n", maxScreenPictures+1), "", nil)
	NewWithT(t).Expect(s.Workloads[maxScreenPictures-1].Picture).NotTo(BeEmpty())
	NewWithT(t).Expect(s.Workloads[maxScreenPictures].Picture).To(BeEmpty())
}

// Pictures of similar times have the same axis, so a reader sees what moves.
func TestEnds(t *testing.T) {
	for to, want := range map[time.Duration]time.Duration{
		time.Second: 10 * time.Second, 33 * time.Second: 50 * time.Second, time.Minute: time.Minute,
		61 * time.Second: 2 * time.Minute, 51 * time.Minute: time.Hour, 5*time.Hour + 1: 6 * time.Hour,
	} {
		NewWithT(t).Expect(ends(to)).To(Equal(want))
	}
}
