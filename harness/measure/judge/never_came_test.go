package judge

import (
	"testing"
	"time"

	"github.com/onsi/gomega"

	"github.com/podclock/podclock/harness/measure/delay"
	"github.com/podclock/podclock/harness/measure/timeline"
	"github.com/podclock/podclock/harness/measure/trial"
)

func TestNeverCame(t *testing.T) {
	for name, remove := range map[string]func(*timeline.Timeline){
		"no signal":    func(tl *timeline.Timeline) { tl.Life(trial.Main, 1).SIGTERMs = nil },
		"no life":      func(tl *timeline.Timeline) { tl.Containers[trial.Main].Lives = nil },
		"no container": func(tl *timeline.Timeline) { delete(tl.Containers, trial.Main) },
	} {
		t.Run(name, func(t *testing.T) {
			tl := lifeOf(5 * time.Second)
			remove(tl)
			f := judgeOne(dying(narrowPromise), tl, delay.Record{})
			g := gomega.NewWithT(t)
			g.Expect(f.Verdict).To(gomega.Equal(trial.Inconclusive))
			g.Expect(f.Why).To(gomega.ContainSubstring("sigterm never came"))
		})
	}
}
