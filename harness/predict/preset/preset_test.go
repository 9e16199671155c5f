package preset

import (
	"testing"
	"time"

	. "github.com/onsi/gomega"
)

const most = 24 * time.Hour

func TestPresetsAreSourced(t *testing.T) {
	g := NewWithT(t)
	for _, p := range All() {
		g.Expect(p.Name).To(MatchRegexp("^[a-z]+(-[a-z]+)*$"))
		g.Expect(p.Limit > 0 || p.Setting != "").To(BeTrue(), "%s: somebody sets it", p.Name)
		g.Expect([]string{p.Description, p.Since, p.Then}).NotTo(ContainElement(""), p.Name)
		g.Expect(p.DocumentedAt).To(HavePrefix("https://"), p.Name)
		_, err := time.Parse(time.DateOnly, p.ReadOn)
		g.Expect(err).NotTo(HaveOccurred(), p.Name)
	}
}

func TestParse(t *testing.T) {
	g := NewWithT(t)
	for s, limit := range map[string]time.Duration{
		"aws-spot": 2 * time.Minute, "cluster-autoscaler": 10 * time.Minute, "cluster-autoscaler=90s": 90 * time.Second,
		"karpenter=1h": time.Hour, "kubectl-drain=5m": 5 * time.Minute,
	} {
		p, err := Parse(s, most)
		g.Expect(err).NotTo(HaveOccurred(), s)
		g.Expect(p.Limit).To(Equal(limit), s)
	}
	for s, says := range map[string]string{
		"aws":             `"aws": there is no such preset; there are aws-spot, gce-spot, gke-spot, azure-spot, `,
		"":                `"": there is no such preset`,
		"karpenter":       "has no default: write it with terminationGracePeriod of the NodePool, such as",
		"aws-spot=5m":     "the limit of aws-spot is 2m0s for everybody: write the name alone",
		"gke-spot=120s":   "the limit of gke-spot is 30s",
		"karpenter=0s":    "a time above 0s",
		"karpenter=-1m":   "a time above 0s",
		"karpenter=240h":  "a time above 0s",
		"karpenter=often": "a time above 0s",
	} {
		_, err := Parse(s, most)
		g.Expect(err).To(MatchError(ContainSubstring(says)), s)
	}
	p, err := Parse("cluster-autoscaler", most)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(p.Limit).To(Equal(10*time.Minute), "another limit changes no preset")
}

// What reacts to a notice needs a part of the limit. An autoscaler waits for a grace period of its limit. A drain waits
// for the object, which goes later.
func TestCuts(t *testing.T) {
	g := NewWithT(t)
	notice := Preset{Limit: time.Minute, Kills: true, Notice: true}
	autoscaler, drain := Preset{Limit: time.Minute, Kills: true}, Preset{Limit: time.Minute}
	for grace, want := range map[time.Duration][3]bool{
		59 * time.Second: {false, false, false}, time.Minute: {true, false, true}, 61 * time.Second: {true, true, true},
	} {
		g.Expect([3]bool{notice.Cuts(grace), autoscaler.Cuts(grace), drain.Cuts(grace)}).To(Equal(want), grace.String())
	}
}
