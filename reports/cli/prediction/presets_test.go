package prediction

import (
	"encoding/json"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/podclock/podclock/harness/predict/preset"
	"github.com/podclock/podclock/reports/apis/predictions/v1alpha1"
	"github.com/podclock/podclock/reports/cli/shell"
)

func TestPresets(t *testing.T) {
	g := NewWithT(t)
	list := call(t.Context(), "presets")
	g.Expect(list.code).To(Equal(shell.Succeeded))
	for _, p := range preset.All() {
		g.Expect(list.out).To(ContainSubstring(p.Name + " ("))
		g.Expect(list.out).To(ContainSubstring("  Read on " + p.ReadOn + " at " + p.DocumentedAt + "\n"))
	}
	g.Expect(list.out).To(And(ContainSubstring("aws-spot (120 s from the interruption notice)\n"),
		ContainSubstring("karpenter (no default, so write karpenter=10m)\n")))

	var decoded []v1alpha1.Limit
	g.Expect(json.Unmarshal([]byte(call(t.Context(), "presets", "-o", "json").out), &decoded)).To(Succeed())
	g.Expect(decoded).To(HaveLen(len(preset.All())))

	unknown := call(t.Context(), "predict", manifestFile(t, hung), "--preset=spot")
	g.Expect(unknown.code).To(Equal(shell.Failed))
	g.Expect(unknown.log).To(ContainSubstring(`bad --preset="spot": there is no such preset; there are aws-spot, `))
	limits := predicted(t, manifestFile(t, hung), "--preset=aws-spot", "--preset=karpenter=1h").Limits
	g.Expect(limits).To(HaveExactElements(HaveField("LimitSeconds", 120.0), HaveField("LimitSeconds", 3600.0)))
}
