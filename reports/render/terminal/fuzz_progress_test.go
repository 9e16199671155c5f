package terminal

import (
	"bytes"
	"testing"
	"testing/synctest"
	"time"

	. "github.com/onsi/gomega"

	"github.com/podclock/podclock/harness/fuzz"
	"github.com/podclock/podclock/harness/host/screen"
)

// A file gets a line every 15 seconds, one for each kind of violation, and a last one.
func TestFuzzProgress(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var b bytes.Buffer
		p := StartFuzzProgress(&b, screen.Screen{}, "virtual:v1.37.2", 1000)
		time.Sleep(16 * time.Second)
		p.Ran(100, 0)
		p.Found(fuzz.Violation{Kind: "a/b above in delete", Seed: 7})
		p.Ran(101, 1)
		time.Sleep(15 * time.Second)
		p.Ran(1000, 1)
		time.Sleep(9 * time.Second)
		p.Stop()
		NewWithT(t).Expect(b.String()).To(Equal(`0:15  virtual:v1.37.2: 0 of 1000 scenarios, 0 kinds of violations
0:16  VIOLATION a/b above in delete, seed 7
0:30  virtual:v1.37.2: 101 of 1000 scenarios, 3.4 per second, 1 kind of violation; ends in about 4:27
0:40  virtual:v1.37.2: 1000 of 1000 scenarios, 25.0 per second, 1 kind of violation
`))
		board := fuzzBoard{subject: "virtual:v1.37.2", scenarios: 1000}
		now := time.Now()
		NewWithT(t).Expect(block(&board, now, now, 30, false)).To(Equal([]string{"0:00  virtual:v1.37.2: 0 of 1"}))
	})
}
