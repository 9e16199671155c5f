package ask

import (
	"testing"
	"time"

	. "github.com/onsi/gomega"
)

func TestConfigz(t *testing.T) {
	g := NewWithT(t)
	cfg, err := parseConfigz(
		[]byte(`{"kubeletconfig":{"syncFrequency":"1m0s","maxPods":250,"evictionHard":{"nodefs.available":"0%"},
		"crashLoopBackOff":{"maxContainerRestartPeriod":"10s"},"somethingNew":true}}`),
	)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(cfg.SyncFrequency.Duration).To(Equal(time.Minute))
	g.Expect(cfg.MaxPods).To(Equal(int32(250)))
	g.Expect(cfg.EvictionHard).To(HaveKeyWithValue("nodefs.available", "0%"))
	g.Expect(cfg.CrashLoopBackOff.MaxContainerRestartPeriod.Duration).To(Equal(10 * time.Second))
	g.Expect(string(cfg.Raw)).To(ContainSubstring("somethingNew"))

	old, err := parseConfigz([]byte(`{"kubeletconfig":{"syncFrequency":"1m0s"}}`))
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(old.CrashLoopBackOff.MaxContainerRestartPeriod).To(BeNil())

	_, err = parseConfigz([]byte(`{"other":{}}`))
	g.Expect(err).To(MatchError(ContainSubstring("no kubeletconfig")))
	_, err = parseConfigz([]byte(`Unauthorized`))
	g.Expect(err).To(HaveOccurred())
}

func TestFeatureGates(t *testing.T) {
	g := NewWithT(t)
	gates, err := parseFeatureGates([]byte(`# HELP kubernetes_feature_enabled [BETA] The stage of a feature.
# TYPE kubernetes_feature_enabled gauge
kubernetes_feature_enabled{name="KubeletCrashLoopBackOffMax",stage="BETA"} 1
kubernetes_feature_enabled{name="ReduceDefaultCrashLoopBackOffDecay",stage="ALPHA"} 0
kubernetes_feature_enabled{name="SidecarContainers",stage=""} 1
# HELP go_goroutines Number of goroutines that currently exist.
# TYPE go_goroutines gauge
go_goroutines 400
`))
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(gates).
		To(Equal(map[string]bool{
			"KubeletCrashLoopBackOffMax": true, "ReduceDefaultCrashLoopBackOffDecay": false, "SidecarContainers": true,
		}))
	g.Expect(parseFeatureGates([]byte("# TYPE go_goroutines gauge\ngo_goroutines 400\n"))).To(BeEmpty())
	_, err = parseFeatureGates([]byte("Unauthorized"))
	g.Expect(err).To(HaveOccurred())
}

func TestSummary(t *testing.T) {
	g := NewWithT(t)
	stats, err := parseSummary(
		[]byte(`{"node":{"nodeName":"w","memory":{"availableBytes":7,"workingSetBytes":8,"rssBytes":9},
		"fs":{"availableBytes":1,"capacityBytes":2,"usedBytes":1,"inodesFree":3,"inodes":4},
		"runtime":{"imageFs":{"availableBytes":5,"capacityBytes":6},"containerFs":{"capacityBytes":10}}},"pods":[]}`),
	)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(*stats).To(Equal(NodeStats{
		Memory:  MemoryStats{AvailableBytes: 7, WorkingSetBytes: 8},
		NodeFS:  FSStats{AvailableBytes: 1, CapacityBytes: 2, InodesFree: 3, Inodes: 4},
		ImageFS: FSStats{AvailableBytes: 5, CapacityBytes: 6},
	}))
	_, err = parseSummary([]byte(`{"node":{"nodeName":"w","memory":{}},"pods":[]}`))
	g.Expect(err).To(MatchError(ContainSubstring("not measured everything yet")))
	_, err = parseSummary([]byte(`Internal Error`))
	g.Expect(err).To(HaveOccurred())
}
