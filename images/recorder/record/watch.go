package record

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/podclock/podclock/harness/measure/mark"
)

const (
	// tick is the time between two looks at the clock. A tick later than lateAfter is a LateTick. Each tick wakes
	// several threads: a hundred a second on a dozen nodes took a sixth of a core.
	tick      = 25 * time.Millisecond
	lateAfter = 20 * time.Millisecond
	// pressureEvery is the time between two samples of the node's pressure.
	pressureEvery = 250 * time.Millisecond
)

// Watch records late ticks and pressure until the context ends.
func (r *Recorder) Watch(ctx context.Context) {
	speed := coreTime()
	r.store.add(mark.Record{At: r.clock.now(), Kind: mark.CoreSpeed, Detail: mark.Detail{CoreNS: int64(speed)}})
	ticker := time.NewTicker(tick)
	defer ticker.Stop()
	last := time.Now()
	var sampled time.Time
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		now := time.Now()
		if late, counts := lateness(last, now); counts {
			r.store.add(mark.Record{At: r.clock.at(now), Kind: mark.LateTick, Detail: mark.Detail{LateNS: int64(late)}})
		}
		last = now
		if now.Sub(sampled) < pressureEvery {
			continue
		}
		sampled = now
		// A kernel without PSI has no such files.
		if pressure, err := readPressure(r.options.PressureDir); err == nil {
			r.store.add(mark.Record{At: r.clock.at(now), Kind: mark.PSISample, Detail: mark.Detail{PSI: &pressure}})
		}
	}
}

// lateness returns how late a tick came, and whether that is a LateTick.
func lateness(last, now time.Time) (time.Duration, bool) {
	late := now.Sub(last) - tick
	return late, late > lateAfter
}

func readPressure(dir string) (mark.PSIDetail, error) {
	cpu, err := readSome(filepath.Join(dir, "cpu"))
	if err != nil {
		return mark.PSIDetail{}, err
	}
	io, err := readSome(filepath.Join(dir, "io"))
	if err != nil {
		return mark.PSIDetail{}, err
	}
	return mark.PSIDetail{CPUNS: int64(cpu), IONS: int64(io)}, nil
}

// readSome reads the total, in microseconds, of the line "some avg10=… avg60=… avg300=… total=…".
func readSome(file string) (time.Duration, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return 0, fmt.Errorf("reading the node's pressure: %w", err)
	}
	for line := range strings.Lines(string(text)) {
		fields := strings.Fields(line)
		if len(fields) == 0 || fields[0] != "some" {
			continue
		}
		for _, field := range fields {
			if total, ok := strings.CutPrefix(field, "total="); ok {
				micros, err := strconv.ParseInt(total, 10, 64)
				if err != nil {
					return 0, fmt.Errorf("reading the node's pressure from %s: %w", file, err)
				}
				return time.Duration(micros) * time.Microsecond, nil
			}
		}
	}
	return 0, fmt.Errorf("reading the node's pressure from %s: no line \"some … total=…\"", file)
}
