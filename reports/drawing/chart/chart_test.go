package chart

import (
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	. "github.com/onsi/gomega"
)

var example = Chart{
	Title: "A & B", Bars: "cores", Ranges: "lateness", Parts: []string{"kubelet", "runtime"}, Before: "idle",
	Points: []string{"p50", "max"},
	Rows: []Row{
		{Name: "first <b>", Parts: []float64{0.5, 1}, Before: 0.1, Points: []time.Duration{0, 3 * time.Second}},
		{Name: "second", Note: "left out: it is old"},
		{Name: "third", Parts: []float64{-0.1, 0}},
	},
}

// The file is well-formed, and a bar is as long as its value.
func TestSVG(t *testing.T) {
	for name, c := range map[string]Chart{"example": example, "no rows": {Title: "empty"}} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			var b strings.Builder
			g.Expect(SVG(&b, c)).To(Succeed())
			decoder := xml.NewDecoder(strings.NewReader(b.String()))
			var err error
			for err == nil {
				_, err = decoder.Token()
			}
			g.Expect(errors.Is(err, io.EOF)).To(BeTrue(), "%v", err)
			g.Expect(b.String()).NotTo(Or(ContainSubstring("%!"), ContainSubstring("NaN"), ContainSubstring("Inf")))
		})
	}
	g := NewWithT(t)
	var b strings.Builder
	g.Expect(SVG(&b, example)).To(Succeed())
	// 1.5 cores are the whole width, 380: the kubelet's third is followed by the runtime's two.
	g.Expect(b.String()).To(And(ContainSubstring(`x="260.0" y="92" width="126.7"`),
		ContainSubstring(`x="386.7" y="92" width="253.3"`), ContainSubstring("left out: it is old"),
		ContainSubstring("first &lt;b&gt;"), ContainSubstring("3.00 s")))
}

func TestNice(t *testing.T) {
	g := NewWithT(t)
	for v, want := range map[float64]float64{0.13: 0.2, 0.3: 0.5, 1: 1, 3: 5, 7: 10, 0.02: 0.02} {
		g.Expect(nice(v)).To(BeNumerically("~", want, 1e-9))
	}
}
