package nodes

import (
	"testing"
	"time"

	. "github.com/onsi/gomega"
)

func TestWhenContainersWereRemoved(t *testing.T) {
	g := NewWithT(t)
	const worker = " worker containerd[201]: time="
	log := `1795308561.208012` + worker +
		`"2026-11-22T00:49:21.207905078Z" level=info msg="RemoveContainer for \"5323956cff0ce3ae\""
1795308561.247278` + worker +
		`"2026-11-22T00:49:21.247218763Z" level=info msg="RemoveContainer for \"5323956cff0ce3ae\" returns successfully"
1795308565.356006` + worker +
		`"2026-11-22T00:49:25.355939532Z" level=info msg="RemoveContainer for \"e0f1791d91cfedd6\""
`
	at, err := removals(log, []string{"5323956cff0c", "a825758a4e70"})
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(at).To(HaveLen(1), "the others were not requested, or their removal is not in the log")
	g.Expect(at["5323956cff0c"]).
		To(BeTemporally("~", time.Unix(1795308561, 208012000), time.Microsecond), "the time is that of the request")
	_, err = removals("no time 5323956cff0c", []string{"5323956cff0c"})
	g.Expect(err).To(MatchError(ContainSubstring("a line begins with no time")))
	g.Expect(removals("", []string{"5323956cff0c"})).To(BeEmpty())
}
