package nodes

import (
	"fmt"
	"strings"
	"testing"
	"time"

	. "github.com/onsi/gomega"
)

func TestTimesAreOfTheEnginesClock(t *testing.T) {
	g := NewWithT(t)
	from, to, err := parseTimes("1763727905867882123\n1763727905967195436")
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(to.Sub(from)).To(Equal(99313313 * time.Nanosecond))
	for _, out := range []string{"", "1", "1\nn/a", "x\n2"} {
		_, _, err := parseTimes(out)
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
