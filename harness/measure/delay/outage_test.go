package delay

import (
	"testing"
	"time"

	"github.com/onsi/gomega"

	"github.com/podclock/podclock/harness/measure/mark"
)

func TestSettledAt(t *testing.T) {
	const second = time.Second
	for name, c := range map[string]struct {
		record Record
		want   time.Duration
	}{
		"the kubelet: a second after": {outageOf(mark.Kubelet, 3*second), 4 * second},
		"the runtime: until a pod's sync repeats": {
			outageOf(mark.ContainerRuntime, 3*second), 22600 * time.Millisecond,
		},
		"the API server: twice its length": {outageOf(mark.APIServer, 3*second), 19 * second},
		"the API server: at most a minute": {outageOf(mark.APIServer, 50*second), 110 * second},
	} {
		gomega.NewWithT(t).Expect(c.record.SettledAt()).To(gomega.Equal(at(0)+int64(c.want)), name)
	}
	gomega.NewWithT(t).Expect(Record{}.SettledAt()).To(gomega.BeZero())
	gomega.NewWithT(t).Expect(outageOf(mark.Kubelet, MinOutage-1).SettledAt()).To(gomega.BeZero(), "no outage")
}

// outageOf returns the record of a component that did not answer for this long.
func outageOf(component string, length time.Duration) Record {
	return Record{Unanswered: []Outage{{component, at(0), at(0) + int64(length)}}}
}

func TestLastOutage(t *testing.T) {
	g := gomega.NewWithT(t)
	r := Record{Unanswered: []Outage{{mark.Kubelet, at(0), at(5000)}, {mark.APIServer, at(0), at(3000)}}}
	g.Expect(r.LastOutage(time.Second)).To(gomega.HaveValue(gomega.Equal(r.Unanswered[0])))
	g.Expect(r.LastOutage(time.Minute)).To(gomega.BeNil())
}
