package lab

import (
	"testing"
	"time"

	. "github.com/onsi/gomega"
)

// The lab restarts the kubelet from 10:00:00 to 10:00:02.
func TestExitsThatNobodyAskedFor(t *testing.T) {
	at := func(clock string) int64 {
		at, err := time.Parse(time.RFC3339, "2026-01-02T"+clock+"Z")
		NewWithT(t).Expect(err).NotTo(HaveOccurred())
		return at.UnixNano()
	}
	const exited = " node systemd[1]: kubelet.service: Main process exited, code=exited, status=2/INVALIDARGUMENT"
	for name, c := range map[string]struct {
		line    string
		unasked bool
	}{
		"an exit":                       {"2026-01-02T11:00:00.123456+0000" + exited, true},
		"an exit, RFC 3339":             {"2026-01-02T11:00:00.123456+00:00" + exited, true},
		"an exit without a time":        {"somewhen" + exited, true},
		"an exit during the restart":    {"2026-01-02T10:00:01.123456+0000" + exited, false},
		"an exit just after":            {"2026-01-02T10:00:02.900000+0000" + exited, false},
		"an exit well after":            {"2026-01-02T10:00:03.100000+0000" + exited, true},
		"a panic":                       {"2026-01-02T11:00:00.1+0000 node kubelet[7]: panic: runtime error", true},
		"a panic that was survived":     {"2026-01-02T11:00:00.1+0000 node kubelet[7]: Observed a panic", true},
		"the kernel's out-of-memory":    {"2026-01-02T11:00:00.1+0000 x: Main process exited, status=9/KILL", false},
		"systemd's own stop or restart": {"2026-01-02T11:00:00.1+0000 x: Main process exited, status=15/TERM", false},
	} {
		t.Run(name, func(t *testing.T) {
			h := &health{restarts: []restart{{from: at("10:00:00"), to: at("10:00:02")}}}
			if c.unasked {
				NewWithT(t).Expect(h.unasked([]string{c.line})).To(Equal([]string{c.line}))
			} else {
				NewWithT(t).Expect(h.unasked([]string{c.line})).To(BeEmpty())
			}
		})
	}
}
