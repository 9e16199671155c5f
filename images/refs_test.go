package images

import (
	"strings"
	"testing"

	. "github.com/onsi/gomega"
)

func TestParseRefs(t *testing.T) {
	g := NewWithT(t)
	refs, err := ParseRefs("registry.example/podclock")
	g.Expect(refs, err).To(BeNil(), "that is a place")

	digest := "@sha256:" + strings.Repeat("0", 64)
	all := []string{
		"r.e/p/fault:1" + digest, "r.e/p/fault-other:2" + digest, "r.e/p/fault-stop-signal:3" + digest,
		"localhost/podclock/recorder:4", "r.e/p/podclock:5" + digest,
	}
	refs, err = ParseRefs(strings.Join(all, ","))
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(refs).To(HaveKeyWithValue(Fault, all[0]))
	g.Expect(refs).To(HaveKeyWithValue(Recorder, all[3]))

	_, err = ParseRefs(strings.Join(all[:3], ","))
	g.Expect(err).To(MatchError(ContainSubstring("the image recorder is missing")))
	_, err = ParseRefs("no tag,neither")
	g.Expect(err).To(MatchError(ContainSubstring(`"no tag"`)))
}
