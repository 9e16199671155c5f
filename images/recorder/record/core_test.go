package record

import (
	"testing"
	"time"

	. "github.com/onsi/gomega"
)

// Other work on the core does not make it slower: only its own time counts.
func TestCoreTime(t *testing.T) {
	g := NewWithT(t)
	took := coreTime()
	t.Logf("the fixed computation takes %v of a core", took)
	g.Expect(took).To(BeNumerically(">", 500*time.Microsecond))
	stop := make(chan struct{})
	for range 8 {
		go func() {
			for x := 0; ; x++ {
				select {
				case <-stop:
					return
				default:
				}
			}
		}()
	}
	defer close(stop)
	g.Expect(coreTime()).To(BeNumerically("<", 3*took))
}
