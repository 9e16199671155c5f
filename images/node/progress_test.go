package node

import (
	"bytes"
	"errors"
	"testing"

	. "github.com/onsi/gomega"
)

func TestPlainStepsSayWhatRunsAndHowFarAllIs(t *testing.T) {
	g := NewWithT(t)
	var out bytes.Buffer
	all := newSteps(&out, 3)
	debian, kubernetes := all.begin("Debian"), all.begin("kubernetes")
	kubernetes.count(12)
	debian.end(nil)
	kubernetes.end(nil)
	all.begin("image").end(errors.New("disk full"))
	all.close()
	g.Expect(out.String()).To(Equal(`node image: [0/3] Debian ...
node image: [0/3] kubernetes ...
node image: [1/3] Debian: 0s
node image: [2/3] kubernetes: 12 packages compiled, 0s
node image: [2/3] image ...
node image: [2/3] image: failed after 0s
`))
}

func TestLiveStepsDrawEveryStep(t *testing.T) {
	g := NewWithT(t)
	var out bytes.Buffer
	all := newLiveSteps(&out, 2)
	all.begin("Debian").end(nil)
	failing := all.begin("kubernetes")
	failing.count(12)
	failing.end(errors.New("disk full"))
	all.close()
	g.Expect(out.String()).
		To(And(ContainSubstring("Debian"), ContainSubstring("kubernetes"), ContainSubstring("12 packages")))
}
