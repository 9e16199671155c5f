package record

import (
	"slices"
	"sync"
	"unsafe"

	"github.com/podclock/podclock/harness/measure/mark"
)

// store numbers records and keeps them until a reader confirms them, up to its limit of bytes.
type store struct {
	epoch string
	bound int

	mu      sync.Mutex
	records []mark.Record // without gaps: records[i].Seq == records[0].Seq + i
	bytes   int
	last    uint64 // the number of the newest record
	urgent  uint64 // the number of the newest record of a victim
	dropped uint64
	grown   chan struct{} // closed at the next such record; nil if no reader waits
}

func newStore(epoch string, bound int) *store { return &store{epoch: epoch, bound: bound} }

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

// ofNode reports whether a kind of record is about the node. Several come every second. If each were urgent, a
// dozen readers would load an API server more than the trials.
func ofNode(k mark.Kind) bool { return k == mark.PSISample || k == mark.LateTick || k == mark.NoAnswer }

// drop removes the oldest eighth, so the rest moves only once for many records.
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

// confirm removes the records up to a number, which a reader of this epoch has.
func (s *store) confirm(upTo uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.records) == 0 || upTo < s.records[0].Seq {
		return
	}
	s.forget(int(min(upTo-s.records[0].Seq+1, uint64(len(s.records)))))
}

// above returns a batch of up to limit records above a number. If none of them is urgent, it also returns a
// channel that closes at the next urgent one.
func (s *store) above(after uint64, limit int) (batch mark.Batch, grown <-chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	batch = mark.Batch{Epoch: s.epoch, Dropped: s.dropped, Last: s.last}
	// If records are above but none exists, another reader confirmed them. This one sees the gap.
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

// size estimates a record's memory, without the shared strings of its identity.
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
