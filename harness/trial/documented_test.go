package trial

import (
	"testing"
	"time"

	"github.com/onsi/gomega"

	"github.com/podclock/podclock/harness/delay"
	"github.com/podclock/podclock/harness/formula"
	"github.com/podclock/podclock/harness/timeline"
)

// A value that has left what the code computes for what is documented is diagnosed, unless a rival explains
// it, or there was no divergence to begin with.
func TestADivergenceThatIsGoneIsDiagnosed(t *testing.T) {
	const s = time.Second
	slower := formula.Rival{Name: "slower", Reference: "a change", Would: predicts(9*s, 11*s, 0, 0).Implemented}
	const gone = "the code does as documented: the known divergence is gone"
	for name, c := range map[string]struct {
		formula formula.Formula
		rivals  []formula.Rival
		after   time.Duration
		want    string
	}{
		"as documented":                          {predicts(5*s, 6*s, 10*s, 11*s), nil, 10 * s, gone},
		"as documented, where some of it was":    {predicts(5*s, 6*s, 6*s, 11*s), nil, 10 * s, gone},
		"as neither":                             {predicts(5*s, 6*s, 10*s, 11*s), nil, 8 * s, ""},
		"as documented, which the code keeps":    {predicts(5*s, 6*s, 5*s, 11*s), nil, 10 * s, ""},
		"nothing documented":                     {predicts(5*s, 6*s, 0, 0), nil, 10 * s, ""},
		"a rival says more than documentation":   {predicts(5*s, 6*s, 10*s, 11*s), []formula.Rival{slower}, 10 * s, "slower"},
		"a rival that explains something else":   {predicts(5*s, 6*s, 12*s, 13*s), []formula.Rival{slower}, 12 * s, gone},
		"what the code computes is no diagnosis": {predicts(5*s, 6*s, 10*s, 11*s), nil, 5 * s, ""},
	} {
		t.Run(name, func(t *testing.T) {
			g := gomega.NewWithT(t)
			f := judge1(dying(c.formula, c.rivals...), lifeOf(c.after), delay.Record{})
			if c.want == "" {
				g.Expect(f.Diagnosis).To(gomega.BeNil())
				return
			}
			g.Expect(f.Diagnosis).NotTo(gomega.BeNil())
			g.Expect(f.Diagnosis.Name).To(gomega.Equal(c.want))
			g.Expect(f.Diagnosis.Reference).To(gomega.Or(gomega.Equal("a page"), gomega.Equal("a change")))
		})
	}
}

// A rival that explains one claim of a trial explains the others: what they measured is as documented by chance.
func TestARivalExplainsTheWholeTrial(t *testing.T) {
	const s = time.Second
	slower := formula.Rival{Name: "slower", Reference: "a change", Would: predicts(9*s, 11*s, 0, 0).Implemented}
	both := dying(predicts(5*s, 6*s, 10*s, 11*s))
	both.Claims = append(
		both.Claims,
		Claim{Measure: Between(Started, Gone), Formula: predicts(5*s, 6*s, 0, 0), Rivals: []formula.Rival{slower}},
	)
	tl := lifeOf(10 * s)
	life := tl.Life(Main, 1)
	life.Started = &timeline.Instant{At: life.SIGTERMs[0].At}
	findings := Judge(both, tl, delay.Record{}, newest).Findings
	g := gomega.NewWithT(t)
	g.Expect(findings[0].Verdict).To(gomega.Equal(Deviates))
	g.Expect(findings[0].Diagnosis).To(gomega.BeNil())
	g.Expect(findings[1].Diagnosis.Name).To(gomega.Equal("slower"))
}
