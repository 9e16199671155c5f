package sentences

import (
	"testing"
	"time"

	. "github.com/onsi/gomega"

	"github.com/podclock/podclock/harness/predict"
)

func TestSpans(t *testing.T) {
	for want, s := range map[string]predict.Span{
		"0 to 2.6 s":      {Earliest: -2 * time.Millisecond, Latest: 2550 * time.Millisecond},
		"30 s":            {Earliest: 30 * time.Second, Latest: 30*time.Second + time.Millisecond},
		"300 to 331 s":    {Earliest: 300 * time.Second, Latest: 331200 * time.Millisecond},
		"9.8 to 10.3 min": {Earliest: 588 * time.Second, Latest: 618 * time.Second},
		"9.8 s to 10 min": {Earliest: 9800 * time.Millisecond, Latest: 10 * time.Minute},
		"0 to 10 min":     {Earliest: time.Millisecond, Latest: 10 * time.Minute},
	} {
		NewWithT(t).Expect(Span(s)).To(Equal(want))
	}
}

func TestSpansRoundedOutwards(t *testing.T) {
	for want, s := range map[string]predict.Span{
		"0 to 3 s":         {Earliest: -2 * time.Millisecond, Latest: 2550 * time.Millisecond},
		"19 to 34 s":       {Earliest: 19750 * time.Millisecond, Latest: 33001 * time.Millisecond},
		"30 s":             {Earliest: 30 * time.Second, Latest: 30 * time.Second},
		"9.8 to 10 min":    {Earliest: 593 * time.Second, Latest: 599500 * time.Millisecond},
		"11 s to 11.1 min": {Earliest: 11750 * time.Millisecond, Latest: 662 * time.Second},
		"101 to 103 min":   {Earliest: 6119 * time.Second, Latest: 6121 * time.Second},
	} {
		NewWithT(t).Expect(Span(outward(s))).To(Equal(want))
	}
}
