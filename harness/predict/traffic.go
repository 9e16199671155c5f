package predict

import (
	"math"
	"time"

	"github.com/podclock/podclock/harness/rules/formula"
)

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
