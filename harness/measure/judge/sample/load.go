package sample

import (
	"time"

	"github.com/podclock/podclock/harness/measure/delay"
	"github.com/podclock/podclock/harness/measure/trial"
)

const (
	// maxLate is how late the recorder may have run beside a value that counts. Terms state values of a node where work
	// begins on time: on two cores that were busy for 95 % of the time, values beside later ticks were up to four times
	// as late.
	maxLate = 50 * time.Millisecond
	// near is how far from its two ends a measured time can be delayed. What is between are timers.
	near = 2 * time.Second
	// usualCore is the time of the fixed computation on the cores on which the usual values were measured. No value
	// counts if that computation, or the start of a process, takes more than slowTimes as long. Without hardware
	// acceleration, twelve of twelve kills came in the part that usually holds a tenth.
	usualCore = 6600 * time.Microsecond
	slowTimes = 2
	// lookBack is how long before a measured time its first mark can have been delayed.
	lookBack = time.Second
)

// node is what a recorder measured of its node, apart: its own late ticks, and waits for the disk or for a component.
type node struct {
	ticks, waits delay.Record
	// slow reports that its cores or starts are slow, so that steps take longer than usual.
	slow bool
}

func nodeOf(r *delay.Record) node {
	if r == nil {
		return node{}
	}
	n := node{
		ticks: delay.Record{LateTicks: r.LateTicks}, waits: delay.Record{Unanswered: r.Unanswered},
		slow: r.CoreNS > slowTimes*int64(usualCore) || r.Slower > slowTimes,
	}
	for _, s := range r.PSI {
		n.waits.PSI = append(n.waits.PSI, delay.Sample{At: s.At, IONS: s.IONS})
	}
	return n
}

// load is how long work may have waited beside a measured time: for the disk or a component, and for a core. Its
// first mark may be late.
type load struct {
	waited, late, seen time.Duration
	slow               bool
}

func (n node) beside(m *trial.Measured) (l load) {
	l.slow = n.slow
	l.seen = n.ticks.Total(m.From-int64(lookBack), m.From) + maxLate
	for _, span := range [][2]int64{
		{m.From - int64(lookBack), min(m.To, m.From+int64(near))},
		{max(m.From+int64(near), m.To-int64(near)), m.To},
	} {
		l.late += n.ticks.Total(span[0], span[1])
		l.waited += n.waits.Total(span[0], span[1])
	}
	return l
}

func (l load) quiet() bool          { return l.late <= maxLate && !l.slow }
func (l load) total() time.Duration { return l.waited + l.late }

// slower returns how many times longer than usual half of the steps may have taken, and nine of ten. On two cores that
// were busy for 95 % of the time, none took more than four times as long, which the rarer quantiles of a term allow.
func (l load) slower() int64 {
	if l.quiet() {
		return 1
	}
	return 2
}
