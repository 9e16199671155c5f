package nodes

import (
	"testing"

	. "github.com/onsi/gomega"

	"github.com/podclock/podclock/harness/measure/runner"
	"github.com/podclock/podclock/harness/measure/trial"
)

func TestANodeWithoutAProxyIsUnsupported(t *testing.T) {
	NewWithT(t).Expect(noProxy("its kernel refuses the rules")).To(MatchError(runner.ErrUnsupported))
}

func TestTheKernelIsAskedForEachMode(t *testing.T) {
	for _, mode := range []trial.ProxyMode{trial.IPTables, trial.NFTables} {
		NewWithT(t).Expect(rulesOf[string(mode)]).NotTo(BeEmpty(), mode)
	}
}
