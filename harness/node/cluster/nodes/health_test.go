package nodes

import (
	"fmt"
	"strings"
	"testing"
	"time"

	. "github.com/onsi/gomega"
)

func TestDaemons(t *testing.T) {
	g := NewWithT(t)
	out := "MainPID=269\nId=kubelet.service\nActiveEnterTimestampMonotonic=11400123456\n\nMainPID=99\n" +
		"Id=containerd.service\nActiveEnterTimestampMonotonic=11398000000"
	d, err := parseDaemons(out)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(d).To(Equal(Daemons{
		Kubelet: Daemon{PID: 269, Since: 11400123456 * time.Microsecond},
		Runtime: Daemon{PID: 99, Since: 11398 * time.Second},
	}))
	_, err = parseDaemons(strings.Split(out, "\n\n")[0])
	g.Expect(err).To(MatchError(ContainSubstring("did not print both")))
	_, err = parseDaemons(strings.Replace(out, "=269", "=", 1))
	g.Expect(err).To(MatchError(ContainSubstring("MainPID of kubelet.service")))
}

func TestARestartedDaemonShows(t *testing.T) {
	g := NewWithT(t)
	then := Daemons{Kubelet: Daemon{PID: 1, Since: time.Second}, Runtime: Daemon{PID: 2, Since: time.Second}}
	now := then
	g.Expect(now.String()).To(Equal(then.String()))
	now.Kubelet = Daemon{PID: 1, Since: time.Minute} // the process ID was used again
	g.Expect(now.String()).NotTo(Equal(then.String()))
}

func TestARestartIsReadToTheMicrosecond(t *testing.T) {
	g := NewWithT(t)
	r, err := parseRestart("1763727905867882123\n1763727905967195436\nFri 2025-11-21 12:25:05.987127 UTC")
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(r.Stopped.Sub(r.Stopping)).To(Equal(99313313 * time.Nanosecond))
	g.Expect(r.Started).To(Equal(time.Date(2025, 11, 21, 12, 25, 5, 987127000, time.UTC)))
	for _, out := range []string{"", "1\n2", "1\n2\nn/a", "x\n2\nFri 2025-11-21 12:25:05 UTC"} {
		_, err := parseRestart(out)
		g.Expect(err).To(HaveOccurred(), out)
	}
}

func TestAnExcerptCountsWhatItOmits(t *testing.T) {
	g := NewWithT(t)
	g.Expect(excerpt("", 4, 100)).To(BeEmpty())
	var all []string
	for i := range 10 {
		all = append(all, fmt.Sprint("line ", i))
	}
	text := strings.Join(all, "\n")
	g.Expect(excerpt(text, 10, 100)).To(Equal(all))
	g.Expect(excerpt(text, 5, 100)).
		To(Equal([]string{"line 0", "line 1", "[5 lines left out]", "line 7", "line 8", "line 9"}))
	g.Expect(excerpt("123456789", 4, 5)).To(Equal([]string{"12345 [4 bytes left out]"}))
}

func TestJournalTimeHasMicroseconds(t *testing.T) {
	g := NewWithT(t)
	g.Expect(journalTime(time.Unix(1763727905, 7001999))).To(Equal("@1763727905.007001"))
}
