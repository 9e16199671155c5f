package predict

import (
	"math"
	"time"

	"github.com/podclock/podclock/harness/rules/formula"
)

// Traffic is what happens to new connections through Services when a pod is deleted. Times count from the request.
type Traffic struct {
	// Services are the names of those that select the pod. Always are those that route to it until its object is gone.
	Services, Always []string
	// Unready is when the pod's endpoints are not ready, Routed the last time at which a node's proxy may send it a new
	// connection.
	Unready, Routed Span
	// SIGTERM is that of the main containers.
	SIGTERM Span
	// Sleep is the shortest sleep action that keeps SIGTERM from coming before, 0 if it does not, or if none is long
	// enough. It is in whole seconds.
	Sleep time.Duration
}

func (p *Prediction) traffic() *Traffic {
	deleted := p.MainKills.Of(formula.ByDelete, "")
	if len(p.Services) == 0 || deleted == nil {
		return nil
	}
	t := &Traffic{SIGTERM: deleted.SIGTERM}
	for _, s := range p.Services {
		t.Services = append(t.Services, s.Name)
		if s.PublishNotReady {
			t.Always = append(t.Always, s.Name)
		}
	}
	in := formula.Input{Kubelet: p.Kubelet}
	t.Unready = Span{}.plus(formula.EndpointUnready.Implemented(in))
	t.Routed = t.Unready.plus(formula.ProxyFollows.Implemented(in))
	if t.SIGTERM.Earliest < t.Routed.Latest && len(t.Always) == 0 {
		t.Sleep = time.Duration(math.Ceil(t.Routed.Latest.Seconds())) * time.Second
	}
	return t
}
