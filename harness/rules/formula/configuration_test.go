package formula

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	. "github.com/onsi/gomega"
)

func TestKubeletOf(t *testing.T) {
	g := NewWithT(t)
	gates := map[string]bool{"SidecarContainers": true, "Old": false}
	k, err := KubeletOf(
		"v1.36.3",
		gates,
		json.RawMessage(`{"syncFrequency":"1m0s","evictionSoftGracePeriod":{"a":"5s","b":"1m30s","c":"0s"},
		"evictionMaxPodGracePeriod":7,"evictionPressureTransitionPeriod":"5m",
		"volumeStatsAggPeriod":"1m","nodeStatusUpdateFrequency":"10s",
		"featureGates":{"Old":true},"crashLoopBackOff":{"maxContainerRestartPeriod":"10s"},"unknown":1}`),
		json.RawMessage(`{"syncFrequency":"1m0s","volumeStatsAggPeriod":"0s","crashLoopBackOff":{},"maxPods":0,
		"featureGates":{"Old":true}}`),
	)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(k.Version).To(Equal("v1.36.3"))
	g.Expect(k.Gates).To(Equal(map[string]bool{"SidecarContainers": true, "Old": true}))
	g.Expect(k.Set).To(Equal([]string{"featureGates", "featureGates.Old", "syncFrequency"}))
	g.Expect(gates["Old"]).To(BeFalse(), "the caller's gates stay as they are")
	g.Expect(k.EvictionMaxPodGracePeriod).To(BeNumerically("==", 7))
	g.Expect([]time.Duration{
		k.SyncFrequency,
		k.EvictionSoftGracePeriod,
		k.EvictionPressureTransitionPeriod,
		k.VolumeStatsAggPeriod,
		k.NodeStatusUpdateFrequency,
		k.MaxContainerRestartPeriod,
	}).To(Equal([]time.Duration{
		time.Minute, 90 * time.Second, 5 * time.Minute, time.Minute, 10 * time.Second, 10 * time.Second,
	}))

	old, err := KubeletOf("v1.23.1", nil, json.RawMessage(`{}`), nil)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(old.Set).To(BeNil())
	g.Expect(old.Gates).To(BeEmpty())
	g.Expect(old.Gates).NotTo(BeNil())
	g.Expect(old.MaxContainerRestartPeriod).To(BeZero())
	_, err = KubeletOf("v1.36.3", nil, json.RawMessage(`<html>`), nil)
	g.Expect(err).To(MatchError(ContainSubstring("kubelet v1.36.3")))
	_, err = KubeletOf("v1.36.3", nil, json.RawMessage(`{}`), json.RawMessage(`<html>`))
	g.Expect(err).To(MatchError(ContainSubstring("the configuration that kubelet v1.36.3 got")))
	for _, wrong := range []string{"?", "90", "", "-5s"} {
		_, err = KubeletOf("v1.36.3", nil, json.RawMessage(
			fmt.Sprintf(`{"evictionSoftGracePeriod":{"memory.available":"1m30s","nodefs.available":%q}}`, wrong),
		), nil)
		g.Expect(err).To(MatchError(And(
			ContainSubstring("evictionSoftGracePeriod of nodefs.available is %q", wrong),
			ContainSubstring("such as 1m30s"),
		)))
	}
}
