package record

import (
	"encoding/json"
	"runtime"
	"strings"
	"time"
)

const (
	// rounds is the length of the fixed computation, a few milliseconds of a core of 2023.
	rounds = 20
	// tries is how often it runs. The fastest counts: an interrupt makes one slower.
	tries = 5
)

// coreTime returns the CPU time that a core takes for the fixed computation. Work that waits for the core does not
// count, so it shows how fast the core is, and not how busy.
func coreTime() time.Duration {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	best := time.Duration(0)
	for range tries {
		from := threadTime()
		compute()
		if took := threadTime() - from; best == 0 || took < best {
			best = took
		}
	}
	return best
}

// document is some 10 KB of objects and lists.
var document = []byte(`[` + strings.Repeat(`{"name":"x","value":1.5,"labels":{"a":"b","c":"d"}},`, 200) + `{}]`)

// compute reads and writes JSON, as a kubelet does all day. Without hardware acceleration, a core takes 16 times as
// long for it as with it, but not longer for arithmetic on registers.
func compute() {
	for range rounds {
		var read any
		_ = json.Unmarshal(document, &read)
		_, _ = json.Marshal(read)
	}
}
