package predict

import (
	"strings"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/podclock/podclock/harness/predict/manifest"
	"github.com/podclock/podclock/harness/rules/formula"
)

// What the rules do not cover is said, not predicted.
func TestNotCovered(t *testing.T) {
	const spec = "\nspec:\n  containers: [{name: app, image: app}]\n"
	affinity := func(terms ...string) string {
		text := "  affinity:\n    nodeAffinity:\n      requiredDuringSchedulingIgnoredDuringExecution:\n" +
			"        nodeSelectorTerms:\n"
		for _, t := range terms {
			text += "        - matchExpressions: [" + t + "]\n"
		}
		return text
	}
	for name, c := range map[string]struct{ text, says string }{
		"an ordinary pod": {"metadata: {name: a}" + spec, ""},
		"a running pod":   {"metadata: {name: a}" + spec + "status: {phase: Running}\n", ""},
		"one that waits for its node": {
			"metadata: {name: a}" + spec + "status: {phase: Pending}\n", "has no node yet",
		},
		"one that starts on its node": {
			"metadata: {name: a}" + spec + "  nodeName: worker\nstatus: {phase: Pending}\n", "",
		},
		"Linux":   {"metadata: {name: a}" + spec + "  os: {name: linux}\n", ""},
		"Windows": {"metadata: {name: a}" + spec + "  os: {name: windows}\n", "runs on Windows"},
		"a Windows node": {
			"metadata: {name: a}" + spec + "  nodeSelector: {kubernetes.io/os: windows}\n", "runs on Windows",
		},
		"a Windows node by its old label": {
			"metadata: {name: a}" + spec + "  nodeSelector: {beta.kubernetes.io/os: windows}\n", "runs on Windows",
		},
		"a Windows node by affinity": {
			"metadata: {name: a}" + spec + affinity("{key: kubernetes.io/os, operator: In, values: [windows]}"),
			"runs on Windows",
		},
		"a node of any system": {
			"metadata: {name: a}" + spec + affinity("{key: kubernetes.io/os, operator: In, values: [windows, linux]}"),
			"",
		},
		"a node that is not Windows": {
			"metadata: {name: a}" + spec + affinity("{key: kubernetes.io/os, operator: NotIn, values: [windows]}"), "",
		},
		"a Windows node or another": {
			"metadata: {name: a}" + spec + affinity("{key: kubernetes.io/os, operator: In, values: [windows]}",
				"{key: big, operator: Exists}"), "",
		},
		"a mirror": {
			"metadata: {name: a, annotations: {kubernetes.io/config.mirror: abc}}" + spec, "mirrors a static pod",
		},
		"more than anybody waits": {"metadata: {name: a}" + spec + "  terminationGracePeriodSeconds: 2147483647\n",
			"terminationGracePeriodSeconds is longer than 316224000 s"},
		"too many nanoseconds for the runtime": {
			"metadata: {name: a}" + spec + "  terminationGracePeriodSeconds: 9223372036854775\n", "SIGKILL at once, without SIGTERM",
		},
		"too many for the kubelet": {
			"metadata: {name: a}" + spec + "  terminationGracePeriodSeconds: 9999999999\n", "never restarts a container",
		},
		"probes for ever": {"metadata: {name: a}\nspec:\n  containers: [{name: app, image: i, livenessProbe: {exec: " +
			"{command: [a]}, failureThreshold: 2147483647}}]\n", "what the liveness probe of container app needs"},
		"a failed pod":  {"metadata: {name: a}" + spec + "status: {phase: Failed}\n", "has ended (phase Failed)"},
		"a deleted pod": {"metadata: {name: a, deletionTimestamp: 2026-11-23T10:00:30Z}" + spec, "ends at 2026-11-23"},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			m, err := manifest.Read(strings.NewReader("apiVersion: v1\nkind: Pod\n"+c.text), "")
			g.Expect(err).NotTo(HaveOccurred())
			p := All(Workloads(m), kubelet(formula.NewestKnown), Options{})[0]
			if c.says == "" {
				g.Expect(p.NotCovered).To(BeEmpty())
				g.Expect(p.Containers).To(HaveLen(1))
				return
			}
			g.Expect(p.NotCovered).To(ContainSubstring(c.says))
			g.Expect(p.Containers).To(BeEmpty())
			g.Expect(p.Findings).To(BeEmpty())
		})
	}
}

// A revision's findings name the field that its author can set.
func TestFindingsOfRevisions(t *testing.T) {
	g := NewWithT(t)
	m, err := manifest.Read(strings.NewReader("{apiVersion: serving.knative.dev/v1, kind: Service, "+
		"metadata: {name: a}, spec: {template: {spec: {timeoutSeconds: 60, containers: [{image: app}]}}}}"), "")
	g.Expect(err).NotTo(HaveOccurred())
	p := All(Workloads(m), kubelet(formula.NewestKnown), Options{})[0]
	g.Expect(p.Findings[0].Rule).To(Equal("grace-above-eviction"))
	g.Expect(p.Findings[0].Field).To(Equal("spec.template.spec.timeoutSeconds"))
	g.Expect(p.Findings[0].Line).To(Equal(1))
	g.Expect(p.Findings[1].Fix).To(HavePrefix("set timeoutSeconds above the hook's longest duration"))
}
