package ask

import (
	"testing"

	. "github.com/onsi/gomega"
)

func TestConfigz(t *testing.T) {
	g := NewWithT(t)
	const config = `{"syncFrequency":"1m0s","somethingNew":true}`
	g.Expect(parseConfigz([]byte(`{"kubeletconfig":` + config + `}`))).To(BeEquivalentTo(config))
	_, err := parseConfigz([]byte(`{"other":{}}`))
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
	g.Expect(parseSummary([]byte(`{"node":{"nodeName":"w","memory":{"availableBytes":7},
		"fs":{"availableBytes":1,"capacityBytes":2,"usedBytes":1,"inodesFree":3,"inodes":4},
		"runtime":{"imageFs":{"availableBytes":5,"capacityBytes":6}}},"pods":[]}`))).
		To(Equal(FSStats{CapacityBytes: 2, Inodes: 4}))
	_, err := parseSummary([]byte(`{"node":{"nodeName":"w","memory":{}},"pods":[]}`))
	g.Expect(err).To(MatchError(ContainSubstring("not measured it yet")))
	_, err = parseSummary([]byte(`Internal Error`))
	g.Expect(err).To(HaveOccurred())
}

// A counter has other labels, which do not matter.
func TestCounted(t *testing.T) {
	g := NewWithT(t)
	sums, err := parseCounted([]byte(`# TYPE rest_client_requests_total counter
rest_client_requests_total{code="200",host="a:6443",method="GET"} 3
rest_client_requests_total{code="404",host="a:6443",method="GET"} 2
rest_client_requests_total{code="200",host="a:6443",method="PATCH"} 4
`), "rest_client_requests_total", "method")
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(sums).To(Equal(map[string]float64{"GET": 5, "PATCH": 4}))
	sums, err = parseCounted(nil, "rest_client_requests_total", "method")
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(sums).To(BeEmpty())
}
