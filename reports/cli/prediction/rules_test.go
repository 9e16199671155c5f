package prediction

import (
	"encoding/json"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/podclock/podclock/harness/predict/findings"
	"github.com/podclock/podclock/reports/cli/shell"
)

func TestRules(t *testing.T) {
	g := NewWithT(t)
	list := call(t.Context(), "rules")
	g.Expect(list.code).To(Equal(shell.Succeeded))
	for _, r := range findings.Rules() {
		g.Expect(list.out).To(ContainSubstring(r.ID + " (" + string(r.Level) + ")\n"))
	}
	g.Expect(list.out).NotTo(ContainSubstring("Fix: "), "it is for named rules")

	one := call(t.Context(), "rules", "restarted-before-unready")
	g.Expect(one.out).To(Equal(`restarted-before-unready (warning)
  A liveness probe that fails sooner than the readiness probe kills a container
  that still gets requests.
  Fix: raise the liveness probe's failureThreshold, or lower the readiness
  probe's.
  See https://kubernetes.io/docs/concepts/workloads/pods/probes/
  For example:
    containers:
    - name: app
      image: app:1
      livenessProbe: {httpGet: {port: 80}, periodSeconds: 2}
      readinessProbe: {httpGet: {port: 80}}
`))

	var decoded []findings.Rule
	g.Expect(json.Unmarshal([]byte(call(t.Context(), "rules", "grace-one", "-o", "json").out), &decoded)).To(Succeed())
	g.Expect(decoded).To(HaveLen(1))
	g.Expect(decoded[0].Fix).NotTo(BeEmpty())

	wrong := call(t.Context(), "rules", "grace-two")
	g.Expect(wrong.code).To(Equal(shell.Failed))
	g.Expect(wrong.log).To(ContainSubstring(`there is no rule "grace-two": podclock rules lists them`))
}
