//go:build linux

package main

import (
	"fmt"
	"os"
	"regexp"
	"strconv"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/podclock/podclock/harness/measure/victim"
)

func TestTheBallastIsResidentFromTheStart(t *testing.T) {
	t.Parallel()
	without, with := residentMiB(newRig(t).life(victim.Run{})), residentMiB(newRig(t).life(victim.Run{Ballast: 64}))
	// The two differ by the ballast, and by what the Go runtime takes in one process and not in the other, some pages.
	NewWithT(t).Expect(with - without).To(BeNumerically("~", 64, 8))
}

// residentMiB is how much of the process' memory is in RAM.
func residentMiB(p *process) int {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.Process.Pid))
	p.rig.g.Expect(err).NotTo(HaveOccurred())
	found := regexp.MustCompile(`VmRSS:\s+(\d+) kB`).FindSubmatch(status)
	p.rig.g.Expect(found).To(HaveLen(2))
	kib, err := strconv.Atoi(string(found[1]))
	p.rig.g.Expect(err).NotTo(HaveOccurred())
	return kib / 1024
}
