package observe

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"os"
	"strings"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"

	"github.com/podclock/podclock/harness/rules/formula"
)

// change is a line of a recorded watch. The first ones are LISTED.
type change struct {
	At         int64
	Type, Kind string
	Object     json.RawMessage
}

// recorded reads the changes of a real cluster.
func recorded(t *testing.T, file string) (all []change) {
	t.Helper()
	f, err := os.Open("testdata/" + file)
	NewWithT(t).Expect(err).NotTo(HaveOccurred())
	defer f.Close()
	text, err := gzip.NewReader(f)
	NewWithT(t).Expect(err).NotTo(HaveOccurred())
	lines := bufio.NewScanner(text)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var c change
		NewWithT(t).Expect(json.Unmarshal(lines.Bytes(), &c)).To(Succeed())
		all = append(all, c)
	}
	return all
}

func kubelet(string) (formula.Kubelet, error) {
	return formula.KubeletOf("v1.37.2", nil, []byte("{}"), nil)
}

func all(*corev1.Pod) bool { return true }

// play shows changes to an observer and returns its facts.
func play(t *testing.T, o *Observer, changes []change) (facts []Fact) {
	t.Helper()
	g := NewWithT(t)
	for _, c := range changes {
		s := Seen{At: time.Unix(0, c.At), Before: c.Type == "LISTED"}
		switch c.Kind {
		case "Pod":
			var p corev1.Pod
			g.Expect(json.Unmarshal(c.Object, &p)).To(Succeed())
			if c.Type == "DELETED" {
				o.Removed(&p, s)
			} else {
				o.Pod(&p, s)
			}
		case "Event":
			var e corev1.Event
			g.Expect(json.Unmarshal(c.Object, &e)).To(Succeed())
			o.Event(&e, s)
		case "EndpointSlice":
			var e discoveryv1.EndpointSlice
			g.Expect(json.Unmarshal(c.Object, &e)).To(Succeed())
			o.Slice(&e, c.Type == "DELETED", s)
		}
		facts = append(facts, o.Due(s.At)...)
	}
	return append(facts, o.Rest()...)
}

func TestDump(t *testing.T) {
	for _, f := range play(t, New(all, kubelet), recorded(t, "shop.jsonl.gz")) {
		switch f := f.(type) {
		case Death:
			took, _ := f.Took()
			share, _ := f.Share()
			t.Logf("DEATH %s %s %s/%d %s [%s] %s %v at %s ±%v took %v ±%v of %v (%.0f%%)", f.Workload, f.Name, f.Container, f.Life, f.Cause, f.Why, f.Outcome, *orZero(f.ExitCode), f.At.At.Format("05.000"), f.At.Error(), took.Probably, took.Error(), f.Grace, share*100)
			dump(t, f.Windows)
		case Departure:
			t.Logf("GONE %s %s [%s] %s", f.Name, f.Cause, f.Why, f.Gone.At.Format("05.000"))
			for _, s := range f.Services {
				t.Logf("   service %s stayed %v", s.Name, s.Stayed)
			}
		case Successor:
			t.Logf("NEXT of %s %s: %s ready %v after", f.Of.Name, f.Container, f.Pod.Name, f.After)
			dump(t, f.Windows)
		}
	}
}

func orZero(i *int32) *int32 {
	if i == nil {
		return new(int32)
	}
	return i
}

func dump(t *testing.T, all []Compared) {
	for _, c := range all {
		t.Logf("   %s: %v in %v: outside %v sure %v %s", c.What, c.Measured, c.Window, c.Outside(), c.Sure(), c.Unpredicted)
	}
}

var _ = bytes.Compare
var _ = strings.Cut
