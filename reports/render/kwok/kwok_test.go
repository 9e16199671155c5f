package kwok

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	"sigs.k8s.io/yaml"

	"github.com/podclock/podclock/harness/rules/formula"
	"github.com/podclock/podclock/reports/view/fitted"
)

const ms = time.Millisecond

func times() fitted.Times {
	return fitted.Times{
		Subject: "v1.37.2",
		Starts:  fitted.Sample{500 * ms, 700 * ms, 1500 * ms}, Readies: fitted.Sample{-2 * ms, -2 * ms, 10 * ms},
		Restarts: fitted.Sample{1234567 * time.Microsecond}, Ends: fitted.Sample{500 * ms, 600 * ms},
		BackOff: formula.Growth{Initial: 10 * time.Second, Max: 300 * time.Second},
	}
}

// The delays are the pieces of the distributions. KWOK's own code reads the Stages in .ci/kwok.
func TestStages(t *testing.T) {
	g := NewWithT(t)
	var out bytes.Buffer
	g.Expect(Stages(&out, times())).To(Succeed())
	got := map[string]stage{}
	for _, document := range strings.Split(out.String(), "---\n")[1:] {
		var s stage
		g.Expect(yaml.UnmarshalStrict([]byte(document), &s)).To(Succeed(), document)
		g.Expect(got).NotTo(HaveKey(s.Metadata.Name))
		got[s.Metadata.Name] = s
	}
	g.Expect(got).To(HaveLen(7))
	for name, want := range map[string][3]int64{ // from and to in milliseconds, and the weight
		"podclock-start-1": {500, 700, 1}, "podclock-start-2": {700, 1500, 1},
		"podclock-ready-1": {0, 0, 1}, "podclock-ready-2": {0, 10, 1},
		"podclock-crash-1": {0, 0, crashWeight}, "podclock-restart-1": {1234, 1235, 1}, "podclock-end-1": {500, 600, 1},
	} {
		d := got[name].Spec.Delay
		g.Expect([3]int64{d.DurationMilliseconds, d.JitterDurationMilliseconds, int64(got[name].Spec.Weight)}).
			To(Equal(want), name)
	}
	g.Expect(got["podclock-start-1"].Spec.Delay.DurationFrom).To(BeNil(), "nothing of the specification delays a start")
	g.Expect(got["podclock-restart-1"].Spec.Delay.DurationFrom.ExpressionFrom).
		To(HaveSuffix(`if $n == 0 then 0 else [10 * pow(2; $n - 1), 300] | min end) + 1.234567 | tostring + "s"`))
	g.Expect(got["podclock-end-1"].Spec.Next.Delete).To(BeTrue())
	g.Expect(out.String()).To(ContainSubstring("# restart: from a crash to the next start, besides the back-off, " +
		"1 value, 1.235 to 1.235 s, half at most 1.235 s\n"))
}

type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("full") }

func TestWritingFails(t *testing.T) {
	NewWithT(t).Expect(Stages(full{}, times())).To(MatchError("full"))
}
