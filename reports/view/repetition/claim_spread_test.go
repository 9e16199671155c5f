package repetition

import (
	"testing"

	. "github.com/onsi/gomega"

	"github.com/podclock/podclock/reports/view/series"
)

func TestWindowOfOneMoment(t *testing.T) {
	g := NewWithT(t)
	for measured, want := range map[int64]float64{9: -1, 10: 0.5, 11: 2} {
		var s spreadingWindow
		s.add(series.Ends{Earliest: 10, Latest: 10}, Nearest{Measured: measured})
		g.Expect(s.spread().Position.Median).To(Equal(want), "%d", measured)
		g.Expect(s.spread().Late.Share).To(Equal(1 - want))
	}
}
