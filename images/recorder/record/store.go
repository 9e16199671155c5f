package record

import (
	"slices"
	"sync"
	"unsafe"

	"github.com/podclock/podclock/harness/mark"
)

// store numbers records and keeps them, within its bound, until they are confirmed.
type store struct {
	epoch string
	bound int

	mu      sync.Mutex
	records []mark.Record // without gaps: records[i].Seq == records[0].Seq + i
	bytes   int
	last    uint64 // the number of the newest record
	urgent  uint64 // the number of the newest record that somebody may wait for
	dropped uint64
	grown   chan struct{} // closed when such a record comes; nil when nobody waits
}

func newStore(epoch string, bound int) *store { return &store{epoch: epoch, bound: bound} }

// add numbers the record and keeps it.
func (s *store) add(record mark.Record) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.last++
	record.Seq = s.last
	s.records = append(s.records, record)
	s.bytes += size(record)
	if s.bytes > s.bound {
		s.drop()
	}
	if ofNode(record.Kind) {
		return
	}
	s.urgent = s.last
	if s.grown != nil {
		close(s.grown)
		s.grown = nil
	}
}

// ofNode says whether a kind of record tells of the node rather than of a victim. Nobody acts on those, and
// several come every second: were each a reason to answer a waiting reader at once, a dozen readers would
// keep an API server busier than the trials do.
func ofNode(k mark.Kind) bool { return k == mark.PSISample || k == mark.LateTick || k == mark.NoAnswer }

// drop throws away the oldest eighth, so that the cost of moving the rest is paid once for many records.
func (s *store) drop() {
	oldest := max(1, len(s.records)/8)
	s.dropped = s.records[oldest-1].Seq
	s.forget(oldest)
}

func (s *store) forget(oldest int) {
	for _, record := range s.records[:oldest] {
		s.bytes -= size(record)
	}
	s.records = slices.Delete(s.records, 0, oldest)
}

// confirm throws away the records up to a number that a reader of this epoch has.
func (s *store) confirm(upTo uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.records) == 0 || upTo < s.records[0].Seq {
		return
	}
	s.forget(int(min(upTo-s.records[0].Seq+1, uint64(len(s.records)))))
}

// above is a batch of up to limit records numbered above a number, and, when none of them is urgent, a
// channel that closes when the next one comes that is.
func (s *store) above(after uint64, limit int) (batch mark.Batch, grown <-chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	batch = mark.Batch{Epoch: s.epoch, Dropped: s.dropped, Last: s.last}
	// none at all although some are above: another reader confirmed them, and this one will see the gap
	if after >= s.urgent || len(s.records) == 0 {
		if s.grown == nil {
			s.grown = make(chan struct{})
		}
		grown = s.grown
	}
	if after >= s.last || len(s.records) == 0 {
		return batch, grown
	}
	first := s.records[0].Seq
	from := 0
	if after >= first {
		from = int(after - first + 1)
	}
	batch.Records = slices.Clone(s.records[from:min(from+limit, len(s.records))])
	return batch, grown
}

// size estimates what a record takes in memory. The strings of its identity are shared by all records of a connection.
func size(r mark.Record) int {
	n := int(unsafe.Sizeof(r)) + len(r.Detail.Note) + len(r.Detail.Signal)
	if p := r.Detail.Probe; p != nil {
		n += int(unsafe.Sizeof(*p)) + len(p.For) + len(p.Handler) + len(p.Answer)
	}
	if r.Detail.PSI != nil {
		n += int(unsafe.Sizeof(*r.Detail.PSI))
	}
	if r.Detail.NoAnswer != nil {
		n += int(unsafe.Sizeof(*r.Detail.NoAnswer))
	}
	return n
}
