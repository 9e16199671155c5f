package virtual

import (
	"fmt"
	"os"

	"github.com/podclock/podclock/harness/measure/runner"
	"github.com/podclock/podclock/harness/measure/timeline"
	"github.com/podclock/podclock/harness/virtual/trace"
	"github.com/podclock/podclock/harness/virtual/wire"
)

// trace asks the node for all that happened. It returns nil if the node is broken.
func (l *lane) trace(subject, id string, o trace.Origin) *trace.Trace {
	entries, err := l.happened()
	if err != nil {
		return nil
	}
	o.Version = l.kubelet.Version
	t := trace.New(id, subject, l.seed, o, entries)
	return &t
}

// saveCoverage makes the node write which code it executed. A node that died leaves the folder empty.
func (l *lane) saveCoverage(folder string) {
	err := os.MkdirAll(folder, 0o755)
	if err == nil {
		_, err = l.ask(wire.Request{Coverage: folder})
	}
	if err != nil && l.broken == nil {
		l.broken = fmt.Errorf("writing the coverage: %w", err)
	}
}

func traceOrigin(p *runner.Runner, e timeline.Evidence) trace.Origin {
	o := trace.Origin{Fault: p.Created().UnixNano(), Namespace: p.Namespace, Pod: p.Name("")}
	if len(e.Faults) > 0 {
		o.Fault = e.Faults[0].At.At
	}
	return o
}
