package view

import (
	"testing"
	"time"

	. "github.com/onsi/gomega"

	"github.com/podclock/podclock/harness/measure/trial"
	"github.com/podclock/podclock/harness/rules/formula"
	"github.com/podclock/podclock/reports/view/fixture"
)

func TestGapIsRounded(t *testing.T) {
	g := NewWithT(t)
	ns := func(d time.Duration) int64 { return int64(d) }
	seconds, counts := promise{unit: formula.Nanoseconds}, promise{unit: formula.Count}
	for want, got := range map[string]string{
		"1.8 to 11.8 s": seconds.between(ns(1776*time.Millisecond), ns(11769*time.Millisecond)),
		"0.53 to 1.0 s": seconds.between(ns(534*time.Millisecond), ns(1040*time.Millisecond)),
		"2.0 s":         seconds.between(ns(1960*time.Millisecond), ns(2049*time.Millisecond)),
		"0.001 s":       seconds.between(ns(1200*time.Microsecond), ns(1400*time.Microsecond)),
		"1 to 3":        counts.between(1, 3),
		"12":            counts.between(12, 12),
	} {
		g.Expect(got).To(Equal(want))
	}
}

// TestRoundedTimesShowWhichAreOutside rounds times, and expects that outside values still look outside.
func TestRoundedTimesShowWhichAreOutside(t *testing.T) {
	found := func(earliest, latest, value int64) trial.Finding {
		w := formula.Window{
			Unit:     formula.Nanoseconds,
			Earliest: earliest * int64(time.Millisecond),
			Latest:   latest * int64(time.Millisecond),
		}
		f := trial.Finding{
			Verdict:    trial.Conforms,
			Documented: &w,
			Measured:   &trial.Measured{Unit: formula.Nanoseconds, Value: value * int64(time.Millisecond)},
		}
		if w.Miss(f.Measured.Value) != 0 {
			f.Verdict = trial.Divergent
		}
		return f
	}
	for name, want := range map[string]struct {
		on         map[string]trial.Finding
		cell, span string
	}{
		"far outside": {map[string]trial.Finding{fixture.Reference: found(-294, 5508, 9069)}, "**9.1 s**",
			"-0.3 to 5.5 s"},
		"just outside": {map[string]trial.Finding{fixture.Reference: found(900, 1502, 1534)}, "**1.53 s**",
			"0.90 to 1.50 s"},
		"outside " +
			"by 1 ms": {map[string]trial.Finding{fixture.Reference: found(900, 1502, 1503)}, "**1.503 s**",
			"0.900 to 1.502 s"},
		"inside by 1 ms": {map[string]trial.Finding{fixture.Reference: found(900, 1449, 1449),
			fixture.Mutant: found(900, 1449, 9000)}, "1.4 s", "0.9 to 1.4 s"},
		"less than " +
			"a second": {map[string]trial.Finding{fixture.Reference: found(-400, 250, 967)}, "**0.97 s**",
			"-0.40 to 0.25 s"},
		"windows of a " +
			"measured hook": {map[string]trial.Finding{fixture.Reference: found(1000, 2000, 4000),
			fixture.Mutant: found(1500, 2500, 4000)}, "**4.0 s** (1.0 to 2.0 s)", ""},
		"outside its own window, inside the other's": {map[string]trial.Finding{
			fixture.Reference: found(9996, 13371, 13590),
			fixture.Mutant:    found(9996, 13743, 13600)}, "**13.6 s** (10.0 to 13.4 s)", ""},
	} {
		g := NewWithT(t)
		c := promisedClaim{on: want.on}.inWords([]string{fixture.Reference, fixture.Mutant})
		got := c.On[0].Measured
		if c.On[0].Broken {
			got = "**" + got + "**"
		}
		if c.Documented == "" {
			got += " (" + c.On[0].Documented + ")"
		}
		g.Expect(got).To(Equal(want.cell), name)
		g.Expect(c.Documented).To(Equal(want.span), name)
	}
}
