package virtual

import (
	"github.com/podclock/podclock/harness/stage"
	"github.com/podclock/podclock/harness/timeline"
	"github.com/podclock/podclock/harness/trace"
	"github.com/podclock/podclock/harness/virtual/wire"
)

// trace asks the node for all that happened. It returns nil if the node is broken.
func (l *lane) trace(subject, id string, o trace.Origin) *trace.Trace {
	a, err := l.ask(wire.Request{Trace: true})
	if err != nil {
		return nil
	}
	t := trace.New(id, subject, l.seed, o, a.Trace)
	return &t
}

func (l *lane) traceOrigin(p *stage.Player, e timeline.Evidence) trace.Origin {
	o := trace.Origin{
		Zero: p.Created().UnixNano(), Namespace: p.Namespace, Pod: p.Name(""), Version: l.kubelet.Version,
	}
	if len(e.Cues) > 0 {
		o.Zero = e.Cues[0].At.At
	}
	return o
}
