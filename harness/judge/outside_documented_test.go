package judge

import (
	"testing"
	"time"

	"github.com/onsi/gomega"

	"github.com/podclock/podclock/harness/delay"
	"github.com/podclock/podclock/harness/trial"
)

// Without documentation, what the code computes conforms.
func TestNothingDocumented(t *testing.T) {
	f := judgeOne(dying(predicts(5*time.Second, 6*time.Second, 0, 0)), lifeOf(6*time.Second), delay.Record{})
	gomega.NewWithT(t).Expect(f.Verdict).To(gomega.Equal(trial.Conforms))
	gomega.NewWithT(t).Expect(f.Documented).To(gomega.BeNil())
}
