package formula

import (
	"testing"
	"time"

	"github.com/onsi/gomega"
)

// traits are the changes of runtimes, which are none of Kubernetes.
var traits = []Change{StopsAgain, StopsOnce, StopSignalTaken, EndKept, OOMBesideEnd}

// After a second request to stop a container, containerd waits for its timeout and CRI-O for the first one's. Measured
// with requests of 12 s, the second one 5 s after the first: the process ended after 17.0 s and 12.0 s.
func TestASecondStop(t *testing.T) {
	g := gomega.NewWithT(t)
	for _, version := range []string{"v1.34.4", OldestKnown, NewestKnown} {
		here, crio := Kubelet{Version: version}, Kubelet{Version: version, Runtime: "cri-o://1.34.0"}
		g.Expect(here.Lacks(StopsAgain)).To(gomega.BeEmpty())
		g.Expect(here.Lacks(StopsOnce)).To(gomega.ContainSubstring("the runtime containerd does otherwise"))
		g.Expect(crio.Lacks(StopsOnce)).To(gomega.BeEmpty())
		g.Expect(crio.Lacks(StopsAgain)).To(gomega.ContainSubstring("the runtime cri-o://1.34.0 does otherwise"))
	}
	for _, trait := range traits {
		g.Expect(Changes).NotTo(gomega.ContainElement(trait))
	}
}

func TestOtherRuntime(t *testing.T) {
	g := gomega.NewWithT(t)
	g.Expect(OtherRuntime("containerd://2.3.4")).To(gomega.BeEmpty())
	g.Expect(OtherRuntime("containerd://1.7.35")).To(gomega.Equal("containerd://1.7.35"))
	g.Expect(OtherRuntime("cri-o://1.34.0")).To(gomega.Equal("cri-o://1.34.0"))
}

// With containerd 1.7, a container whose lifecycle.stopSignal is SIGINT got SIGTERM.
func TestOldContainerdTakesNoStopSignal(t *testing.T) {
	g := gomega.NewWithT(t)
	old := Kubelet{Version: "v1.34.4", Runtime: "containerd://1.7.35"}
	g.Expect(old.Lacks(StopSignalTaken)).To(gomega.HavePrefix("the runtime containerd://1.7.35 does otherwise"))
	g.Expect(old.Lacks(StopsAgain)).To(gomega.BeEmpty())
	for _, runtime := range []string{"", "cri-o://1.34.0"} {
		g.Expect(Kubelet{Version: "v1.34.4", Runtime: runtime}.Lacks(StopSignalTaken)).To(gomega.BeEmpty())
	}
}

// On CRI-O, a process that ended four seconds before its hook did was shown to end with the hook. Only such an end may
// be wrong.
func TestEndOfAContainerThatIsStoppedAfterIt(t *testing.T) {
	g := gomega.NewWithT(t)
	deleted := []Delete{{At: time.Second}}
	itself, signalled := Life{Gone: 5 * time.Second}, Life{Gone: 5 * time.Second, Signal: 4 * time.Second}
	before := Life{Gone: time.Second / 2}
	wrong := func(runtime string, deletes []Delete, lives ...Life) int64 {
		in := Input{Kubelet: Kubelet{Version: "v1.34.4", Runtime: runtime}, Deletes: deletes, Lives: lives}
		w := EndsDated.Implemented(in)
		g.Expect(w.Earliest).To(gomega.BeZero())
		return w.Latest
	}
	g.Expect(wrong("cri-o://1.34.0", deleted, before, itself)).To(gomega.Equal(int64(1)))
	g.Expect(wrong("cri-o://1.34.0", deleted, before, signalled)).To(gomega.BeZero())
	g.Expect(wrong("cri-o://1.34.0", nil, itself)).To(gomega.BeZero())
	g.Expect(wrong("", deleted, itself)).To(gomega.BeZero())
}

// The kubelet takes CRI-O's statistics from cAdvisor, which walks a container's layer once a minute.
func TestLayerLimitOfCRIO(t *testing.T) {
	g := gomega.NewWithT(t)
	in := Input{Kubelet: Kubelet{Version: "v1.34.4"}}
	usual := LayerLimitFound(0).Implemented(in)
	in.Kubelet.Runtime = "cri-o://1.34.0"
	rare := LayerLimitFound(0).Implemented(in)
	g.Expect(rare.Earliest).To(gomega.Equal(usual.Earliest))
	g.Expect(time.Duration(rare.Latest - usual.Latest)).To(gomega.Equal(80 * time.Second))
}
