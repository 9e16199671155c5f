package folder

import (
	"encoding/json"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/podclock/podclock/harness/measure/delay"
	"github.com/podclock/podclock/harness/measure/run"
	"github.com/podclock/podclock/reports/view/fixture"
)

func TestDelaysAreSavedInShort(t *testing.T) {
	g := NewWithT(t)
	n := run.Node{
		Name: "worker", Subject: fixture.Reference, ClockError: 7,
		Delays: delay.Record{
			LateTicks: []delay.Span{{From: 1, To: 2}},
			// A counter starts again after a node's restart. That needs no special case.
			PSI: []delay.Sample{
				{At: 1795267663670204468, CPUNS: 5845023579000, IONS: 296305534000},
				{At: 1795267663930241860, CPUNS: 5845209782000, IONS: 7},
			},
			Unanswered: []delay.Outage{{Component: "kubelet", From: 3, To: 4}},
		},
	}
	text, err := json.Marshal(n)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(string(text)).To(Equal(`{"name":"worker","subject":"v1.36.3","clockError":7,` +
		`"noise":{"stalls":[{"from":1,"to":2}],"pressure":[[1795267663670204468,5845023579000,296305534000],[260037392,186203000,-296305533993]],` +
		`"silences":[{"of":"kubelet","from":3,"to":4}]}}`))
	var back run.Node
	g.Expect(json.Unmarshal(text, &back)).To(Succeed())
	g.Expect(back).To(Equal(n))

	text, err = json.Marshal(run.Node{Name: "quiet"})
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(string(text)).To(Equal(`{"name":"quiet","subject":"","noise":{}}`))
	var quiet run.Node
	g.Expect(json.Unmarshal(text, &quiet)).To(Succeed())
	g.Expect(quiet).To(Equal(run.Node{Name: "quiet"}))
}

func TestDelaysInLongFormAreRead(t *testing.T) {
	g := NewWithT(t)
	var n run.Node
	const long = `{"name":"worker","noise":{"pressure":[{"at":5,"cpuNS":6,"ioNS":7},{"at":8,"cpuNS":9,"ioNS":10}]}}`
	g.Expect(json.Unmarshal([]byte(long), &n)).
		To(Succeed())
	g.Expect(n.Delays.PSI).To(Equal(delay.Samples{{At: 5, CPUNS: 6, IONS: 7}, {At: 8, CPUNS: 9, IONS: 10}}))
	g.Expect(json.Unmarshal([]byte(`{"noise":{"pressure":7}}`), &n)).NotTo(Succeed())
}
