package judge

import (
	"testing"
	"time"

	"github.com/onsi/gomega"

	"github.com/podclock/podclock/harness/measure/delay"
	"github.com/podclock/podclock/harness/measure/trial"
	"github.com/podclock/podclock/harness/rules/formula"
)

// The ends of the documented window are rows of TestWindows.
func TestOutsideDocumented(t *testing.T) {
	undocumented := predicts(5*time.Second, 6*time.Second, 0, 0)
	for name, c := range map[string]struct {
		formula formula.Formula
		after   time.Duration
		want    trial.Verdict
		why     string
	}{
		"inside documented":  {narrowPromise, 5200 * time.Millisecond, trial.Conforms, ""},
		"outside documented": {narrowPromise, 5700 * time.Millisecond, trial.Divergent, "documented is"},
		"nothing documented": {undocumented, 6 * time.Second, trial.Conforms, ""},
	} {
		t.Run(name, func(t *testing.T) {
			f := judgeOne(dying(c.formula), lifeOf(c.after), delay.Record{})
			g := gomega.NewWithT(t)
			g.Expect(f.Verdict).To(gomega.Equal(c.want))
			g.Expect(f.Why).To(gomega.ContainSubstring(c.why))
			g.Expect(f.Documented != nil).To(gomega.Equal(c.formula.Documented != nil))
		})
	}
}
