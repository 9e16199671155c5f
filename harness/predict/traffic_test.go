package predict

import (
	"strings"
	"testing"
	"time"

	. "github.com/onsi/gomega"

	"github.com/podclock/podclock/harness/predict/manifest"
)

// The sleep that the prediction names is the shortest one that leaves nothing to say.
func TestTraffic(t *testing.T) {
	predicted := func(hook string) *Traffic {
		m, err := manifest.Read(strings.NewReader(`apiVersion: v1
kind: Pod
metadata: {name: web, labels: {app: web}}
spec: {containers: [{name: app, image: app:1`+hook+`}]}
---
apiVersion: v1
kind: Service
metadata: {name: web}
spec: {selector: {app: web}, ports: [{port: 80}]}
`), "")
		NewWithT(t).Expect(err).NotTo(HaveOccurred())
		return All(Workloads(m), newest, Options{})[0].Traffic
	}
	g := NewWithT(t)
	g.Expect(predicted("")).To(HaveValue(And(HaveField("Services", HaveExactElements("web")),
		HaveField("Always", BeEmpty()), HaveField("Sleep", 5*time.Second),
		HaveField("Routed", Span{Latest: 5 * time.Second}), HaveField("SIGTERM.Earliest", time.Duration(0)))))
	g.Expect(predicted(", lifecycle: {preStop: {sleep: {seconds: 4}}}").Sleep).To(Equal(5 * time.Second))
	g.Expect(predicted(", lifecycle: {preStop: {sleep: {seconds: 5}}}").Sleep).To(BeZero())
}
