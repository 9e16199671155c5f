package lab

import (
	"context"
	"strings"
	"sync"
	"time"
)

// exitTexts are in the lines that a node logs about the end of its kubelet: systemd's line, the Go runtime's, and that
// of a panic which the kubelet survived (apimachinery util/runtime logPanic).
var exitTexts = []string{"kubelet.service: Main process exited", "panic: ", "fatal error: ", "Observed a panic"}

// outsideCauses are in systemd's line about a process that something else ended: SIGKILL comes from the kernel or an
// operator, SIGTERM from systemd.
var outsideCauses = []string{"status=9/KILL", "status=15/TERM"}

// restartLogged is how far systemd's line may be from a restart by the lab.
const restartLogged = time.Second

// searchExits searches the nodes' logs for exits of the kubelet that the lab did not ask for.
func (l *site) searchExits() {
	if l.options.Workers == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(l.ctx), looking)
	defer cancel()
	var searches sync.WaitGroup
	for name, n := range l.nodes {
		searches.Go(func() {
			lines, err := l.options.Workers.NodeLog(ctx, name, l.opened, time.Now(), exitTexts...)
			if err != nil {
				l.log("whether the kubelet of node %s exited is unknown: %v", name, err)
				return
			}
			n.watched, n.exits = true, n.health.unasked(lines)
		})
	}
	searches.Wait()
}

// unasked returns the lines about exits that neither the lab nor something else outside the kubelet caused.
func (h *health) unasked(lines []string) (exits []string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, line := range lines {
		if !containsAny(line, outsideCauses) && !h.restartedAt(logged(line)) {
			exits = append(exits, line)
		}
	}
	return exits
}

// restartedAt reports whether the lab restarted the kubelet at a time, which is 0 if it is unknown.
func (h *health) restartedAt(at int64) bool {
	for _, own := range h.restarts {
		if at > own.from-int64(restartLogged) && at-int64(restartLogged) < own.to {
			return true
		}
	}
	return false
}

// logged returns the time of a line of the journal (short-iso-precise) in nanoseconds since 1970, 0 if it has none.
func logged(line string) int64 {
	stamp, _, _ := strings.Cut(line, " ")
	for _, layout := range []string{"2006-01-02T15:04:05.999999-0700", time.RFC3339Nano} {
		if t, err := time.Parse(layout, stamp); err == nil {
			return t.UnixNano()
		}
	}
	return 0
}

func containsAny(text string, parts []string) bool {
	for _, part := range parts {
		if strings.Contains(text, part) {
			return true
		}
	}
	return false
}
