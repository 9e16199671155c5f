//go:build kubelet1_37

package machine_test

import (
	"testing"
	"testing/synctest"
	"time"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/klog/v2"

	"github.com/podclock/podclock/harness/measure/victim"
	"github.com/podclock/podclock/harness/virtual/_node/machine"
)

// The pods and thresholds of the tests are those of the trials.
func TestMemoryRanking(t *testing.T) {
	for name, thresholds := range map[string][]map[string]string{
		"hard": hard("memory.available", "99.999%"),
		"soft": soft("memory.available", "1Pi", "25s"),
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				g := NewWithT(t)
				h := boot(
					t,
					machine.Options{},
					thresholds,
					6,
					&pod{
						name:    "victim",
						ballast: 24,
						grace:   20,
					},
					&pod{name: "modest", grace: 3},
					&pod{name: "important", ballast: 40, priority: 1000, grace: 20},
					&pod{name: "entitled", ballast: 64, requests: quantity(corev1.ResourceMemory, "128Mi"), grace: 5},
				)
				began := time.Now()
				time.Sleep(2 * time.Minute)
				g.Expect(h.evicted).To(Equal([]string{"victim", "modest", "important", "entitled"}))
				if name == "soft" {
					g.Expect(h.graces).To(Equal([]int64{6, 3, 6, 5}))
					g.Expect(h.at[0].Sub(began)).
						To(And(BeNumerically(">=", 25*time.Second), BeNumerically("<", 36*time.Second)))
				}
				g.Expect(h.manager.IsUnderMemoryPressure()).To(BeTrue())
			})
		})
	}
}

func TestPressureOfTheNodesFileSystem(t *testing.T) {
	small := machine.Options{NodeFSBytes: 128 * mib, NodeFSInodes: 2000}
	for name, c := range map[string]struct {
		thresholds       []map[string]string
		run              victim.Run
		earliest, latest time.Duration
	}{
		"inodes, hard": {hard("nodefs.inodesFree", "40%"), victim.Run{FillDir: "/data", FillFiles: 1300}, 0,
			10 * time.Second},
		"bytes, soft": {soft("nodefs.available", "50%", "15s"), victim.Run{FillDir: "/data", FillBytes: 80 * mib},
			15 * time.Second, 30 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				g := NewWithT(t)
				h := boot(t, small, c.thresholds, 0, &pod{name: "other", ballast: 40}, &pod{name: "victim"})
				time.Sleep(35*time.Second + 370*time.Millisecond)
				g.Expect(h.evicted).To(BeEmpty())
				filled := h.fill(g, "victim", c.run)
				time.Sleep(3 * time.Minute)
				g.Expect(h.evicted).To(Equal([]string{"victim"}), "its volume is gone with it")
				g.Expect(h.at[0].Sub(filled)).To(And(BeNumerically(">=", c.earliest), BeNumerically("<=", c.latest)))
				g.Expect(h.manager.IsUnderDiskPressure()).To(BeFalse(), "after the transition period")
			})
		})
	}
}

func TestLimits(t *testing.T) {
	for name, c := range map[string]struct {
		victim pod
		run    victim.Run
	}{
		"of a volume": {pod{volumeLimit: "20Mi"}, victim.Run{FillDir: "/data", FillBytes: 30 * mib}},
		"of a layer": {pod{limits: quantity(corev1.ResourceEphemeralStorage, "20Mi")}, victim.Run{FillDir: "/layer",
			FillBytes: 30 * mib}},
		"of a pod": {pod{limits: quantity(corev1.ResourceEphemeralStorage, "20Mi")}, victim.Run{FillDir: "/data",
			FillBytes: 30 * mib}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				g := NewWithT(t)
				c.victim.name = "victim"
				h := boot(t, machine.Options{}, make([]map[string]string, 3), 0, &c.victim,
					&pod{name: "other", volumeLimit: "20Mi"})
				h.fill(g, "other", victim.Run{FillDir: "/data", FillBytes: 10 * mib})
				time.Sleep(time.Minute)
				g.Expect(h.evicted).To(BeEmpty())
				filled := h.fill(g, "victim", c.run)
				time.Sleep(time.Minute)
				g.Expect(h.evicted).To(Equal([]string{"victim"}))
				g.Expect(h.at[0].Sub(filled)).To(BeNumerically("<=", 30*time.Second))
			})
		})
	}
}

func TestCapacity(t *testing.T) {
	g := NewWithT(t)
	manager := machine.New(machine.Options{NodeFSBytes: 128 * mib, NodeFSInodes: 20_000}).ContainerManager()
	capacity := manager.GetCapacity(klog.Background(), true)
	g.Expect(capacity.StorageEphemeral().Value()).To(BeEquivalentTo(128 * mib))
	g.Expect(manager.GetCapacity(klog.Background(), false)).NotTo(HaveKey(corev1.ResourceEphemeralStorage))
	g.Expect(manager.GetNodeAllocatableReservation()).To(BeEmpty())
}
